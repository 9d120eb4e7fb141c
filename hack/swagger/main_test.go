package main

import (
	"bytes"
	"os"
	"testing"
)

// TestSwagger compares what this program prints, from compiled definitions, with swagger.json, which
// sdkgen makes by reading their source.
func TestSwagger(t *testing.T) {
	for version := range versions {
		var got bytes.Buffer
		if err := run([]string{version}, &got); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../api/" + version + "/swagger.json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: the output differs from api/%[1]s/swagger.json", version)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"v0"}, {"v1alpha1", "v1alpha1"}} {
		if err := run(args, nil); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
