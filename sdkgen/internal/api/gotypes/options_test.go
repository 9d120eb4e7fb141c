package gotypes

import (
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// TestOptions: sdkgen.yaml has every option of the linked controller-gen's generator crd under its own name, and
// hands it on.
func TestOptions(t *testing.T) {
	keys := map[string]string{}
	for field := range reflect.TypeFor[config.CRD]().Fields() {
		keys[field.Name] = field.Tag.Get("yaml")
	}
	for field := range reflect.TypeFor[crd.Generator]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("marker"), ",")
		if name == "" {
			name = strings.ToLower(field.Name[:1]) + field.Name[1:]
		}
		if keys[field.Name] != name {
			t.Errorf("the section crd has the key %q for %s, want %q", keys[field.Name], field.Name, name)
			continue
		}
		var section config.CRD
		fill(t, reflect.ValueOf(&section).Elem().FieldByName(field.Name))
		got := reflect.ValueOf(Options(section)).FieldByName(field.Name)
		if got.Kind() == reflect.Pointer && !got.IsNil() {
			got = got.Elem()
		}
		if got.IsZero() {
			t.Errorf("%s is not handed on", name)
		}
	}
}

// fill sets a value that is not zero.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(1)
	case reflect.String:
		v.SetString("x")
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	default:
		t.Fatalf("no value for %s", v.Type())
	}
}
