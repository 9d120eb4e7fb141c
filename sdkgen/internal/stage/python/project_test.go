package python_test

import (
	"encoding/json"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestProject runs testdata/project/*.txtar: of the document "swagger.json", "project.json" is what
// the templates of files beside the package get to see, with the examples as "CLASS.py".
func TestProject(t *testing.T) {
	testkit.Each(t, "project/*.txtar", func(t *testing.T, c *testkit.Case) {
		api, err := annotate(testkit.Model(t, []byte(c.Part("swagger.json"))))
		if err != nil {
			t.Fatal(err)
		}
		project := api.Value.(*python.Project)
		for i, kind := range project.Kinds {
			example := kind.Example
			if example != "" {
				example += "\n"
			}
			c.Want(t, kind.Class+".py", example)
			project.Kinds[i].Example = ""
		}
		data, err := json.MarshalIndent(project, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		c.Want(t, "project.json", string(data)+"\n")
	})
}

// TestCheckPackage tells names that Python imports from those that it does not.
func TestCheckPackage(t *testing.T) {
	for _, name := range []string{"example", "flux_operator", "_x", "v1", "testing"} {
		if err := python.CheckPackage(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "a-b", "a.b", "1a", "class", "a b", "naïve", "a\n", `a"`, "test", "docs"} {
		if python.CheckPackage(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
