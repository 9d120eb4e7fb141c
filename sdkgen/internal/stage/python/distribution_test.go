package python

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// TestExports: a distribution's package has what is of the storage version, and no name that two packages have, but
// those of root kinds that are stored.
func TestExports(t *testing.T) {
	one := part("one", "v1", "", &model.Operation{}, "Field", "FieldSpec", "Shared")
	beta := part("one", "v1beta1", "v1", &model.Operation{}, "Field", "FieldSpec", "Old")
	other := part("two", "v1", "", &model.Operation{}, "Trawler", "Shared", "Client")
	aggregated := part("three", "v1", "", nil, "Field", "Seen")
	for name, c := range map[string]struct {
		parts []Part
		want  string
	}{
		"versions":   {[]Part{one, beta}, "Field=one.v1 FieldSpec=one.v1 Shared=one.v1"},
		"groups":     {[]Part{one, other}, "Field=one.v1 FieldSpec=one.v1 Trawler=two.v1"},
		"aggregated": {[]Part{one, aggregated}, "Field=one.v1 FieldSpec=one.v1 Shared=one.v1"},
		"unstored":   {[]Part{aggregated}, "Field=three.v1 Seen=three.v1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, parts := range [][]Part{c.parts, reversed(c.parts)} {
				var got []string
				for _, export := range exports(parts) {
					got = append(got, export.Class+"="+export.Module)
				}
				if got := strings.Join(got, " "); got != c.want {
					t.Errorf("exports are %s, want %s", got, c.want)
				}
			}
		})
	}
}

// part is an API with a root kind that refers to the other definitions.
func part(group, version, storage string, op *model.Operation, kind string, others ...string) Part {
	root := &model.Root{GroupVersionKind: schema.GroupVersionKind{Group: group, Version: version, Kind: kind}, Plural: "x",
		StorageVersion: storage}
	definition := &model.Definition{Name: kind, Root: root}
	api := &model.API{Group: group, Version: version, Definitions: []*model.Definition{definition}}
	for _, name := range others {
		other := &model.Definition{Name: name}
		api.Definitions = append(api.Definitions, other)
		definition.Fields = append(definition.Fields,
			&model.Field{Key: name, Type: model.Type{Shape: model.Reference, Definition: other}})
	}
	if op != nil {
		api.Operations = append(api.Operations, op)
	}
	return Part{api, []string{group, version}}
}

func reversed(parts []Part) []Part {
	out := slices.Clone(parts)
	slices.Reverse(out)
	return out
}
