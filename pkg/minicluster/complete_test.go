package minicluster_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/config/crd"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// TestDefaults: the objects are the same whether or not the API server has applied its defaults.
func TestDefaults(t *testing.T) {
	structural := structural(t)
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(c.Part(input)), &doc); err != nil {
			t.Fatal(err)
		}
		before := clone(t, doc)
		defaulting.Default(doc, structural)
		if cmp.Equal(before, doc) {
			t.Fatal("the API server applies no default")
		}
		got, err := render(doc)
		if err != nil {
			t.Fatal(err)
		}
		want, err := render(before)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Error(cmp.Diff(want, got))
		}
	})
}

// TestSchemaDefaults: complete applies the defaults of the schema to an object that has all structs and
// nothing else.
func TestSchemaDefaults(t *testing.T) {
	bare := `{"spec": {
		"containers": [{"fluxUser": {}, "commands": {}, "existingVolumes": {"v": {}}, "volumes": {"v": {"path": "/v"}}}],
		"services": [{"fluxUser": {}, "commands": {}}],
		"flux": {"bursting": {"leadBroker": {"address": "a", "name": "n", "size": 1}}},
		"fluxRestful": {}, "logging": {}, "network": {}, "volumes": {"v": {"path": "/v"}}}}`
	var doc map[string]any
	if err := json.Unmarshal([]byte(bare), &doc); err != nil {
		t.Fatal(err)
	}
	defaulting.Default(doc, structural(t))
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	want := decode(t, string(data))
	got := minicluster.ExportComplete(decode(t, bare))
	if d := cmp.Diff(minicluster.ExportComplete(want), got); d != "" {
		t.Error(d)
	}
	kept := minicluster.ExportComplete(want)
	overlay(reflect.ValueOf(kept).Elem(), reflect.ValueOf(want).Elem())
	if d := cmp.Diff(kept, minicluster.ExportComplete(want)); d != "" {
		t.Errorf("complete changes defaults of the API server: %s", d)
	}
}

// overlay copies all non-zero values of from to to.
func overlay(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Struct:
		for i := range from.NumField() {
			if to.Field(i).CanSet() {
				overlay(to.Field(i), from.Field(i))
			}
		}
	case reflect.Pointer:
		if !from.IsNil() && !to.IsNil() {
			overlay(to.Elem(), from.Elem())
		}
	case reflect.Slice, reflect.Map:
	default:
		if !from.IsZero() {
			to.Set(from)
		}
	}
}

// TestCompleteNil: complete leaves no nil pointer, in any of the containers.
func TestCompleteNil(t *testing.T) {
	mc := minicluster.ExportComplete(&api.MiniCluster{Spec: api.MiniClusterSpec{
		Containers: []api.MiniClusterContainer{{}, {}},
		Services:   []api.MiniClusterContainer{{}},
	}})
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				t.Errorf("%s is nil", path)
				return
			}
			walk(path, v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				walk(path+"[]", v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if field := path + "." + v.Type().Field(i).Name; field != ".Flux.Bursting.LeadBroker" {
					walk(field, v.Field(i))
				}
			}
		}
	}
	walk("", reflect.ValueOf(mc.Spec))
}

func structural(t *testing.T) *schema.Structural {
	t.Helper()
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(crd.MiniClusters, &v1); err != nil {
		t.Fatal(err)
	}
	var props apiextensions.JSONSchemaProps
	from := v1.Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(from, &props, nil); err != nil {
		t.Fatal(err)
	}
	s, err := schema.NewStructural(&props)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
