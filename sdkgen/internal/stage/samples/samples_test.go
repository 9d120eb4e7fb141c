package samples_test

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/samples"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestFiles runs testdata/*.txtar: "made" are the files and "diagnostics" what is said, for the CRDs "crds.yaml" and
// the authors' files in config/samples. The samples are validated once more. "adopt: true" is a run with --adopt.
func TestFiles(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		definitions := read(t, c.Part("crds.yaml"))
		in := samples.Input{Dir: "config/samples", Authors: &artifact.Set{}, Adopt: c.Field("adopt") == "true"}
		for _, definition := range definitions {
			for _, version := range definition.Spec.Versions {
				in.Resources = append(in.Resources, samples.Resource{Definition: definition, Version: version.Name,
					Locate: func(path []string) token.Position {
						return token.Position{Filename: strings.Join(append([]string{"api", version.Name, definition.Spec.Names.Kind},
							path...), "/")}
					}})
			}
		}
		for _, file := range c.Files {
			if strings.HasPrefix(file.Name, in.Dir+"/") {
				if err := in.Authors.Put(artifact.File{Path: file.Name, Data: file.Data, Origin: samples.Stage}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 3 {
			var generated, text strings.Builder
			set, list, err := samples.Files(in)
			if err != nil {
				if _, ok := errors.AsType[diag.List](err); !ok {
					t.Fatal(err)
				}
				set = nil
			}
			for _, d := range list.Sorted() {
				fmt.Fprintln(&text, d)
			}
			for file := range set.All() {
				body := file.Data
				for range 2 { // the comment, which is in every file
					_, body, _ = bytes.Cut(body, []byte("\n"))
				}
				fmt.Fprintf(&generated, "# %s\n%s", file.Path, body)
				accepted(t, definitions, file)
			}
			c.Want(t, "made", generated.String())
			c.Want(t, "diagnostics", text.String())
		}
	})
}

// read returns the CRDs of a YAML stream, which the API server must take.
func read(t *testing.T, stream string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, document := range strings.Split(stream, "---\n") {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict([]byte(document), definition); err != nil {
			t.Fatal(err)
		}
		errs, err := server.Install(definition)
		if err != nil || len(errs) > 0 {
			t.Fatalf("the API server refuses the CRD: %v %v", errs, err)
		}
		all = append(all, definition)
	}
	return all
}

// accepted fails for a file that the API server refuses.
func accepted(t *testing.T, definitions []*apiextensionsv1.CustomResourceDefinition, file artifact.File) {
	t.Helper()
	manifest := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON(file.Data)
	if err != nil {
		t.Fatal(err)
	}
	if err := manifest.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	object := manifest.Object
	for _, definition := range definitions {
		group, version, _ := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
		if definition.Spec.Group != group || definition.Spec.Names.Kind != object["kind"] {
			continue
		}
		server, err := server.New(definition, version)
		if err != nil {
			t.Fatal(err)
		}
		if _, pruned, errs := server.Create(object); len(pruned)+len(errs) > 0 {
			t.Errorf("%s: unknown fields %q, errors %v", file.Path, pruned, errs)
		}
		return
	}
	t.Errorf("%s is of no CRD", file.Path)
}
