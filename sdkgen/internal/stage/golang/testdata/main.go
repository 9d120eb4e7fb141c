// This program uses the packages that TestRender generates, and prints JSON for it to check.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"reflect"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"golden/defaults"
	"golden/names"
	"golden/plain"
	"golden/root"
	"golden/tags"
	"golden/types"
)

func main() {
	sample := root.NewSample()
	sample.Name = "x"
	out := map[string]any{
		"defaults": defaults.NewDefaultsWithDefaults(),
		"empty":    defaults.Defaults{},
		"new":      defaults.NewDefaults(),
		"required": types.Types{},
		"root":     root.NewSampleList([]root.Sample{*sample}),
	}
	same()
	roundTrip(out, "names", &names.Names{})
	roundTrip(out, "tags", &tags.Tags{})
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}

// roundTrip reads an object with all properties of the case into a struct of strings: each must
// arrive in a field of its own.
func roundTrip(out map[string]any, name string, into any) {
	properties := map[string]any{}
	if err := json.Unmarshal([]byte(os.Getenv("GOLDEN_"+name)), &properties); err != nil {
		log.Fatal(err)
	}
	data, err := json.Marshal(properties)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		log.Fatal(err)
	}
	if unknown := reflect.ValueOf(into).Elem().FieldByName("UnknownFields"); unknown.Len() > 0 {
		log.Fatalf("%s: no field is for %v", name, unknown)
	}
	if fields := reflect.TypeOf(into).Elem().NumField() - 1; fields != len(properties) {
		log.Fatalf("%s: %d fields for %d properties", name, fields, len(properties))
	}
	out[name+"-in"], out[name+"-out"] = properties, into
}

// same holds the methods of types.Types against encoding/json on the same struct without any: what
// they write byte by byte, and what they read into a value that is filled already.
func same() {
	fill := randfill.NewWithSeed(7).NilChance(0.3).NumElements(0, 3).MaxDepth(8).Funcs(
		func(p *map[string]json.RawMessage, c randfill.Continue) {},
		func(p *any, c randfill.Continue) {
			*p = []any{nil, "x<", 1.5e30, map[string]any{"b": true, "a": []any{}}}[c.Intn(4)]
		},
		func(p *metav1.Time, c randfill.Continue) { p.Time = time.Unix(c.Int63n(1<<32), c.Int63n(1e9)) },
		func(p *metav1.MicroTime, c randfill.Continue) { p.Time = time.Unix(c.Int63n(1<<32), c.Int63n(1e9)) },
		func(p *resource.Quantity, c randfill.Continue) {
			*p = *resource.NewMilliQuantity(c.Int63(), resource.BinarySI)
		},
		func(p *runtime.RawExtension, c randfill.Continue) { p.Raw = []byte(`{"a": [9007199254740993, null]}`) },
		func(p *apiextensionsv1.JSON, c randfill.Continue) { p.Raw = []byte(`"<&>"`) },
		func(p *intstr.IntOrString, c randfill.Continue) {
			*p = []intstr.IntOrString{intstr.FromInt32(c.Int31()), intstr.FromString(c.String(0))}[c.Intn(2)]
		},
	)
	for i := range 3000 {
		var own, ownInto types.Types
		var bare, bareInto plain.Types
		fill.Fill(&own)
		copyTo(&bare, own)
		got, want := marshal(own), marshal(bare)
		if !bytes.Equal(got, want) {
			log.Fatalf("value %d:\n%s\nencoding/json:\n%s", i, got, want)
		}
		if err := ownInto.UnmarshalJSON(got); err != nil {
			log.Fatal(err)
		}
		if err := json.Unmarshal(want, &bareInto); err != nil {
			log.Fatal(err)
		}
		if got, want := marshal(ownInto), marshal(bareInto); !bytes.Equal(got, want) {
			log.Fatalf("value %d, read:\n%s\nencoding/json:\n%s", i, got, want)
		}
	}
}

func marshal(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// copyTo makes a deep copy of the value in another package's type of the same fields.
func copyTo(out *plain.Types, in types.Types) {
	deep(reflect.ValueOf(out).Elem(), reflect.ValueOf(in))
}

func deep(out, in reflect.Value) {
	switch {
	case in.Type() == out.Type():
		out.Set(in)
	case in.Kind() == reflect.Struct:
		for i := range in.NumField() {
			deep(out.Field(i), in.Field(i))
		}
	case in.Kind() == reflect.Pointer && !in.IsNil():
		out.Set(reflect.New(out.Type().Elem()))
		deep(out.Elem(), in.Elem())
	case in.Kind() == reflect.Slice && !in.IsNil():
		out.Set(reflect.MakeSlice(out.Type(), in.Len(), in.Len()))
		for i := range in.Len() {
			deep(out.Index(i), in.Index(i))
		}
	case in.Kind() == reflect.Map && !in.IsNil():
		out.Set(reflect.MakeMap(out.Type()))
		for _, key := range in.MapKeys() {
			value := reflect.New(out.Type().Elem()).Elem()
			deep(value, in.MapIndex(key))
			out.SetMapIndex(key, value)
		}
	case in.CanConvert(out.Type()):
		out.Set(in.Convert(out.Type()))
	}
}
