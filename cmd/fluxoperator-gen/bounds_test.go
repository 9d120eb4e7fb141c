package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// FuzzBounds: a MiniCluster at the limits of the schema is accepted, and either its objects are small
// enough or the error names a field. If one value is just above its limit, the schema rejects it.
func FuzzBounds(f *testing.F) {
	limits, err := testkit.Limits()
	if err != nil {
		f.Fatal(err)
	}
	s, err := miniClusters()
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(40) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, above bool) {
		random := rand.New(rand.NewPCG(seed, 0))
		mc, _ := testkit.Large(random, limits)
		if !above {
			_, errs := s.admit(untyped(t, mc))
			checkObjects(t, mc, errs)
			return
		}
		object := untyped(t, mc)
		var all places
		all.walk(limits, "", "spec", object["spec"], func(value any) { object["spec"] = value })
		place := all[random.IntN(len(all))]
		place.grow()
		exceeded := typed(t, object)
		if _, errs := s.admit(object); !reported(errs, place.field) {
			t.Errorf("%s: the schema reports %.300v", place.name, errs)
		}
		if _, errs := minicluster.NewDesired(exceeded); !place.inMap && !reported(errs, place.field) {
			t.Errorf("%s: NewDesired reports %.300v", place.name, errs)
		}
	})
}

func checkObjects(t *testing.T, mc *api.MiniCluster, errs field.ErrorList) {
	t.Helper()
	desired, more := minicluster.NewDesired(mc)
	if errs = append(errs, more...); len(errs) > 0 {
		t.Fatalf("%.300v", errs)
	}
	set, err := desired.Objects()
	if tooLarge, ok := errors.AsType[*field.Error](err); ok {
		if !strings.HasPrefix(tooLarge.Field, "spec.") {
			t.Errorf("the error names no field: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range set.All() {
		if sized, ok := o.(interface{ Size() int }); !ok || sized.Size() > minicluster.MaxObjectSize {
			t.Errorf("%T %s is too large", o, o.GetName())
		}
	}
}

// reported reports whether an error is about a path. The schema's errors have keys of maps without brackets.
func reported(errs field.ErrorList, path string) bool {
	plain := strings.NewReplacer("[", ".", "]", "")
	return slices.ContainsFunc(errs,
		func(err *field.Error) bool { return plain.Replace(err.Field) == plain.Replace(path) })
}

func untyped(t *testing.T, mc *api.MiniCluster) map[string]any {
	t.Helper()
	data, err := json.Marshal(mc)
	var object map[string]any
	if err == nil {
		err = utiljson.Unmarshal(data, &object)
	}
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func typed(t *testing.T, object map[string]any) *api.MiniCluster {
	t.Helper()
	data, err := json.Marshal(object)
	mc := &api.MiniCluster{}
	if err == nil {
		err = json.Unmarshal(data, mc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return mc
}

// place is a value that has a limit.
type place struct {
	name  string
	field string // that an error is about
	inMap bool   // it is a key or a string in a map, which only CEL rules limit
	grow  func() // above the limit
}

type places []place

// walk collects the places in a value. path is that of the limits, and at is that of an error.
func (p *places) walk(limits map[string]testkit.Limit, path, at string, value any, set func(any)) {
	limit, limited := limits[path]
	switch value := value.(type) {
	case string:
		if limited {
			*p = append(*p, place{path, at, false, func() { set(strings.Repeat("x", limit.Characters+1)) }})
		}
	case []any:
		*p = append(*p, place{path, at, false, func() { set(slices.Repeat(value[:1], limit.Entries+1)) }})
		for i, item := range value {
			p.walk(limits, path+"[]", fmt.Sprintf("%s[%d]", at, i), item, func(v any) { value[i] = v })
		}
	case map[string]any:
		if limited {
			p.walkMap(limit, path, at, value)
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			inner, below := strings.TrimPrefix(path+"."+key, "."), at+"."+key
			if limited {
				inner, below = path+"{}", at+"["+key+"]"
			}
			p.walk(limits, inner, below, value[key], func(v any) { value[key] = v })
		}
	}
}

// walkMap adds the map itself, one of its keys and, if they are strings, one of its values.
func (p *places) walkMap(limit testkit.Limit, path, at string, value map[string]any) {
	first := slices.Min(slices.Collect(maps.Keys(value)))
	*p = append(*p, place{path, at, false, func() {
		for i := range limit.Entries + 1 {
			value[fmt.Sprintf("x%d", i)] = value[first]
		}
	}}, place{path +
		" key", at, true, func() { value[strings.Repeat("x", limit.Keys+1)] = value[first]; delete(value, first) }})
	if limit.Strings {
		*p = append(*p, place{path + " value", at, true, func() { value[first] = strings.Repeat("x", limit.Characters+1) }})
	}
}
