package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// newHostile makes a project with every output, whose comments, defaults, enums, patterns and
// names try to become code: testdata/hostile, with the SDKs of the script sdk.txtar.
func newHostile(t *testing.T) *workspace {
	t.Helper()
	testkit.Jar(t) // or skip
	p := newProject(t)
	p.env = append(p.env, "PATH="+os.Getenv("PATH"), "JAVA_HOME="+os.Getenv("JAVA_HOME"), "PYTHONDONTWRITEBYTECODE=1")
	sdk, err := txtar.ParseFile("testdata/script/sdk.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sdk.Files {
		p.write(t, f.Name, f.Data)
	}
	config := testkit.Read(t, p.path("sdkgen.yaml"))
	p.write(t, "sdkgen.yaml", append(config, `
crd:
  dir: config/crd
rules:
  exceptions: exceptions.list
swagger:
  title: "*/ {{name}} \"\"\" `+"`"+` %s \\ \u2028 title"
`...))
	root, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	p.link(t, ".tools", filepath.Join(root, ".tools"))
	if err := os.Remove(p.path("api/v1/doc.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.path("api/v1/part.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(p.root, os.DirFS("testdata/hostile")); err != nil {
		t.Fatal(err)
	}
	p.must(t, "rules", "--update", "-q")
	return p
}

// must runs sdkgen and expects it to say nothing.
func (p *workspace) must(t *testing.T, args ...string) {
	t.Helper()
	if got := p.run(t, nil, args...); got != (result{code: "0"}) {
		t.Fatalf("sdkgen %v ended with %+v", args, got)
	}
}

// TestHostile generates everything from a hostile API, the same with both engines. Every file parses, the Go code
// compiles, the Python code runs, the defaults are what they were, and nothing else has happened.
func TestHostile(t *testing.T) {
	p := newHostile(t)
	p.must(t, "generate", "-q")
	p.must(t, "verify", "-q", "--engine", "native")
	files := p.generated(t)
	for name, data := range files {
		if err := parses(name, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(files) < 60 {
		t.Errorf("%d files", len(files))
	}

	var want []any
	if err := json.Unmarshal(testkit.Read(t, "testdata/hostile/defaults.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]any{
		"swagger.json": defaults(t, files["api/v1/swagger.json"], len(want), "definitions", "Part"),
		"CRD": defaults(t, files["config/crd/example.org_widgets.yaml"], len(want),
			"spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", "properties", "part"),
		"Python": decode(t, p.output(t, "python3", "check.py", "sdk/python/v1", fmt.Sprint(len(want)))),
	} {
		if d := cmp.Diff(any(want), got); d != "" {
			t.Errorf("the defaults in %s (-declared +found):\n%s", name, d)
		}
	}
	p.output(t, "go", "build", "./api/...", "./sdk/...")
	p.output(t, "python3", "-m", "unittest", "discover", "-s", "sdk/python/v1/test")
	for _, dir := range []string{p.root, p.outside, "."} {
		if found, err := filepath.Glob(filepath.Join(dir, "pwned*")); err != nil || len(found) > 0 {
			t.Errorf("found %v, %v", found, err)
		}
	}
}

// generated returns the files that sdkgen.lock lists, and the lock.
func (p *workspace) generated(t *testing.T) map[string][]byte {
	t.Helper()
	lock := testkit.Read(t, p.path("sdkgen.lock"))
	files := map[string][]byte{"sdkgen.lock": lock}
	for line := range strings.Lines(string(lock)) {
		if rest, ok := strings.CutPrefix(line, "file "); ok {
			name, _, _ := strings.Cut(rest, " sha256:")
			files[name] = testkit.Read(t, p.path(name))
		}
	}
	return files
}

// output runs a program in the project and returns what it prints.
func (p *workspace) output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = p.root
	cmd.Env = append(slices.Clone(p.env), "PYTHONPATH=sdk/python/v1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s %v: %v\n%s", name, args, err, &stderr)
	}
	return out
}

// parses says whether a file is one of its language. Python files are parsed by check.py.
func parses(name string, data []byte) error {
	switch filepath.Ext(name) {
	case ".go":
		formatted, err := format.Source(data)
		if err == nil && !bytes.Equal(formatted, data) {
			err = fmt.Errorf("it is not formatted")
		}
		return err
	case ".json":
		var value any
		return json.Unmarshal(data, &value)
	case ".yaml":
		var value any
		return yaml.Unmarshal(data, &value)
	}
	return nil
}

// defaults returns those of the properties text0, text1, ... of the schema at a path.
func defaults(t *testing.T, data []byte, n int, path ...string) any {
	t.Helper()
	at := decode(t, data)
	var found []any
	for i := range n {
		value := at
		for _, key := range append(path, "properties", fmt.Sprint("text", i), "default") {
			value = child(value, key)
		}
		found = append(found, value)
	}
	return found
}

func child(value any, key string) any {
	switch value := value.(type) {
	case map[string]any:
		return value[key]
	case []any:
		return value[0]
	}
	return nil
}

// decode reads JSON, or YAML.
func decode(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err == nil {
		return value
	}
	if err := yaml.Unmarshal(data, &value); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return value
}

// TestClones generates the project in two directories, in environments that differ in all that two
// machines may differ in. The same files come out, with the same modes and bytes. Not covered: the
// clock, which cannot be set for one process; the versions of Go and Java; the file system.
func TestClones(t *testing.T) {
	first, second := newHostile(t), newHostile(t)
	first.must(t, "generate", "-q")

	elsewhere := filepath.Join(t.TempDir(), "ö a longer", "name")
	for _, dir := range []string{"home", "temp"} {
		if err := os.MkdirAll(filepath.Join(elsewhere, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	root := filepath.Join(elsewhere, "clone")
	if err := os.Rename(second.root, root); err != nil {
		t.Fatal(err)
	}
	second.root, second.temp = root, filepath.Join(elsewhere, "temp")
	second.age(t)
	cmd := second.command(t, []string{
		"TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.ISO-8859-9", "LANGUAGE=tr", "USER=someone",
		"LOGNAME=someone",
		"HOME=" + filepath.Join(elsewhere, "home"), "XDG_CACHE_HOME=" + filepath.Join(elsewhere, "home", "cache"),
		"TMPDIR=" + second.temp,
		"GOFLAGS=-mod=mod", "GOMAXPROCS=1", "SOURCE_DATE_EPOCH=0",
		"JAVA_TOOL_OPTIONS=-Duser.language=tr -Dfile.encoding=UTF-16", "CI=1", "COLUMNS=20",
	}, "generate", "-q", "-C", root)
	cmd.Dir = "/"
	cmd.Args = append([]string{"/bin/sh", "-c", `umask 077; exec "$0" "$@"`}, cmd.Args...)
	cmd.Path = "/bin/sh"
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	if d := cmp.Diff(first.made(t), second.made(t)); d != "" {
		t.Errorf("the clones differ:\n%s", d)
	}
}

// age makes all files of the project look old.
func (p *workspace) age(t *testing.T) {
	t.Helper()
	long := time.Date(1999, 12, 31, 23, 59, 59, 0, time.UTC)
	err := filepath.WalkDir(p.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return os.Chtimes(path, long, long)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// made is what was generated, as text: mode and bytes by name.
func (p *workspace) made(t *testing.T) map[string]string {
	t.Helper()
	built := map[string]string{}
	for name, data := range p.generated(t) {
		info, err := os.Stat(p.path(name))
		if err != nil {
			t.Fatal(err)
		}
		built[name] = fmt.Sprintf("%s\n%s", info.Mode(), data)
	}
	return built
}

// TestTwentyRuns runs every stage again and again in one directory, twenty times in make test-all; the SDKs' stages,
// which start Java, twice. After the first run there is nothing to write.
func TestTwentyRuns(t *testing.T) {
	p := newHostile(t)
	p.must(t, "generate", "-q")
	before := p.state(t)
	runs := 3
	if testkit.All() {
		runs = 20
	}
	for i := range runs {
		args := []string{"generate", "-q", "--force"}
		if i > 1 {
			args = append(args, "--only", "deepcopy,crd,openapi,swagger,clients")
		}
		p.must(t, args...)
		if p.state(t) != before {
			t.Fatalf("run %d wrote something", i)
		}
	}
}
