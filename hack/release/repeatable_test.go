package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/hack/release/build"
)

var (
	slow = flag.Bool("slow", false, "build releases, which takes minutes")
	cold = flag.Bool("cold", os.Getenv("CI") == "true", "build the second release with an empty cache of Go")
)

// released is a version that follows all others.
const released = "0.99.0"

// TestRepeatable builds a release of HEAD twice, in two places and with other settings, and compares the bytes.
func TestRepeatable(t *testing.T) {
	if !*slow {
		t.Skip("only with -slow, as in `make test-all ONLY=release`: it builds two releases")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "release")
	execute(t, nil, "go", "build", "-o", program, ".")

	first := filepath.Join(t.TempDir(), "a")
	execute(t, nil, "git", "clone", "-q", root, first)
	execute(t, nil, "sh", "-c", `umask 022; exec "$@"`, "sh", program, released, "-C", first, "--helm",
		filepath.Join(root, "bin", "helm"))

	second := filepath.Join(t.TempDir(), "a second place", "deeper")
	execute(t, nil, "git", "clone", "-q", first, second)
	execute(t, elsewhere(t), "sh", "-c", `umask 077; exec "$@"`, "sh", program, released, "-C", second, "--helm",
		filepath.Join(root, "bin", "helm"))

	one, other := contents(t, filepath.Join(first, "dist", released)), contents(t, filepath.Join(second, "dist", released))
	if a, b := slices.Sorted(maps.Keys(one)), slices.Sorted(maps.Keys(other)); !slices.Equal(a, b) || len(a) < 52 {
		t.Fatalf("the files are\n%q, then\n%q; want at least 52, and the same", a, b)
	}
	for name, data := range one {
		if !bytes.Equal(data, other[name]) {
			t.Errorf("%s has other bytes the second time (%d, then %d)", name, len(data), len(other[name]))
		}
	}
	for _, dir := range []string{first, second} {
		if status := execute(t, nil, "git", "-C", dir, "status", "--porcelain"); status != "" {
			t.Errorf("the tree was changed:\n%s", status)
		}
	}
	sums := exec.Command("sha256sum", "-c", "--strict", build.Sums)
	sums.Dir = filepath.Join(first, "dist", released)
	if out, err := sums.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", build.Sums, err, out)
	}
	runs(t, one)
}

// runs checks that the archive of this platform has a program of that version.
func runs(t *testing.T, files map[string][]byte) {
	t.Helper()
	name := fmt.Sprintf("sdkgen_%s_%s_%s", released, runtime.GOOS, runtime.GOARCH)
	unzipped, err := gzip.NewReader(bytes.NewReader(files[name+".tar.gz"]))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	program := ""
	found := map[string]bool{}
	for in := tar.NewReader(unzipped); ; {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		found[strings.TrimPrefix(header.Name, name+"/")] = true
		if header.Name == name+"/sdkgen" {
			data, err := io.ReadAll(in)
			if err != nil {
				t.Fatal(err)
			}
			program = filepath.Join(t.TempDir(), "sdkgen")
			if err := os.WriteFile(program, data, header.FileInfo().Mode()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !found["LICENSE"] || !found["README.md"] || !found["third-party/go/LICENSE"] || program == "" {
		t.Fatalf("%s has only %q", name, slices.Sorted(maps.Keys(found)))
	}
	if out := execute(t, nil, program, "version"); !strings.Contains(out, "flux-operator/sdkgen v"+released+"\n") {
		t.Errorf("sdkgen version prints\n%s", out)
	}
}

// elsewhere returns an environment that differs in what must not matter. What it keeps says where modules and packages
// come from.
func elsewhere(t *testing.T) []string {
	t.Helper()
	scratch := t.TempDir()
	env := append(os.Environ(), "HOME="+scratch, "TMPDIR="+filepath.Join(scratch, "tmp"),
		"XDG_CACHE_HOME="+filepath.Join(scratch, "cache"),
		"TZ=Asia/Kathmandu", "LANG=tr_TR.UTF-8", "LC_ALL=C", "SOURCE_DATE_EPOCH=1", "GOFLAGS=-tags=unused", "GOAMD64=v3",
		"USER=nobody",
		"PYTHONHASHSEED=7")
	for _, name := range []string{"GOENV", "GOMODCACHE", "GOPATH", "GOPROXY", "GOCACHE"} {
		env = append(env, name+"="+strings.TrimSpace(execute(t, nil, "go", "env", name)))
	}
	if *cold {
		env = append(env, "GOCACHE="+filepath.Join(scratch, "go-build"))
	}
	for _, file := range []string{os.Getenv("PIP_CONFIG_FILE"), os.ExpandEnv("$HOME/.config/pip/pip.conf"),
		os.ExpandEnv("$HOME/.pip/pip.conf")} {
		if _, err := os.Stat(file); err == nil {
			env = append(env, "PIP_CONFIG_FILE="+file)
			break
		}
	}
	if python, err := exec.Command("python3", "-c",
		"import os, sys; print(os.path.dirname(sys.executable))").Output(); err == nil {
		// A shim finds nothing below another home directory.
		env = append(env, "PATH="+strings.TrimSpace(string(python))+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if err := os.Mkdir(filepath.Join(scratch, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	return env
}

// execute runs a program, in this environment if none is given, and returns what it prints.
func execute(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, stderr.Bytes())
	}
	t.Logf("%s %s\n%s%s", program, strings.Join(args, " "), stderr.Bytes(), out)
	return string(out)
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		if files[entry.Name()], err = os.ReadFile(filepath.Join(dir, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
