package minicluster_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
)

// without lists the fields of the contract that change no object, and why. A path that ends with a dot
// stands for all fields below it.
var without = map[string]string{
	"spec.cleanup":                           "the operator acts on it when the Job has finished",
	"spec.containers[].runFlux":              "one container must have it, and a single one has it implicitly",
	"spec.fluxRestful.branch":                "a pinned release runs, and only the default is valid",
	"spec.services[].batch":                  "no Flux runs in a service",
	"spec.services[].batchRaw":               "no Flux runs in a service",
	"spec.services[].commands.brokerPre":     "a service cannot have it",
	"spec.services[].commands.pre":           "a service cannot have it",
	"spec.services[].commands.prefix":        "no Flux runs in a service",
	"spec.services[].commands.runFluxAsRoot": "no Flux runs in a service",
	"spec.services[].commands.workerPre":     "a service cannot have it",
	"spec.services[].cores":                  "no Flux runs in a service",
	"spec.services[].diagnostics":            "no Flux runs in a service",
	"spec.services[].fluxUser.":              "no Flux runs in a service",
	"spec.services[].launcher":               "no Flux runs in a service",
	"spec.services[].logs":                   "no Flux runs in a service",
	"spec.services[].runFlux":                "a service cannot have it",
	"status.":                                "it is an output, except for maximumSize, which is in scaled.txtar",
}

// refused lists the fields that no valid MiniCluster sets.
var refused = []string{
	"spec.services[].commands.brokerPre", "spec.services[].commands.pre", "spec.services[].commands.workerPre",
}

// TestContract: each field of the contract is set in one of the inputs and unset in another, and changes
// an object.
func TestContract(t *testing.T) {
	fields := contract(t)
	set, unset := map[string]bool{}, map[string]bool{}
	effective := map[string]bool{}
	for _, c := range testkit.Cases(t, "*.txtar") {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(c.Part(input)), &doc); err != nil {
			t.Fatal(err)
		}
		here := leaves(fields, doc)
		for path := range fields {
			if _, ok := here[path]; ok {
				set[path] = true
			} else {
				unset[path] = true
			}
		}
		for path, places := range here {
			for _, place := range places {
				effective[path] = effective[path] || changes(t, doc, place)
			}
		}
	}
	excused := map[string]bool{}
	for path := range fields {
		reason := ""
		for key := range without {
			if path == key || strings.HasSuffix(key, ".") && strings.HasPrefix(path, key) {
				reason, excused[key] = key, true
			}
		}
		if strings.HasPrefix(path, "status.") {
			continue
		}
		if !set[path] && !slices.Contains(refused, path) {
			t.Errorf("no input sets %s", path)
		}
		if !unset[path] {
			t.Errorf("all inputs set %s", path)
		}
		if effective[path] && reason != "" {
			t.Errorf("%s changes an object: remove it from the list", path)
		}
		if !effective[path] && reason == "" {
			t.Errorf("%s changes no object, and is not in the list", path)
		}
	}
	for key := range without {
		if !excused[key] {
			t.Errorf("%s is not in the contract", key)
		}
	}
}

// contract returns the fields of the contract that hold a scalar or a map of scalars. Services have the
// fields of containers.
func contract(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile("../../config/crd/testdata/minicluster-v1alpha1.tsv")
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		path, rest, _ := strings.Cut(line, "\t")
		kind, _, _ := strings.Cut(rest, "\t")
		if strings.HasPrefix(line, "#") || kind == "object" || kind == "array" {
			continue
		}
		fields[path] = true
		if tail, ok := strings.CutPrefix(path, "spec.containers[]."); ok {
			fields["spec.services[]."+tail] = true
		}
	}
	if len(fields) < 140 {
		t.Fatalf("the contract has %d fields", len(fields))
	}
	return fields
}

// place is the path of a value in a document: keys and indexes.
type place []any

// leaves returns the places of the fields of the contract in a document.
func leaves(fields map[string]bool, doc map[string]any) map[string][]place {
	out := map[string][]place{}
	var walk func(path string, at place, value any)
	walk = func(path string, at place, value any) {
		if fields[path] {
			out[path] = append(out[path], slices.Clone(at))
			return
		}
		switch value := value.(type) {
		case []any:
			for i, item := range value {
				walk(path+"[]", append(at, i), item)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				inner := strings.TrimPrefix(path+"."+key, ".")
				if isMap(fields, path) {
					inner = path + "{}"
				}
				walk(inner, append(at, key), value[key])
			}
		}
	}
	walk("", nil, doc)
	return out
}

// isMap reports whether a path is a map, whose keys are the user's.
func isMap(fields map[string]bool, path string) bool {
	for field := range fields {
		if path != "" && strings.HasPrefix(field, path+"{}") {
			return true
		}
	}
	return false
}

// changes reports whether another value, or none, changes the objects.
func changes(t *testing.T, doc map[string]any, at place) bool {
	t.Helper()
	before, err := render(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range others(value(doc, at)) {
		changed := clone(t, doc)
		replace(changed, at, other)
		if after, err := render(changed); err == nil && after != before {
			return true
		}
	}
	return false
}

// others returns values to replace one with; nil means none.
func others(v any) []any {
	switch v := v.(type) {
	case bool:
		return []any{!v, nil}
	case float64:
		return []any{v + 1, v - 1, nil}
	case string:
		return []any{v + "1", nil}
	}
	return []any{nil}
}

func value(doc any, at place) any {
	for _, step := range at {
		switch step := step.(type) {
		case int:
			doc = doc.([]any)[step]
		case string:
			doc = doc.(map[string]any)[step]
		}
	}
	return doc
}

func replace(doc any, at place, v any) {
	parent := value(doc, at[:len(at)-1])
	switch step := at[len(at)-1].(type) {
	case int:
		parent.([]any)[step] = v
	case string:
		if v == nil {
			delete(parent.(map[string]any), step)
		} else {
			parent.(map[string]any)[step] = v
		}
	}
}

func clone(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(doc)
	var out map[string]any
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// render returns the objects of a document as text.
func render(doc map[string]any) (string, error) {
	data, err := json.Marshal(doc)
	if err != nil {
		return "", err
	}
	mc := &api.MiniCluster{}
	if err := json.Unmarshal(data, mc); err != nil {
		return "", err
	}
	set, err := build(mc)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(set.All())
	return string(out), err
}
