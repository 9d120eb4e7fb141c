package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// schema is what the tests read of a JSON Schema.
type schema struct {
	Type                 any               `json:"type"`
	Enum                 []string          `json:"enum"`
	Description          string            `json:"description"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties any               `json:"additionalProperties"`
	Items                *schema           `json:"items"`
}

func readValues(t *testing.T) (values map[string]any, target schema) {
	t.Helper()
	text, err := os.ReadFile(dir + "/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(dir + "/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &target); err != nil {
		t.Fatal(err)
	}
	delete(target.Properties, "global") // Helm's own
	return parse[map[string]any](t, string(text)), target
}

// kubernetes are the values that are objects of the Kubernetes API, whose schema is the API server's.
var kubernetes = []string{"imagePullSecrets[]", "tolerations[]", "affinity", "topologySpreadConstraints[]"}

// TestSchema: values.yaml and the schema have the same keys at all levels, and the schema gives each a type and a
// description, and allows no others.
func TestSchema(t *testing.T) {
	values, target := readValues(t)
	checkSchema(t, "", values, target)
}

func checkSchema(t *testing.T, path string, value any, target schema) {
	t.Helper()
	if path != "" && !strings.HasSuffix(path, "[]") && target.Description == "" {
		t.Errorf("%s has no description", path)
	}
	if target.Type == nil && target.Enum == nil {
		t.Errorf("%s has no type", path)
	}
	if target.Type == "array" {
		if target.Items == nil {
			t.Errorf("%s: its items have no schema", path)
			return
		}
		checkSchema(t, path+"[]", nil, *target.Items)
	}
	if target.Type != "object" || slices.Contains(kubernetes, path) {
		return
	}
	if target.AdditionalProperties == nil || target.AdditionalProperties == true {
		t.Errorf("%s allows all keys", path)
	}
	if defaults, ok := value.(map[string]any); ok && len(target.Properties) > 0 {
		if have, want := slices.Sorted(maps.Keys(target.Properties)),
			slices.Sorted(maps.Keys(defaults)); !slices.Equal(have, want) {
			t.Errorf("%s: the schema has the keys %q, values.yaml %q", path, have, want)
		}
		for key, property := range target.Properties {
			checkSchema(t, strings.TrimPrefix(path+"."+key, "."), defaults[key], property)
		}
	}
}

// TestTable: the README of the chart has all values, with their defaults and descriptions.
func TestTable(t *testing.T) {
	values, target := readValues(t)
	rows := []string{"| value | default | description |", "|---|---|---|"}
	addRows(t, &rows, "", values, target)
	const begin, end = "<!-- values, begin -->\n", "<!-- values, end -->"
	text, err := os.ReadFile(dir + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("README.md has no %q and %q", begin, end)
	}
	golden(t, dir+"/README.md", before+begin+strings.Join(rows, "\n")+"\n"+end+after)
}

func addRows(t *testing.T, rows *[]string, path string, values map[string]any, target schema) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name, property := strings.TrimPrefix(path+"."+key, "."), target.Properties[key]
		if inner, ok := values[key].(map[string]any); ok && len(property.Properties) > 0 && len(inner) > 0 &&
			key != "resources" {
			addRows(t, rows, name, inner, property)
			continue
		}
		data, err := json.Marshal(values[key])
		if err != nil {
			t.Fatal(err)
		}
		*rows = append(*rows, fmt.Sprintf("| `%s` | `%s` | %s |", name, data,
			strings.ReplaceAll(property.Description, "|", "\\|")))
	}
}

// TestRefused: helm refuses wrong values, and says what is wrong with which.
func TestRefused(t *testing.T) {
	const watch = "clusterWide: true\n"
	for values, want := range map[string]string{
		"":                               "set watchNamespaces to the namespaces of MiniClusters",
		watch + "watchNamespaces: [a]":   "set either watchNamespaces or clusterWide",
		watch + "allowVolume: true":      "additional properties 'allowVolume' not allowed",
		watch + "replicas: two":          "at '/replicas': got string, want integer",
		watch + "replicas: -1":           "at '/replicas': minimum: got -1, want 0",
		"watchNamespaces: [Team_A]":      "at '/watchNamespaces/0': 'Team_A' does not match pattern",
		"watchNamespaces: team-a":        "at '/watchNamespaces': got string, want array",
		watch + "allowHostPaths: [data]": "at '/allowHostPaths/0': 'data' does not match pattern",
		watch + "image: {pullPolicy: Sometime}": "at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', " +
			"'Never'",
		watch + "image: {digest: latest}": "at '/image/digest': 'latest' does not match " +
			"pattern",
		watch + "image: {name: a}": "at '/image': additional properties 'name' " +
			"not allowed",
		watch + "metrics: {port: 0}": "at '/metrics/port': minimum: got 0, want 1",
		watch + "podLabels: {a: 1}":  "at '/podLabels/a': got number, want string",
		watch + "resources: {limit: {cpu: 1}}": "at '/resources': additional properties " +
			"'limit' not allowed",
		watch + "tolerations: [none]":                                        "at '/tolerations/0': got string, want object",
		watch + "podDisruptionBudget: {enabled: true, maxUnavailable: half}": "at '/podDisruptionBudget/maxUnavailable'",
		watch + "serviceAccount: {create: false}": "serviceAccount.name is needed if " +
			"serviceAccount.create is false",
	} {
		_, messages, err := helm(t, "template", "flux-operator", dir, "--values", valuesFile(t, values))
		if err == nil || !strings.Contains(messages, want) {
			t.Errorf("%q: want %q, got (%v)\n%s", values, want, err, messages)
		}
	}
}
