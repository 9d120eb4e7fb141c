package swagger_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
)

// kindRows writes a row for each root kind.
func kindRows(t *testing.T, p *project, pkg *load.Package, doc *spec.Swagger) [][]string {
	t.Helper()
	var rows [][]string
	declared := newDeclared(pkg)
	for _, kind := range pkg.Kinds {
		if kind.List {
			continue
		}
		crd := p.crd(t, pkg, kind.Name)
		cell := append(codes(declared[kind.Name].markers), code("type "+kind.Name+" struct"))
		var paths []string
		for _, path := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
			rest, _ := strings.CutPrefix(path, "/apis/"+pkg.Group+"/"+pkg.Version)
			if slices.Contains(strings.Split(rest, "/"), crd.Spec.Names.Plural) {
				paths = append(paths, code(rest))
			}
		}
		rows = append(rows, []string{strings.Join(cell, " "), code(text(t, unusual(t, crd))), strings.Join(paths, " ")})
	}
	return rows
}

// unusual is what a CRD has beside its names, its schema and what every other one has.
func unusual(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) any {
	t.Helper()
	out := decodeAny(t, crd.Spec).(map[string]any)
	delete(out, "group")
	names := out["names"].(map[string]any)
	delete(names, "kind")
	delete(names, "listKind")
	for _, version := range out["versions"].([]any) {
		delete(version.(map[string]any), "name")
		delete(version.(map[string]any), "schema")
	}
	for _, part := range []struct {
		name  string
		value map[string]string
	}{{"annotations", maps.Clone(crd.Annotations)}, {"labels", crd.Labels}} {
		delete(part.value, "controller-gen.kubebuilder.io/version")
		if len(part.value) > 0 {
			out[part.name] = part.value
		}
	}
	return out
}
