package scaffold_test

import (
	"os"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/project/scaffold"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// versions are those of the modules that sdkgen is said to be built with.
var versions = map[string]string{"sigs.k8s.io/controller-tools": "v0.23.0", "k8s.io/code-generator": "v0.37.2"}

// TestPlan runs testdata/*.txtar: a project's files but for its go.mod, whose requirements are in
// "requires"; "notes" is what is to be changed, and "sdkgen.yaml" what is written. The scripts of
// internal/cli run the rest: what they write is also generated from.
func TestPlan(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		dir := t.TempDir()
		testkit.Write(t, dir, "go.mod", []byte("module example.org/dairy\n\ngo 1.26.0\n\n"+c.Part("requires")))
		for _, file := range c.Files {
			if file.Name != "notes" && file.Name != "sdkgen.yaml" && file.Name != "requires" {
				testkit.Write(t, dir, file.Name, file.Data)
			}
		}
		testkit.Write(t, dir, "api/v1/types.go", []byte(types))
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		res, err := scaffold.Plan(scaffold.Options{Root: root, Config: "sdkgen.yaml",
			Outputs: strings.Fields(c.Field("outputs")), SDKOnly: c.Field("sdk-only") != "", Modules: versions})
		if err != nil {
			t.Fatal(err)
		}
		notes := ""
		if len(res.Notes) > 0 {
			notes = res.Notes.Error() + "\n"
		}
		c.Want(t, "notes", notes)
		written := string(res.Files[len(res.Files)-1].Data)
		_, settings, _ := strings.Cut(written, "version: 0.1.0\n")
		c.Want(t, "sdkgen.yaml", settings)
	})
}

// types is an API of one kind, with a header.
const types = `// Copyright 2025 The farmers.

// +groupName=dairy.example.org
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Cow is a root kind.
type Cow struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}
`
