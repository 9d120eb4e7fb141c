package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSwagger compares what this program prints, from compiled definitions, with swagger.json, which
// sdkgen makes by reading their source.
func TestSwagger(t *testing.T) {
	program := build(t)
	for version := range versions {
		got, err := exec.Command(program, version).Output()
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../api/" + version + "/swagger.json")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the output differs from api/%[1]s/swagger.json", version)
		}
	}
}

func TestUsage(t *testing.T) {
	program := build(t)
	for _, args := range [][]string{nil, {"v0"}, {"v1alpha1", "v1alpha1"}} {
		out, err := exec.Command(program, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "usage: ") {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}

// build returns this program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "swagger")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
