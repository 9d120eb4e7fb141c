package prove

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
)

// shrink removes from an object what it does not need to show the same.
func (p *prover) shrink(change *compare.Change, found *outcome) *outcome {
	for smaller := true; smaller; {
		smaller = false
		copies := without(found.object, p.before)
		for i := 0; i < len(copies); i++ {
			again := p.try(change, copies[i]())
			if again == nil || again.worst() < found.worst() {
				continue
			}
			found, smaller = again, true
			copies = without(found.object, p.before)
			i-- // the next one has its place
		}
	}
	return found
}

// without makes copies of an object that each lack one value, or a part of a long text or list, or have a smaller
// number. What the sampler.Schema requires they all have.
func without(object map[string]any, sc *sampler.Schema) []func() map[string]any {
	var copies []func() map[string]any
	add := func(path []any, value any) {
		copies = append(copies, func() map[string]any { return put(object, path, value) })
	}
	var walk func(value any, sc *sampler.Schema, path []any)
	walk = func(value any, sc *sampler.Schema, path []any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if len(path) == 0 && (key == "apiVersion" || key == "kind" || key == "metadata") {
					continue
				}
				below := memberOf(sc, key)
				if !slices.Contains(sc.Required, key) || below.Default != nil {
					add(append(slices.Clone(path), key), sampler.Absent{})
				}
				walk(value[key], below, append(slices.Clone(path), key))
			}
		case []any:
			for _, n := range cuts(len(value)) {
				add(path, slices.Clone(value[:n]))
			}
			for i := range value[:min(len(value), long)] {
				add(append(slices.Clone(path), i), sampler.Absent{})
				walk(value[i], known(sampler.Items(sc)), append(slices.Clone(path), i))
			}
		case int64:
			if value > 0 {
				add(path, value/2)
				add(path, value-1)
			}
		case string:
			for _, n := range cuts(len(value)) {
				add(path, value[:n])
			}
		}
	}
	walk(object, sc, nil)
	return copies
}

// memberOf returns the sampler.Schema of a property, or of the values of a map.
func memberOf(sc *sampler.Schema, key string) *sampler.Schema {
	if property, ok := sc.Properties[key]; ok {
		return &property
	}
	return known(sampler.Values(sc))
}

// known returns a sampler.Schema, one of any value for nil.
func known(sc *sampler.Schema) *sampler.Schema {
	if sc == nil {
		return &sampler.Schema{}
	}
	return sc
}

// long is the length from which a text or list is cut as a whole.
const long = 16

// cuts returns shorter lengths to try.
func cuts(n int) []int {
	if n <= long {
		return nil
	}
	return []int{n / 2, n * 3 / 4, n * 7 / 8, n * 15 / 16, n - 1}
}

// put returns a copy of an object with another value at a path of keys and indexes.
func put(object map[string]any, path []any, value any) map[string]any {
	var set func(in any, path []any) any
	set = func(in any, path []any) any {
		if len(path) == 0 {
			return value
		}
		switch step := path[0].(type) {
		case string:
			object := in.(map[string]any) //nolint:errcheck // a path leads to what is there
			if object[step] = set(object[step], path[1:]); object[step] == any(sampler.Absent{}) {
				delete(object, step)
			}
			return object
		case int:
			list := in.([]any) //nolint:errcheck // the same
			if list[step] = set(list[step], path[1:]); list[step] == any(sampler.Absent{}) {
				return slices.Delete(list, step, step+1)
			}
			return list
		}
		return in
	}
	return set(runtime.DeepCopyJSON(object), path).(map[string]any) //nolint:errcheck // the path is not empty
}
