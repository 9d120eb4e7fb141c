package swagger_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/common"

	"github.com/flux-framework/flux-operator/sdkgen/internal/cli"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/swagger"
	v1 "github.com/flux-framework/flux-operator/sdkgen/swagger/testdata/queue/v1"
)

const (
	dir = "testdata/queue/v1"
	pkg = "github.com/flux-framework/flux-operator/sdkgen/swagger/testdata/queue/v1"
)

// TestSameBytes: compiled definitions give what `sdkgen swagger` makes of the source. Where it fails after a
// change of the types, `go generate` in their directory is missing.
func TestSameBytes(t *testing.T) {
	var want, stderr, got bytes.Buffer
	if code := cli.Main([]string{"swagger", "-C", "..", "--config", "swagger/testdata/queue/sdkgen.yaml", "-o", "-"},
		&want, &stderr); code != 0 {
		t.Fatalf("sdkgen swagger ends with %d:\n%s", code, &stderr)
	}
	doc, err := swagger.Build(t.Context(), swagger.Package{Dir: dir}, v1.GetOpenAPIDefinitions)
	if err != nil {
		t.Fatal(err)
	}
	if err := swagger.Write(&got, doc); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("Build gives\n%s\nsdkgen swagger prints\n%s", &got, &want)
	}
}

// TestOptions: title and names are the caller's.
func TestOptions(t *testing.T) {
	doc, err := swagger.Build(t.Context(), swagger.Package{
		Dir: dir, Title: "jobs", Names: map[string]string{pkg + ".QueueSpec": "Wanted"},
	}, v1.GetOpenAPIDefinitions)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := doc.Definitions["Wanted"]; !ok || doc.Info.Title != "jobs" {
		t.Errorf("the title is %q, and Wanted is defined: %t", doc.Info.Title, ok)
	}
}

// TestUnknownName: a name for a type that the API does not have is an error, not ignored.
func TestUnknownName(t *testing.T) {
	_, err := swagger.Build(t.Context(), swagger.Package{
		Dir: dir, Names: map[string]string{pkg + ".QueueSpek": "Wanted"},
	}, v1.GetOpenAPIDefinitions)
	if err == nil || !strings.Contains(err.Error(), pkg+".QueueSpek, but the API has no such type") {
		t.Errorf("Build returns %v", err)
	}
}

// TestErrors runs testdata/errors/*.txtar, each a package v1 of a module, whose definitions are those of
// testdata/queue. "error" is the error, where $DIR is the directory that Build was given.
func TestErrors(t *testing.T) {
	testkit.Each(t, "errors/*.txtar", func(t *testing.T, c *testkit.Case) {
		root := t.TempDir()
		if err := testkit.WriteModule(root, "example.org/op"); err != nil {
			t.Fatal(err)
		}
		for _, f := range c.Files {
			if f.Name != "error" {
				testkit.Write(t, root, f.Name, f.Data)
			}
		}
		for _, name := range strings.Fields(c.Field("without")) {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		api := filepath.Join(root, "v1")
		_, err := swagger.Build(t.Context(), swagger.Package{Dir: api}, v1.GetOpenAPIDefinitions)
		if err == nil {
			t.Fatal("no error")
		}
		c.Want(t, "error", strings.ReplaceAll(err.Error(), api, "$DIR")+"\n")
	})
}

// TestRelative: an error names files as the working directory does. The definitions that it is about are out of
// date: they lack a type, or a field.
func TestRelative(t *testing.T) {
	for what, remove := range map[string]func(definitions map[string]common.OpenAPIDefinition){
		"all types": func(definitions map[string]common.OpenAPIDefinition) { clear(definitions) },
		"a type":    func(definitions map[string]common.OpenAPIDefinition) { delete(definitions, pkg+".QueueSpec") },
		"a field": func(definitions map[string]common.OpenAPIDefinition) {
			delete(definitions[pkg+".QueueSpec"].Schema.Properties, "parallelism")
		},
	} {
		_, err := swagger.Build(t.Context(), swagger.Package{Dir: "./" + dir},
			func(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
				definitions := v1.GetOpenAPIDefinitions(ref)
				remove(definitions)
				return definitions
			})
		if err == nil || !strings.HasPrefix(err.Error(), dir+"/types.go:") {
			t.Errorf("without %s: %v, want an error that starts with %s/types.go:", what, err, dir)
		}
	}
	_, err := swagger.Build(t.Context(), swagger.Package{Dir: "none"}, v1.GetOpenAPIDefinitions)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v, want %v", err, fs.ErrNotExist)
	}
}

// TestWrite: an error of the writer is the caller's.
func TestWrite(t *testing.T) {
	doc, err := swagger.Build(t.Context(), swagger.Package{Dir: dir}, v1.GetOpenAPIDefinitions)
	if err != nil {
		t.Fatal(err)
	}
	if err := swagger.Write(broken{}, doc); !errors.Is(err, errBroken) {
		t.Errorf("Write returns %v, want %v", err, errBroken)
	}
}

var errBroken = errors.New("broken pipe")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }
