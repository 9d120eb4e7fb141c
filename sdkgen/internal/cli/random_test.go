package cli

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var (
	randomEdits = flag.Int("edits", 0,
		"how many times TestRandom edits its project; 0 for 20 in make test-all and 5 elsewhere")
	randomSeed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "what TestRandom begins with")
)

// TestRandom edits a project again and again, at random. With the lock, generate writes and prints what it does with
// --force and, in make test-all, with the engine openapi-generator. An error leaves the tree as it was.
func TestRandom(t *testing.T) {
	t.Parallel()
	t.Logf("-seed=%d", *randomSeed)
	rounds, engine := 5, "native"
	if testkit.All() {
		testkit.Jar(t)
		rounds, engine = 20, "openapi-generator"
	}
	if *randomEdits > 0 {
		rounds = *randomEdits
	}
	e := &editor{T: t, workspace: randomProject(t), Rand: rand.New(rand.NewPCG(*randomSeed, *randomSeed))}
	repository, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	tools := "--tools=" + filepath.Join(repository, ".tools")
	without := randomProject(t)
	if r := e.run(t, nil, "generate", "-q", tools); r.code != "0" {
		t.Fatalf("exit code %s: %s", r.code, r.stderr)
	}
	good := contents(t, e.root)
	for range rounds {
		edit := edits[e.IntN(len(edits))]
		what := edit(e)
		edited := contents(t, e.root)
		without.become(t, edited)
		got := e.run(t, nil, "generate", "-q", "--adopt", tools)
		want := without.run(t, nil, "generate", "-q", "--adopt", "--force", "--engine", engine, tools)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Fatalf("%s (-without, +with the lock):\n%s", what, diff)
		}
		now := contents(t, e.root)
		if diff := cmp.Diff(contents(t, without.root), now); diff != "" {
			t.Fatalf("%s: exit code %s; the trees differ (-without, +with the lock):\n%s", what, got.code, diff)
		}
		t.Logf("%s: exit code %s", what, got.code)
		if got.code == "0" {
			good = now
			continue
		}
		if diff := cmp.Diff(edited, now); diff != "" {
			t.Fatalf("%s: it failed, and the tree changed:\n%s", what, diff)
		}
		e.become(t, good)
	}
}

// randomProject is the project of TestScript, with every stage. Java is the machine's, if it has one.
func randomProject(t *testing.T) *workspace {
	t.Helper()
	p := newProject(t)
	p.env = append(p.env, "PATH="+os.Getenv("PATH"), "JAVA_HOME="+os.Getenv("JAVA_HOME"))
	p.write(t, "overlay/NOTES", []byte("kept\n"))
	p.write(t, "sdkgen.yaml", []byte(`version: 1.2.3
apis:
  - path: api/v1
crd:
  dir: config/crd
python:
  dir: sdk/python/{version}
  package: widget
  overlay:
    dir: overlay
go:
  dir: sdk/go/widget
  package: widget
clients:
  dir: sdk/go
`))
	return p
}

// editor edits a project.
type editor struct {
	*testing.T
	*workspace
	*rand.Rand
	added int
}

// edits are what may be done to a project. Each says what it did.
var edits = []func(*editor) string{
	func(e *editor) string { return e.insert(comment, "\t// "+pick(e, texts)+"\n") },
	func(e *editor) string { return e.insert(comment, "\t// "+pick(e, texts)+"\n") },
	func(e *editor) string { return e.insert(comment, "\t// "+pick(e, markers)+"\n") },
	func(e *editor) string { return e.remove(comment) },
	(*editor).add,
	(*editor).add,
	func(e *editor) string { return e.remove(field) },
	func(e *editor) string { return e.replace("sdkgen.yaml", "version: 1", "version: 1"+pick(e, digits)) },
	func(e *editor) string { return e.replace("overlay/NOTES", "kept", "kept "+pick(e, texts)) },
	func(e *editor) string { return e.replace("sdkgen.lock", "sha256:", "sha256:"+pick(e, digits)) },
	func(e *editor) string { return e.replace("sdkgen.lock", pick(e, digits), pick(e, digits)) },
	func(e *editor) string { return e.delete("sdkgen.lock") },
	func(e *editor) string { return e.delete(e.made()) },
	func(e *editor) string { return e.replace(e.made(), "e", "x") },
}

var (
	comment = regexp.MustCompile(`(?m)^\t// .*\n`)
	field   = regexp.MustCompile("(?m)^\t(// .*\n\t// .*\n\t)?Added.*\n")
	texts   = []string{"is more.", `has "quotes", \ and ` + "`", "</b> {{name}} {{{x}}}", "*/ # %s ünïcode 漢",
		"Deprecated: it is."}
	markers = []string{"+optional", "+nullable", "+default=4", "+kubebuilder:default=4",
		"+kubebuilder:validation:Minimum=1", "+listType=atomic", "+k8s:unknown"}
	types = []string{"string", "*int32", "map[string]string", "bool", "metav1.Duration", "*Part", "*string", "[]byte",
		"metav1.Time"}
	digits = strings.Split("0123456789abcdef", "")
)

func pick(e *editor, from []string) string { return from[e.IntN(len(from))] }

// source is the file that edits of the API are made in.
const source = "api/v1/types.go"

// insert puts a text before a match in the API.
func (e *editor) insert(before *regexp.Regexp, text string) string {
	data := testkit.Read(e.T, e.path(source))
	at := before.FindAllIndex(data, -1)
	if len(at) == 0 {
		return "nothing"
	}
	i := at[e.IntN(len(at))][0]
	e.write(e.T, source, slices.Concat(data[:i], []byte(text), data[i:]))
	return fmt.Sprintf("%s:%d: %q", source, 1+strings.Count(string(data[:i]), "\n"), text)
}

// add puts a field before a match in the API.
func (e *editor) add() string {
	e.added++
	return e.insert(comment,
		fmt.Sprintf("\t// added%d is new.\n\t// +optional\n\tAdded%[1]d %s `json:\"added%[1]d,omitempty\"`\n", e.added,
			pick(e, types)))
}

// remove takes a match out of the API.
func (e *editor) remove(what *regexp.Regexp) string {
	data := testkit.Read(e.T, e.path(source))
	at := what.FindAllIndex(data, -1)
	if len(at) == 0 {
		return "nothing"
	}
	i := at[e.IntN(len(at))]
	e.write(e.T, source, slices.Concat(data[:i[0]], data[i[1]:]))
	return fmt.Sprintf("%s: without %q", source, data[i[0]:i[1]])
}

// replace replaces one of the places of a file that have a text.
func (e *editor) replace(file, old, text string) string {
	parts := strings.Split(string(testkit.Read(e.T, e.path(file))), old)
	if len(parts) < 2 {
		return "nothing"
	}
	i := e.IntN(len(parts) - 1)
	e.write(e.T, file, []byte(strings.Join(parts[:i+1], old)+text+strings.Join(parts[i+1:], old)))
	return fmt.Sprintf("%s: %q for %q", file, text, old)
}

func (e *editor) delete(file string) string {
	if err := os.Remove(e.path(file)); err != nil {
		e.Fatal(err)
	}
	return file + " is deleted"
}

// made is a file that sdkgen has made.
func (e *editor) made() string {
	names := slices.Sorted(maps.Keys(contents(e.T, e.root)))
	names = slices.DeleteFunc(names, func(name string) bool {
		return !strings.HasPrefix(name, "sdk/") && !strings.HasPrefix(name, "config/") &&
			!strings.Contains(name, "zz_generated")
	})
	return pick(e, names)
}

// become gives the project other files.
func (p *workspace) become(t *testing.T, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(p.root); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		testkit.Write(t, p.root, name, []byte(data))
	}
}

// contents are the files below a directory; none if there is no such directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}
