// This program uses the packages that TestRender generates, and prints JSON for it to check.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
	"reflect"

	"golden/defaults"
	"golden/names"
	"golden/root"
	"golden/tags"
	"golden/types"
)

func main() {
	sample := root.NewSample()
	sample.Name = "x"
	out := map[string]any{
		"defaults": defaults.NewDefaultsWithDefaults(),
		"empty":    defaults.NewDefaults(),
		"required": types.Types{},
		"root":     root.NewSampleList([]root.Sample{*sample}),
	}
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
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		log.Fatal(err)
	}
	if fields := reflect.TypeOf(into).Elem().NumField(); fields != len(properties) {
		log.Fatalf("%s: %d fields for %d properties", name, fields, len(properties))
	}
	out[name+"-in"], out[name+"-out"] = properties, into
}
