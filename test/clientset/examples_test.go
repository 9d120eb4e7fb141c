package clientset

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestGoExamples: whoever depends on the API and the clients gets neither the toolchain's module nor
// what it is made of. gengo is in the module graph, for kube-openapi requires it, and is not linked.
func TestGoExamples(t *testing.T) {
	unwanted := []string{"github.com/flux-framework/flux-operator", "sigs.k8s.io/controller-tools",
		"k8s.io/code-generator"}
	check(t, unwanted, "list", "-m", "-f", "{{.Path}}", "all")
	check(t, append(unwanted, "k8s.io/gengo/v2"), "list", "-deps", "-test", "-f", "{{with .Module}}{{.Path}}{{end}}",
		"./...")
	inExamples(t, "vet", "./...")
}

// check fails for modules that the go command names.
func check(t *testing.T, unwanted []string, args ...string) {
	t.Helper()
	modules := strings.Fields(inExamples(t, args...))
	for _, module := range []string{
		"github.com/flux-framework/flux-operator/api", "github.com/flux-framework/flux-operator/sdk/go",
		"sigs.k8s.io/controller-runtime",
	} {
		if !slices.Contains(modules, module) {
			t.Errorf("go %v does not name %s: the check sees nothing", args, module)
		}
	}
	for _, module := range unwanted {
		if slices.Contains(modules, module) {
			t.Errorf("go %v names %s", args, module)
		}
	}
}

// inExamples runs the go command in examples/go.
func inExamples(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = "../../examples/go"
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off")
	var text strings.Builder
	cmd.Stderr = &text
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, text.String())
	}
	return string(out)
}
