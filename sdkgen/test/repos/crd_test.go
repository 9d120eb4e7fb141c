package repos

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// crds are CustomResourceDefinitions by name.
type crds map[string]map[string]any

// crdCounts are how many fields CRDs have in all versions, and how many of them other CRDs lack.
type crdCounts struct{ paths, lost int }

// readCRDs reads the CRDs in the files of the patterns.
func readCRDs(t *testing.T, root string, patterns []string) crds {
	t.Helper()
	all := crds{}
	for _, file := range glob(t, root, patterns) {
		for _, doc := range documents(t, filepath.Join(root, file)) {
			var crd map[string]any
			if err := yaml.Unmarshal(doc, &crd); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if crd["kind"] != "CustomResourceDefinition" {
				continue
			}
			name := text(crd, "metadata", "name")
			if all[name] != nil {
				t.Fatalf("%s: there is %s already", file, name)
			}
			all[name] = crd
		}
	}
	return all
}

// glob returns the files of the patterns. A pattern that matches none is an error.
func glob(t *testing.T, root string, patterns []string) []string {
	t.Helper()
	var files []string
	for _, p := range patterns {
		found := match(t, root, p)
		if len(found) == 0 {
			t.Fatalf("there is no %s", p)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// documents splits a YAML file.
func documents(t *testing.T, file string) [][]byte {
	t.Helper()
	reader := yamlutil.NewYAMLReader(bufio.NewReader(bytes.NewReader(read(t, file))))
	var all [][]byte
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, doc)
	}
}

// compareCRDs holds the CRDs that were made against those that were shipped.
func compareCRDs(d *differences, shipped, generated crds) (counts crdCounts) {
	for _, name := range names(shipped, generated) {
		before, after := shipped[name], generated[name]
		switch {
		case after == nil:
			d.add("crd %s: gone", name)
			n := 0
			for _, version := range versions(before) {
				n += len(newSchema(version))
			}
			counts.paths, counts.lost = counts.paths+n, counts.lost+n
		case before == nil:
			d.add("crd %s: new", name)
		default:
			target := compareCRD(d, name, before, after)
			counts.paths, counts.lost = counts.paths+target.paths, counts.lost+target.lost
		}
	}
	return counts
}

func compareCRD(d *differences, name string, before, after map[string]any) (counts crdCounts) {
	wasVersions, isVersions := versions(before), versions(after)
	compareValues(d, "crd "+name+": ", flat(before, "versions"), flat(after, "versions"))
	for _, v := range names(wasVersions, isVersions) {
		at := fmt.Sprintf("crd %s %s: ", name, v)
		if isVersions[v] == nil || wasVersions[v] == nil {
			d.add("%sin one only", at)
		}
		compareValues(d, at, flat(wasVersions[v], "schema"), flat(isVersions[v], "schema"))
		old, now := newSchema(wasVersions[v]), newSchema(isVersions[v])
		counts.paths += len(old)
		for _, path := range names(old, now) {
			switch {
			case now[path] == nil:
				counts.lost++
				d.add("%slost %s", at, path)
			case old[path] == nil:
				d.add("%sadded %s", at, path)
			default:
				compareValues(d, at+path+" ", old[path], now[path])
			}
		}
	}
	return counts
}

// compareValues reports the keys that have another value.
func compareValues(d *differences, at string, before, after map[string]string) {
	for _, key := range names(before, after) {
		if before[key] != after[key] {
			d.add("%s%s: %s -> %s", at, key, short(before[key]), short(after[key]))
		}
	}
}

func short(value string) string {
	if value == "" {
		return "none"
	}
	if runes := []rune(value); len(runes) > 400 {
		return string(runes[:400]) + "…"
	}
	return value
}

// versions are those of a CRD, by name.
func versions(crd map[string]any) map[string]map[string]any {
	spec, _ := crd["spec"].(map[string]any)
	list, _ := spec["versions"].([]any)
	all := map[string]map[string]any{}
	for _, item := range list {
		version := item.(map[string]any)
		all[text(version, "name")] = version
	}
	return all
}

// schema has what each path of a schema says of it, below it aside, by keyword.
type schema map[string]map[string]string

// newSchema returns the schema of a CRD's version; an empty one for nil.
func newSchema(version map[string]any) schema {
	s := schema{}
	if outer, ok := version["schema"].(map[string]any); ok {
		s.add(".", outer["openAPIV3Schema"].(map[string]any))
	}
	return s
}

func (s schema) add(path string, node map[string]any) {
	here := map[string]string{}
	for key, value := range node {
		switch inner, isObject := value.(map[string]any); {
		case key == "properties":
			for name, property := range inner {
				s.add(strings.TrimSuffix(path, ".")+"."+name, property.(map[string]any))
			}
		case key == "items" && isObject:
			s.add(path+"[]", inner)
		case key == "additionalProperties" && isObject:
			s.add(path+"{}", inner)
		default:
			here[key] = encode(value)
		}
	}
	s[path] = here
}

// flat returns the values of an object by their paths, those below a key aside. A list is a value.
func flat(object map[string]any, without string) map[string]string {
	all := map[string]string{}
	var walk func(prefix string, object map[string]any)
	walk = func(prefix string, object map[string]any) {
		for key, value := range object {
			inner, isObject := value.(map[string]any)
			switch {
			case key == without:
			case isObject && len(inner) > 0:
				walk(prefix+key+".", inner)
			default:
				all[prefix+key] = encode(value)
			}
		}
	}
	walk("", object)
	return all
}

// names returns the keys of two maps, sorted.
func names[V, W any](a map[string]V, b map[string]W) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// text is the string at a path of an object; "" if there is none.
func text(object map[string]any, path ...string) string {
	for _, key := range path[:len(path)-1] {
		object, _ = object[key].(map[string]any)
	}
	value, _ := object[path[len(path)-1]].(string)
	return value
}

func encode(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // it was decoded from JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestCompareCRDs: what is lost, added and changed is told apart, at any depth.
func TestCompareCRDs(t *testing.T) {
	parse := func(schema string) crds {
		crd := `{metadata: {name: a, annotations: {v: "` + fmt.Sprint(len(schema)) +
			`"}}, spec: {versions: [{name: v1, served: true, schema: {openAPIV3Schema: ` + schema + `}}]}}`
		var object map[string]any
		if err := unmarshal(crd, &object); err != nil {
			t.Fatal(err)
		}
		return crds{"a": object}
	}
	d := &differences{}
	before := parse(
		`{properties: {spec: {properties: {gone: {items: {type: string}}, kept: {type: integer, description: a}}}}}`)
	before["b"] = map[string]any{}
	after := parse(
		`{properties: {spec: {properties: {kept: {type: string, description: a, enum: [1]}, new: {additionalProperties: {}}}}}}`)
	after["c"] = map[string]any{}
	counts := compareCRDs(d, before, after)
	want := []string{
		`crd a: metadata.annotations.v: "106" -> "118"`,
		"crd a v1: lost .spec.gone", "crd a v1: lost .spec.gone[]",
		"crd a v1: .spec.kept enum: none -> [1]", `crd a v1: .spec.kept type: "integer" -> "string"`,
		"crd a v1: added .spec.new", "crd a v1: added .spec.new{}",
		"crd b: gone", "crd c: new",
	}
	if !slices.Equal(d.unknown, want) || counts != (crdCounts{5, 2}) {
		t.Errorf("%d of %d lost:\n%s\nwant\n%s", counts.lost, counts.paths, strings.Join(d.unknown, "\n"),
			strings.Join(want, "\n"))
	}
}
