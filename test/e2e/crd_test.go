package e2e

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

func (s *suite) definition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return get(t, s, &apiextensionsv1.CustomResourceDefinition{}, "", "miniclusters."+api.GroupName)
}

// TestEstablished: the server serves the kind, and its schema is structural.
func TestEstablished(t *testing.T) {
	s := need(t)
	conditions := map[apiextensionsv1.CustomResourceDefinitionConditionType]apiextensionsv1.ConditionStatus{}
	for _, c := range s.definition(t).Status.Conditions {
		conditions[c.Type] = c.Status
	}
	if conditions[apiextensionsv1.Established] != "True" || conditions[apiextensionsv1.NamesAccepted] != "True" ||
		conditions[apiextensionsv1.NonStructuralSchema] == "True" {
		t.Errorf("conditions %v", conditions)
	}
}

// TestConstraints: for each constraint of the schema, the server rejects a MiniCluster that violates only
// this one, and names the field.
func TestConstraints(t *testing.T) {
	s := need(t)
	ns := s.namespace(t)
	schema := s.definition(t).Spec.Versions[0].Schema.OpenAPIV3Schema
	least := map[string]int{"spec": 100, "status": 10}
	// in this order: the object with a status has the name that specs are tried with
	for _, part := range []string{"spec", "status"} {
		p := schema.Properties[part]
		try := s.trySpec
		if part == "status" {
			s.create(t, ns, "any", "{containers: []}")
			try = s.tryStatus
		}
		if err := try(t, ns, valid(&p)); err != nil {
			t.Fatalf("a valid %s is rejected: %v", part, err)
		}
		b := &breaker{}
		b.walk([]string{part}, &p)
		if len(b.broken) < least[part] {
			t.Errorf("the schema of the %s has only %d constraints", part, len(b.broken))
		}
		for _, broken := range b.broken {
			t.Run(broken.name, func(t *testing.T) {
				if broken.problem != "" {
					t.Fatal(broken.problem)
				}
				object := place(valid(&p), &p, broken.path[1:], broken.value)
				err := try(t, ns, object)
				if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), broken.field()) {
					t.Errorf("%s of %v: %v", broken.field(), object, err)
				}
			})
		}
	}
}

// trySpec returns the response of the server to a spec.
func (s *suite) trySpec(t *testing.T, namespace string, spec any) error {
	t.Helper()
	return s.client.Create(t.Context(), manifest(namespace, map[string]any{"spec": spec}), client.DryRunAll)
}

// tryStatus returns the response of the server to a status.
func (s *suite) tryStatus(t *testing.T, namespace string, status any) error {
	t.Helper()
	return s.client.Status().Patch(t.Context(), manifest(namespace, map[string]any{}),
		client.RawPatch(types.MergePatchType, encode(t, map[string]any{"status": status})), client.DryRunAll)
}

// manifest returns a MiniCluster with any fields.
func manifest(namespace string, fields map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: fields}
	object.SetGroupVersionKind(api.SchemeGroupVersion.WithKind("MiniCluster"))
	object.SetNamespace(namespace)
	object.SetName("any")
	return object
}

func encode(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDefaults: to a MiniCluster with all objects and no optional scalar the server applies exactly the
// defaults of swagger.json.
func TestDefaults(t *testing.T) {
	s := need(t)
	data, err := os.ReadFile(root + "/api/v1alpha1/swagger.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Definitions map[string]*definition `json:"definitions"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	w := &defaults{definitions: document.Definitions}
	bare, want := w.object("MiniClusterSpec")
	ns := s.namespace(t)
	s.label(t, ns) // its volumes are not allowed
	object := manifest(ns, map[string]any{"spec": bare})
	if err := s.client.Create(t.Context(), object, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(encode(t, object.Object["spec"]), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(any(want), got); d != "" {
		t.Errorf("swagger.json and the server differ: %s", d)
	}
	if w.count < 20 {
		t.Errorf("swagger.json has only %d defaults", w.count)
	}
}

// definition is the part of a schema of swagger.json that defaults need.
type definition struct {
	Ref                  string                 `json:"$ref"`
	Type                 string                 `json:"type"`
	Default              any                    `json:"default"`
	Required             []string               `json:"required"`
	Properties           map[string]*definition `json:"properties"`
	Items                *definition            `json:"items"`
	AdditionalProperties *definition            `json:"additionalProperties"`
}

// defaults builds objects from definitions.
type defaults struct {
	definitions map[string]*definition
	count       int
}

// object returns an object without optional scalars, and the same with its defaults.
func (w *defaults) object(name string) (bare, full map[string]any) {
	d := w.definitions[name]
	bare, full = map[string]any{}, map[string]any{}
	for _, property := range slices.Sorted(maps.Keys(d.Properties)) {
		p := d.Properties[property]
		if b, f := w.value(p); b != nil {
			bare[property], full[property] = b, f
			continue
		}
		switch {
		case p.Default != nil:
			w.count++
			full[property] = p.Default
		case slices.Contains(d.Required, property):
			value := map[string]any{"string": "x", "integer": 1.0, "boolean": true}[p.Type]
			bare[property], full[property] = value, value
		}
	}
	return bare, full
}

// value returns an object, or a list or a map of one, or nil for a scalar.
func (w *defaults) value(d *definition) (bare, full any) {
	switch {
	case d.Ref != "":
		name := d.Ref[strings.LastIndex(d.Ref, "/")+1:]
		if len(w.definitions[name].Properties) == 0 {
			return nil, nil
		}
		return w.object(name)
	case d.Items != nil:
		if b, f := w.value(d.Items); b != nil {
			return []any{b}, []any{f}
		}
	case d.AdditionalProperties != nil:
		if b, f := w.value(d.AdditionalProperties); b != nil {
			return map[string]any{"x": b}, map[string]any{"x": f}
		}
	}
	return nil, nil
}
