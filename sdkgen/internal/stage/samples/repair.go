package samples

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// maxTries is how many objects are validated in search of a sample.
const maxTries = 1500

// candidate is an object on the way to a sample.
type candidate struct {
	object map[string]any
	errs   field.ErrorList
	score  int
	spread bool // its neighbours were tried
}

// repair changes an object until the API server accepts it, beginning with the change that leaves the fewest errors.
func (k *kind) repair(object map[string]any) (map[string]any, error) {
	start := k.judge(object)
	if start.score == 0 {
		return object, nil
	}
	all := []*candidate{start}
	for tries := 0; tries < maxTries; {
		best := -1
		for i, c := range all {
			if !c.spread && (best < 0 || c.score < all[best].score) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		all[best].spread = true
		for _, near := range k.neighbours(all[best]) {
			generated := k.judge(near)
			if generated.score == 0 {
				return generated.object, nil
			}
			if tries++; tries >= maxTries {
				break
			}
			all = append(all, generated)
		}
	}
	return nil, &Unsolved{start.errs}
}

// judge validates an object. An error that keeps the API server from evaluating CEL rules weighs as much as many of
// theirs.
func (k *kind) judge(object map[string]any) *candidate {
	c := &candidate{object: object, errs: k.validate(object)}
	for _, err := range c.errs {
		if server.BlocksRules(err) {
			c.score += 100
		}
		c.score++
	}
	return c
}

// neighbours returns copies of an object that each differ in one value, at or near a value that has an error.
func (k *kind) neighbours(c *candidate) []map[string]any {
	n := &neighbourhood{object: c.object, seen: map[string]bool{}}
	for _, err := range c.errs {
		n.near(k.schema, err.Field)
	}
	return n.made
}

type neighbourhood struct {
	object map[string]any
	seen   map[string]bool // paths that were varied already
	made   []map[string]any
}

// near varies what is on the way to a path, the last value first.
func (n *neighbourhood) near(s *schema, path string) {
	type spot struct {
		schema *schema
		steps  []any
		key    string
	}
	spots := []spot{{s, nil, ""}}
	var at any = n.object
	for rest := path; rest != ""; {
		step, key, after := cut(at, rest)
		if step == nil {
			break
		}
		last := spots[len(spots)-1]
		if s = below(last.schema, step); s == nil {
			break
		}
		at, rest = index(at, step), after
		spots = append(spots, spot{s, append(slices.Clone(last.steps), step), key})
	}
	for _, spot := range slices.Backward(spots) {
		n.vary(spot.schema, spot.steps, spot.key)
	}
}

// below returns the schema of a field, an element or a value of a map.
func below(s *schema, step any) *schema {
	if name, ok := step.(string); ok {
		if property, ok := s.Properties[name]; ok {
			return &property
		}
		return sampler.Values(s)
	}
	return sampler.Items(s)
}

// index returns the value one step below another, nil if there is none.
func index(at, step any) any {
	switch at := at.(type) {
	case map[string]any:
		if name, ok := step.(string); ok {
			return at[name]
		}
	case []any:
		if i, ok := step.(int); ok {
			return at[i]
		}
	}
	return nil
}

// vary makes copies with another value at a path, or, of an object, with one property more, less or of another value.
func (n *neighbourhood) vary(s *schema, steps []any, key string) {
	if id := spelled(steps); n.seen[id] {
		return
	} else {
		n.seen[id] = true
	}
	at := any(n.object)
	for _, step := range steps {
		at = index(at, step)
	}
	object, ok := at.(map[string]any)
	if !ok {
		n.alternatives(s, steps, key, at)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		if len(steps) == 0 && slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, name) {
			continue
		}
		way := append(slices.Clone(steps), name)
		held, set := object[name]
		if set {
			n.alternatives(&property, way, name, held)
			if len(steps) > 0 && !slices.Contains(s.Required, name) {
				n.put(way, sampler.Absent{})
			}
			continue
		}
		n.put(way, value(&property, name))
		for _, other := range others(&property, name, value(&property, name)) {
			n.put(way, other)
		}
	}
}

// alternatives makes copies with other values of a scalar, or with an empty list.
func (n *neighbourhood) alternatives(s *schema, steps []any, key string, held any) {
	for _, other := range others(s, key, held) {
		n.put(steps, other)
	}
}

// others returns values of a schema that differ from one.
func others(s *schema, key string, held any) []any {
	var found []any
	resolved := resolve(s)
	switch {
	case len(resolved.Enum) > 0:
		for i := range resolved.Enum {
			found = append(found, sampler.Decode(resolved.Enum[i]))
		}
	case resolved.Type == "boolean":
		found = []any{true, false}
	case resolved.Type == "string":
		found = words(resolved, key)
	case resolved.Type == "array":
		if list, ok := held.([]any); ok && len(list) > 0 {
			return []any{[]any{}}
		}
	case resolved.Type == "integer":
		for _, number := range []int64{0, 1, 2, 10} {
			found = append(found, number)
		}
	}
	return slices.DeleteFunc(found, func(other any) bool { return reflect.DeepEqual(other, held) })
}

// put makes a copy with a value at a path.
func (n *neighbourhood) put(steps []any, value any) {
	copied := runtime.DeepCopyJSON(n.object)
	at := any(copied)
	for _, step := range steps[:len(steps)-1] {
		at = index(at, step)
	}
	switch at := at.(type) {
	case map[string]any:
		name, _ := steps[len(steps)-1].(string)
		if value == any(sampler.Absent{}) {
			delete(at, name)
		} else {
			at[name] = value
		}
	case []any:
		if i, ok := steps[len(steps)-1].(int); ok {
			at[i] = value
		}
	}
	n.made = append(n.made, copied)
}

// spelled is a path of steps as a key.
func spelled(steps []any) string {
	var b strings.Builder
	for _, step := range steps {
		if name, ok := step.(string); ok {
			b.WriteString("." + name)
		} else {
			b.WriteString("[]")
		}
	}
	return b.String()
}
