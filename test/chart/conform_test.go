package chart

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/validator"
)

// builtin returns the OpenAPI documents of the Kubernetes version of test/cluster, whose go.sum has their hash.
func builtin(t *testing.T) string {
	t.Helper()
	const module = "k8s.io/kubernetes"
	for _, args := range [][]string{{"mod", "download", module}, {"list", "-m", "-f", "{{.Dir}}", module}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = root + "/test/cluster/kubestack"
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == "list" {
			return filepath.Join(strings.TrimSpace(string(out)), "api", "openapi-spec", "v3")
		}
	}
	return ""
}

// writeSchema writes the JSON Schema of a built-in kind, which allows no unknown fields, to
// GROUP/KIND_VERSION.json in a directory.
func writeSchema(t *testing.T, openapi, into, group, version, kind string) {
	t.Helper()
	file := "api__" + version
	if group != "" {
		file = "apis__" + group + "__" + version
	}
	data, err := os.ReadFile(filepath.Join(openapi, file+"_openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), "#/components/schemas/", "#/definitions/")),
		&document); err != nil {
		t.Fatal(err)
	}
	root := ""
	for name, schema := range document.Components.Schemas {
		if schema["properties"] != nil && schema["additionalProperties"] == nil {
			schema["additionalProperties"] = false
		}
		if all, ok := schema["x-kubernetes-group-version-kind"].([]any); ok {
			for _, one := range all {
				if gvk, ok := one.(map[string]any); ok && gvk["group"] == group && gvk["version"] == version &&
					gvk["kind"] == kind {
					root = name
				}
			}
		}
	}
	if root == "" {
		t.Fatalf("%s has no schema of %s", file, kind)
	}
	out, err := json.Marshal(map[string]any{"$ref": "#/definitions/" + root, "definitions": document.Components.Schemas})
	if err == nil {
		err = os.MkdirAll(filepath.Join(into, cmp.Or(group, version)), 0o700)
	}
	if err == nil { // what kubeconform calls the group of core kinds is their version
		err = os.WriteFile(filepath.Join(into, cmp.Or(group, version), strings.ToLower(kind)+"_"+version+".json"), out, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// conform returns what kubeconform says of a stream of objects.
func conform(t *testing.T, openapi, stream string) []string {
	t.Helper()
	schemas := t.TempDir()
	for _, document := range documents(stream) {
		o := parse[object](t, document)
		group, version, ok := strings.Cut(o.APIVersion, "/")
		if !ok {
			group, version = "", o.APIVersion
		}
		if group != "flux-framework.org" {
			writeSchema(t, openapi, schemas, group, version, o.Kind)
		}
	}
	const name = "/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
	v, err := validator.New([]string{schemas + name, root + "/config/schemas" + name}, validator.Opts{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	for _, result := range v.Validate("stream", io.NopCloser(strings.NewReader(stream))) {
		if result.Status != validator.Valid && result.Status != validator.Empty {
			problems = append(problems, result.Err.Error())
		}
	}
	return problems
}

// TestConform: kubeconform accepts all that is installed, and config/samples.
func TestConform(t *testing.T) {
	openapi := builtin(t)
	all := renderings(t)
	all["samples"] = build(t, "samples")
	for name, stream := range all {
		for _, problem := range conform(t, openapi, stream) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	for stream, want := range map[string]string{
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replica: 1, selector: {}, template: {}}": "additional properties 'replica' not allowed",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: http}]}":                          "got string, want integer",
		"apiVersion: flux-framework.org/v1alpha1\nkind: MiniCluster\nmetadata: {name: a}\nspec: {size: two, containers: " +
			"[{image: any}]}": "at '/spec/size': got string",
	} {
		if got := strings.Join(conform(t, openapi, stream), "\n"); !strings.Contains(got, want) {
			t.Errorf("kubeconform says %q of\n%s\nwant %q", got, stream, want)
		}
	}
}
