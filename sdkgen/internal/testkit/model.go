package testkit

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Model returns the model that a swagger.json is printed from: what the tests of the printers write down instead of Go
// types.
func Model(t testing.TB, document []byte) *model.API {
	t.Helper()
	doc := &spec.Swagger{}
	var raw struct {
		Definitions map[string]map[string]any `json:"definitions"`
	}
	if err := json.Unmarshal(document, doc); err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	if err := decoder.Decode(&raw); err != nil {
		t.Fatal(err)
	}
	r := &modelReader{TB: t, definitions: map[string]*model.Definition{}}
	api := &model.API{}
	if doc.Info != nil {
		api.Title, api.Version = doc.Info.Title, doc.Info.Version
	}
	for _, name := range slices.Sorted(maps.Keys(raw.Definitions)) {
		r.definitions[name] = &model.Definition{Name: name}
		api.Definitions = append(api.Definitions, r.definitions[name])
	}
	for _, d := range api.Definitions {
		r.define(d, raw.Definitions[d.Name])
		if root := d.Root; root != nil && !d.Kubernetes && root.Version == api.Version {
			api.Group = root.Group
		}
	}
	if doc.Paths == nil {
		doc.Paths = &spec.Paths{}
	}
	api.Serve(doc.Paths.Paths, doc.Parameters)
	return api
}

// schemaExtensions are the extensions that the schema of a CRD has a field for, and the one of root kinds.
var schemaExtensions = []string{
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
	"x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
	"x-kubernetes-group-version-kind",
}

type modelReader struct {
	testing.TB
	definitions map[string]*model.Definition
}

func (r *modelReader) define(d *model.Definition, raw map[string]any) {
	d.Type = *r.typeOf(raw)
	own, _ := raw["x-sdkgen-own"].(bool)
	_, kubernetes := model.KubernetesName(d.GoType.String())
	d.Kubernetes = kubernetes && !own
	for _, field := range d.Fields {
		field.Pointer, _ = raw["properties"].(map[string]any)[field.Key].(map[string]any)["x-sdkgen-pointer"].(bool)
		field.Mandatory = field.Required && (field.Default == nil || d.Kubernetes)
	}
	gvk, _ := raw["x-kubernetes-group-version-kind"].([]any)
	if len(gvk) != 1 {
		return
	}
	text := func(from any, key string) string {
		value, _ := from.(map[string]any)[key].(string)
		return value
	}
	d.Root = &model.Root{
		GroupVersionKind: schema.GroupVersionKind{
			Group: text(gvk[0], "group"), Version: text(gvk[0], "version"), Kind: text(gvk[0], "kind"),
		},
		Plural: text(raw, "x-sdkgen-plural"), StorageVersion: text(raw, "x-sdkgen-storage-version"), Namespaced: true,
	}
	if list := text(raw, "x-sdkgen-list"); list != "" {
		cluster, _ := raw["x-sdkgen-cluster"].(bool)
		d.Root.NoCRD, d.Root.Namespaced, d.Root.List = true, !cluster, r.definitions[list]
	}
}

func (r *modelReader) typeOf(raw map[string]any) *model.Type {
	r.Helper()
	props := apiextensionsv1.JSONSchemaProps{}
	data, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(data, &props)
	}
	if err != nil {
		r.Fatal(err)
	}
	target := takeReference(&props)
	t, err := model.NewType(&props)
	if err != nil {
		r.Fatal(err)
	}
	t.Extensions = map[string]any{}
	for key, value := range raw {
		switch {
		case key == "x-sdkgen-deprecated":
			t.Deprecated, _ = value.(string)
		case key == "x-sdkgen-open":
			t.Undeclared = true
		case key == "x-go-type":
			goType, _ := value.(map[string]any)
			t.GoType.Name, _ = goType["type"].(string)
			from, _ := goType["import"].(map[string]any)
			t.GoType.Package, _ = from["package"].(string)
		case strings.HasPrefix(key, "x-") && !strings.HasPrefix(key, "x-sdkgen-") && !slices.Contains(schemaExtensions, key):
			t.Extensions[key] = value
		}
	}
	nullable, _ := raw["x-nullable"].(bool)
	t.Nullable = t.Nullable || nullable
	if target != "" {
		if t.Shape, t.Definition = model.Reference, r.definitions[target]; t.Definition == nil {
			r.Fatalf("there is no definition %s", target)
		}
		return t
	}
	r.below(t, raw)
	return t
}

// below reads properties, items and the values of a map.
func (r *modelReader) below(t *model.Type, raw map[string]any) {
	r.Helper()
	var fields []*model.Field
	properties, _ := raw["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		fields = append(fields, &model.Field{Type: *r.typeOf(properties[key].(map[string]any)), Key: key})
	}
	t.SetFields(fields)
	for _, key := range []string{"items", "additionalProperties"} {
		if elem, ok := raw[key].(map[string]any); ok {
			t.Elem = r.typeOf(elem)
		}
	}
}

// takeReference removes the reference from a schema and returns the definition's name, "" if there is none.
func takeReference(props *apiextensionsv1.JSONSchemaProps) (target string) {
	name := func(ref *string) string {
		return model.Referenced(spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef(*ref)}})
	}
	if props.Ref != nil {
		target = name(props.Ref)
		props.Ref = nil
	}
	props.AllOf = slices.DeleteFunc(props.AllOf, func(part apiextensionsv1.JSONSchemaProps) bool {
		if part.Ref == nil {
			return false
		}
		target = name(part.Ref)
		return true
	})
	return target
}
