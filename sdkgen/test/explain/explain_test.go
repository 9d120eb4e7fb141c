// Package explain holds what `sdkgen explain` says against a real control plane: against what kubectl explain prints
// there, and against the OpenAPI document that it prints from.
package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// repository is the root of this repository.
const repository = "../../.."

// api is an API, and where its CRDs are.
type api struct {
	Name    string
	Module  string // MODULE@VERSION, "" for this repository
	Package string // import path, "" for this repository's
	CRDs    string // directory in the module
	Group   string
	Version string
	// Paths are those that kubectl explains, too. Of each kind in them, all fields are compared with the OpenAPI document.
	Paths []string
	// Differs are the paths at which the published CRDs are not what controller-gen makes of the types with its default
	// options, with the reason. PATH.* are those below.
	Differs map[string]string
}

// field is a field as sdkgen explain prints it in JSON.
type field struct {
	Group, Version, Kind string
	Name, Path, Type     string
	Required             bool
	Default              any
	Constraints          []struct {
		Of, Keyword string
		Value       any
	}
	Rules  []struct{ Of, Path, Rule string }
	Fields []*field
}

func readAPIs(t *testing.T) []api {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "apis.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var apis []api
	if err := yaml.UnmarshalStrict(data, &apis); err != nil {
		t.Fatal(err)
	}
	return apis
}

// kinds are those that the paths begin with, in order.
func (a api) kinds() []string {
	var kinds []string
	seen := map[string]bool{}
	for _, path := range a.Paths {
		kind, _, _ := strings.Cut(path, ".")
		if !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// expected returns the entry of Differs that has a path, "" if none does.
func (a api) expected(path string) string {
	for at := range a.Differs {
		if above, all := strings.CutSuffix(at, ".*"); path == at || all && strings.HasPrefix(path, above+".") {
			return at
		}
	}
	return ""
}

// dir is the directory of the module, which is fetched if need be.
func (a api) dir(t *testing.T) string {
	t.Helper()
	if a.Module == "" {
		return repository
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(run(t, t.TempDir(), "go", "mod", "download", "-json", a.Module), &module); err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

// explain returns what sdkgen says of a path, with all fields below.
func (a api) explain(t *testing.T, sdkgen, path string) *field {
	t.Helper()
	args := []string{"explain", "--recursive", "--format", "json", path}
	dir := repository
	if a.Package != "" {
		_, version, _ := strings.Cut(a.Module, "@")
		dir, args = t.TempDir(), append(args, "--api", a.Package+"@"+version)
	}
	out := &field{}
	if err := json.Unmarshal(run(t, dir, sdkgen, args...), out); err != nil {
		t.Fatal(err)
	}
	return out
}

// build compiles sdkgen.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sdkgen")
	run(t, "../..", "go", "build", "-o", program, ".")
	return program
}

// run runs a program and returns what it prints on stdout.
func run(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	out, err := output(t, dir, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func output(t *testing.T, dir, program string, args ...string) ([]byte, error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "KUBECACHEDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// within waits until try has no error.
func within(t *testing.T, try func() error) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) || t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}
