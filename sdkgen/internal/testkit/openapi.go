package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
)

const compiledMain = `package main

import (
	"encoding/json"
	"os"
	"strings"

	common "k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

%s
)

func main() {
	out := map[string]any{}
	for path, f := range map[string]func(common.ReferenceCallback) map[string]common.OpenAPIDefinition{
%s
	} {
		out[path] = f(func(goType string) spec.Ref {
			return spec.MustCreateRef("#/definitions/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(goType))
		})
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}
`

// Definitions returns what GetOpenAPIDefinitions of packages of a module returns, by import path.
func Definitions(t *testing.T, root string, paths []string) map[string]openapi.Definitions {
	t.Helper()
	var imports, table strings.Builder
	for i, path := range paths {
		fmt.Fprintf(&imports, "\tp%d %q\n", i, path)
		fmt.Fprintf(&table, "\t\t%q: p%d.GetOpenAPIDefinitions,\n", path, i)
	}
	Write(t, root, "compiled/main.go", fmt.Appendf(nil, compiledMain, imports.String(), table.String()))
	cmd := exec.Command("go", "run", "./compiled")
	cmd.Dir, cmd.Env = root, append(Offline(), "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var compiled map[string]openapi.Definitions
	if err := json.Unmarshal(out, &compiled); err != nil {
		t.Fatal(err)
	}
	return compiled
}

// HasConstant says whether a default is a constant, which Evaluate knows by its name only.
func HasConstant(definitions openapi.Definitions) bool {
	for _, definition := range definitions {
		for _, property := range definition.Schema.Properties {
			if _, ok := property.Default.(openapi.Constant); ok {
				return true
			}
		}
		if _, ok := definition.Schema.Default.(openapi.Constant); ok {
			return true
		}
	}
	return false
}
