package link_test

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang/link"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// TestLink runs testdata/*.txtar: "in/FILE" are files of a package, "out/FILE" what becomes of those that are changed.
func TestLink(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		in := &artifact.Set{}
		for _, part := range c.Files {
			if name, ok := strings.CutPrefix(part.Name, "in/"); ok {
				put(t, in, name, part.Data)
			}
		}
		out, err := link.Link(in, "example.org/sdk/internal/light")
		text := ""
		if err != nil {
			text = err.Error() + "\n"
		}
		c.Want(t, "error", text)
		for file := range out.All() {
			before, _ := in.Lookup(file.Path)
			if file.Origin != "go" {
				t.Errorf("%s is of the stage %q", file.Path, file.Origin)
			}
			if file.Path != "client.go" && !bytes.Equal(before.Data, file.Data) {
				c.Want(t, "out/"+file.Path, string(file.Data))
			}
		}
		for range 20 {
			again, err := link.Link(in, "example.org/sdk/internal/light")
			if (err == nil) != (text == "") {
				t.Fatal(err)
			}
			for file := range out.All() {
				if same, _ := again.Lookup(file.Path); !bytes.Equal(same.Data, file.Data) {
					t.Fatalf("a second run gave another %s", file.Path)
				}
			}
		}
	})
}

func put(t *testing.T, set *artifact.Set, name string, data []byte) {
	t.Helper()
	if err := set.Put(artifact.File{Path: name, Data: data, Origin: "go"}); err != nil {
		t.Fatal(err)
	}
}

// TestRuntime: the shared runtime has the files of the other, each of the same number of lines and formatted, and says
// in no comment what has another name now.
func TestRuntime(t *testing.T) {
	shared, err := link.Runtime()
	if err != nil {
		t.Fatal(err)
	}
	single, err := runtime.Go("light")
	if err != nil {
		t.Fatal(err)
	}
	if len(shared) != len(single) {
		t.Fatalf("%d files, not %d", len(shared), len(single))
	}
	var all bytes.Buffer
	for i, file := range shared {
		if want := path.Join(link.Directory, single[i].Path); file.Path != want {
			t.Errorf("%s in place of %s", file.Path, want)
		}
		if formatted, err := format.Source(file.Data); err != nil || !bytes.Equal(formatted, file.Data) {
			t.Errorf("%s is not formatted: %v", file.Path, err)
		}
		if bytes.Count(file.Data, []byte("\n")) != bytes.Count(single[i].Data, []byte("\n")) {
			t.Errorf("%s has other lines", file.Path)
		}
		all.Write(file.Data)
	}
	for _, name := range []string{"jsonDecoder", "restCall", "// next skips", "errNoName"} {
		if bytes.Contains(all.Bytes(), []byte(name)) {
			t.Errorf("%q is still said", name)
		}
	}
	for _, name := range []string{"// JSONDecoder reads", "// Next skips", "func NewJSONEncoder() *JSONEncoder",
		"\thttp     *http.Client"} {
		if !bytes.Contains(all.Bytes(), []byte(name)) {
			t.Errorf("%q is not said", name)
		}
	}
}

// versions are the API versions of TestPrograms: the directory of each, and what its document has in place of the
// words of gosdk's case operations.
var versions = map[string]*strings.Replacer{
	"batch/v1": strings.NewReplacer(),
	"batch/v1beta1": strings.NewReplacer("example.com/v1/", "example.com/v1beta1/", `"version": "v1"`,
		`"version": "v1beta1"`),
	"crew/v1": strings.NewReplacer("example.com", "crew.example.com"),
}

// TestPrograms links two versions and two groups, as both engines make them. All must compile and vet, and
// testdata/main.go must ask of a server what each version's client would by itself.
func TestPrograms(t *testing.T) {
	dir := testkit.Project(t, &txtar.Archive{
		Comment: []byte("module: golden\n"), // which testdata/main.go imports
		Files:   []txtar.File{{Name: "main.go", Data: testkit.Read(t, "testdata/main.go")}},
	})
	operations, err := txtar.ParseFile("../testdata/operations.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for directory, replacer := range versions {
		job := jobOf(t, path.Base(directory), replacer.Replace(string(operations.Files[0].Data)))
		linked, err := link.Link(testkit.Render(t, []render.Job{job})[0], "golden/sdk/"+link.Directory)
		if err != nil {
			t.Fatal(err)
		}
		for file := range linked.All() {
			testkit.Write(t, dir, path.Join("sdk", directory, file.Path), file.Data)
		}
	}
	common, err := link.Runtime()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range common {
		testkit.Write(t, dir, path.Join("sdk", file.Path), file.Data)
	}
	run(t, dir, "vet", "./...")
	if d := cmp.Diff(string(testkit.Read(t, "testdata/main.out")), run(t, dir, "run", ".")); d != "" {
		t.Error(d)
	}
}

// jobOf is the job of making the package of a document.
func jobOf(t *testing.T, name, text string) render.Job {
	t.Helper()
	printed, err := golang.Annotate(testkit.Model(t, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	options := golang.Options()
	options["packageName"] = name
	return render.Job{
		Stage: "go", Name: name, Generator: render.Go, Document: []byte(text), API: printed, Options: options,
		Templates: os.DirFS("../../../../templates/go"), Called: "templates",
	}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, stderr.Bytes())
	}
	return string(out)
}
