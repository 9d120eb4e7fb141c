package cli

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// withJava gives the project a Python SDK that is made by a shell script in place of Java, which
// knows the directory for its output as $out.
func (p *workspace) withJava(t *testing.T, script string) {
	t.Helper()
	p.write(t, "fake.jar", []byte("fake"))
	p.write(t, "templates/README", []byte("There is none."))
	p.write(t, "jdk/release", []byte(`JAVA_VERSION="21.0.8"`))
	p.write(t, "jdk/bin/java", []byte("#!/bin/sh\nfor config; do :; done\nout=$(dirname $config)/out\n"+p.expand(script)))
	config := testkit.Read(t, "testdata/project/sdkgen.yaml")
	p.write(t, "sdkgen.yaml", fmt.Appendf(config, `engine: openapi-generator
generator:
  jar: fake.jar
  sha256: %x
  java: jdk
python:
  dir: sdk/python
  package: widget
  templates: templates
`, sha256.Sum256([]byte("fake"))))
}

// TestInterrupt sends a signal while the go command runs, and while Java does: sdkgen ends with
// 130 and says so, and nothing has changed.
func TestInterrupt(t *testing.T) {
	for name, c := range map[string]struct {
		signal os.Signal
		java   bool
	}{
		"SIGINT in go": {os.Interrupt, false}, "SIGTERM in go": {syscall.SIGTERM, false},
		"SIGINT in Java": {os.Interrupt, true}, "SIGTERM in Java": {syscall.SIGTERM, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			started := filepath.Join(filepath.Dir(p.root), "started")
			script := "echo > " + started + "\nexec /bin/sleep 600\n"
			if c.java {
				p.withJava(t, script)
			} else {
				p.replaceGo(t, script)
			}
			before := p.state(t)
			cmd := p.command(t, nil, "generate", "-q")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, started)
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // the exit code says it
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted || stderr.String() != "sdkgen: interrupted\n" {
				t.Errorf("ended with %d: %s", got, &stderr)
			}
			p.noScratch(t)
			p.same(t, before)
		})
	}
}

// replaceGo has the go command be a shell script.
func (p *workspace) replaceGo(t *testing.T, script string) {
	t.Helper()
	program := filepath.Join(filepath.Dir(p.root), "bin", "go")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

// await waits for a file.
func await(t *testing.T, file string) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("there is no %s", file)
		}
	}
}

// TestVanishes has the place that is written to go while Java runs, and nothing else does: a directory
// of it is made again, the project's is not.
func TestVanishes(t *testing.T) {
	p := newProject(t)
	args := []string{"generate", "-q", "--force", "--only", "python"}
	p.withJava(t, "rm -rf $WORK/sdk\necho x > $out/widget.py\n")
	for range 2 {
		if got := p.run(t, nil, args...); got.code != "0" || got.stderr != "" {
			t.Errorf("ended with %s: %s", got.code, got.stderr)
		}
		if _, err := os.Stat(p.path("sdk/python/widget.py")); err != nil {
			t.Error(err)
		}
	}
	p.withJava(t, "rm -rf $WORK\necho x > $out/widget.py\n")
	got := p.run(t, nil, args...)
	if got.code != "2" || !strings.Contains(got.stderr, "no such file or directory") {
		t.Errorf("without the project, ended with %s: %s", got.code, got.stderr)
	}
	if left, err := os.ReadDir(p.root); err == nil {
		t.Errorf("it wrote %v", left)
	}
}

// TestDisk has an output directory on a file system that is full, or that nobody can write to.
func TestDisk(t *testing.T) {
	for name, c := range map[string]struct{ options, want string }{
		"full":      {"size=4k,nr_inodes=1", "no space left on device"},
		"read-only": {"ro", "read-only file system"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.mount(t, "config/crd", c.options)
			before := p.state(t)
			got := p.run(t, nil, "generate", "-q")
			if got.code != "2" || !strings.Contains(got.stderr, `writing "config/crd/example.org_widgets.yaml": `) ||
				!strings.Contains(got.stderr, c.want) {
				t.Errorf("ended with %s: %s\nwant %s", got.code, got.stderr, c.want)
			}
			p.same(t, before)
		})
	}
}

// mount puts a file system with these options on a directory of the project. Where that is not
// possible the test is skipped, in CI it fails.
func (p *workspace) mount(t *testing.T, dir, options string) {
	t.Helper()
	if err := os.MkdirAll(p.path(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	mount := func(args ...string) ([]byte, error) {
		if os.Geteuid() != 0 {
			args = append([]string{"sudo", "-n"}, args...)
		}
		return exec.Command(args[0], args[1:]...).CombinedOutput()
	}
	if out, err := mount("mount", "-t", "tmpfs", "-o", fmt.Sprintf("mode=755,uid=%d,%s", os.Getuid(), options), "tmpfs",
		p.path(dir)); err != nil {
		testkit.Missing(t, fmt.Sprintf("this needs a mount: %v: %s", err, out))
	}
	t.Cleanup(func() {
		if out, err := mount("umount", p.path(dir)); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestNoHome: without a home directory and a directory for caches a run makes the same files, and nothing outside
// of the project.
func TestNoHome(t *testing.T) {
	with, without := newProject(t), newProject(t)
	without.env = slices.DeleteFunc(without.env, func(entry string) bool {
		return strings.HasPrefix(entry, "HOME=") || strings.HasPrefix(entry, "XDG_CACHE_HOME=")
	})
	for _, variable := range []string{"GOCACHE=", "GOMODCACHE="} {
		if !slices.ContainsFunc(without.env, func(entry string) bool { return strings.HasPrefix(entry, variable) }) {
			t.Fatalf("the go command needs %s", variable)
		}
	}
	for _, p := range []*workspace{with, without} {
		for _, command := range []string{"generate", "generate", "verify"} {
			if got := p.run(t, nil, command, "-q"); got != (result{code: "0"}) {
				t.Errorf("%s: %v", command, got)
			}
		}
		// golang.org/x/tools makes the directory of an index when it is linked in; formatting alone reads none.
		if err := os.Remove(filepath.Join(p.temp, "goimports")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		if left, err := os.ReadDir(p.temp); err != nil || len(left) > 0 {
			t.Errorf("left in TMPDIR: %v, %v", left, err)
		}
	}
	lock := testkit.Read(t, with.path("sdkgen.lock"))
	if got := testkit.Read(t, without.path("sdkgen.lock")); !bytes.Equal(got, lock) {
		t.Errorf("without HOME the lock is\n%s\nwith it\n%s", got, lock)
	}
}
