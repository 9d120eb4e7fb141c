package swagger_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// kindRows writes a row for each root kind with markers: what its CRD and its paths have beside those
// of the kind Plain.
func (th *theme) kindRows() [][]string {
	th.t.Helper()
	plain := unusual(th.t, th.project.crd(th.t, th.pkg, "Plain"))
	plainPaths := th.paths("plains")
	var rows [][]string
	for _, kind := range th.pkg.Kinds {
		list := th.declared[kind.Name].markers
		if kind.List || len(list) == 0 {
			continue
		}
		crd := th.project.crd(th.t, th.pkg, kind.Name)
		paths := slices.DeleteFunc(th.paths(crd.Spec.Names.Plural),
			func(path string) bool { return slices.Contains(plainPaths, path) })
		cells := []string{"", difference(unusual(th.t, crd), plain), "–"}
		if len(paths) > 0 {
			cells[2] = strings.Join(codes(paths), " ")
		} else if crd.Spec.Scope == apiextensionsv1.ClusterScoped {
			cells[2] = "no " + code("/namespaces/{namespace}") + " before the resource"
		}
		cells[0] = strings.Join(codes(list), "<br>")
		rows = append(rows, cells)
	}
	return rows
}

// paths are those of a resource, from its name on.
func (th *theme) paths(plural string) []string {
	var out []string
	for _, path := range slices.Sorted(maps.Keys(th.doc.Paths.Paths)) {
		if _, rest, ok := strings.Cut(path+"/", "/"+plural+"/"); ok {
			out = append(out, "/"+strings.TrimSuffix(rest, "/"))
		}
	}
	return slices.Compact(out)
}

// unusual is what a CRD has beside its names, its schema and what every other one has.
func unusual(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) map[string]any {
	t.Helper()
	out := decodeAny(t, crd.Spec).(map[string]any)
	delete(out, "group")
	names := out["names"].(map[string]any)
	delete(names, "kind")
	delete(names, "listKind")
	if plural, _ := names["plural"].(string); plural == names["singular"].(string)+"s" {
		delete(names, "plural")
		delete(names, "singular")
	}
	version := out["versions"].([]any)[0].(map[string]any)
	delete(out, "versions")
	for keyword, value := range version {
		if keyword != "name" && keyword != "schema" {
			out[keyword] = value
		}
	}
	for name, values := range map[string]map[string]string{"annotations": maps.Clone(crd.Annotations),
		"labels": crd.Labels} {
		delete(values, "controller-gen.kubebuilder.io/version")
		if len(values) > 0 {
			out[name] = decodeAny(t, values)
		}
	}
	return out
}
