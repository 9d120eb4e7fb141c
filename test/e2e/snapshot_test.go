package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// snapshot is the MiniClusters of a namespace and their objects: the values of all fields, by "KIND NAME" and by path.
type snapshot map[string]map[string]string

func (s *suite) snapshot(t *testing.T, namespace string) snapshot {
	t.Helper()
	const kinds = "miniclusters,jobs,pods,configmaps,secrets,services,persistentvolumeclaims"
	found := snapshot{}
	for _, args := range [][]string{
		{kinds, "--namespace=" + namespace},
		{"persistentvolumes", "--selector=" + minicluster.LabelNamespace + "=" + namespace},
	} {
		var list struct{ Items []map[string]any }
		if err := json.Unmarshal([]byte(kubectl(t, "", append([]string{"get", "--output=json"}, args...)...)),
			&list); err != nil {
			t.Fatal(err)
		}
		for _, object := range list.Items {
			metadata, ok := object["metadata"].(map[string]any)
			if !ok {
				t.Fatalf("an object has no metadata: %v", object)
			}
			title := fmt.Sprint(object["kind"], " ", metadata["name"])
			for _, key := range []string{"managedFields", "resourceVersion"} { // of each write; writes are counted
				delete(metadata, key)
			}
			found[title] = map[string]string{}
			flatten(found[title], "", object)
		}
	}
	return found
}

// flatten adds the leaves of a JSON value to fields.
func flatten(fields map[string]string, path string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			flatten(fields, strings.TrimPrefix(path+"."+key, "."), inner)
		}
	case []any:
		for i, inner := range value {
			flatten(fields, fmt.Sprintf("%s[%d]", path, i), inner)
		}
	default:
		fields[path] = fmt.Sprint(value)
	}
}

// count returns the number of objects of a kind.
func (s snapshot) count(kind string) int {
	n := 0
	for title := range s {
		if strings.HasPrefix(title, kind+" ") {
			n++
		}
	}
	return n
}

// difference is what differs between two snapshots in the same way.
type difference struct {
	what    string // "KIND PATH", "KIND deleted" or "KIND created"
	objects int
	example string
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %d, such as %s", d.what, d.objects, d.example)
}

// since lists what has changed since another snapshot.
func (s snapshot) since(before snapshot) []difference {
	found := map[string]*difference{}
	add := func(title, what, example string) {
		kind, name, _ := strings.Cut(title, " ")
		key := kind + " " + what
		if found[key] == nil {
			found[key] = &difference{what: key, example: name + example}
		}
		found[key].objects++
	}
	for _, title := range sortedKeys(before, s) {
		earlier, after := before[title], s[title]
		switch {
		case earlier == nil:
			add(title, "created", "")
		case after == nil:
			add(title, "deleted", "")
		default:
			for _, path := range sortedKeys(earlier, after) {
				if earlier[path] != after[path] {
					add(title, path, fmt.Sprintf(" (%.60q, was %.60q)", after[path], earlier[path]))
				}
			}
		}
	}
	var all []difference
	for _, key := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[key])
	}
	return all
}

// sortedKeys returns the keys of both maps.
func sortedKeys[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}
