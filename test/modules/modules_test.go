// Package modules checks what the repository's Go modules require of others and of one another.
package modules

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/flux-framework/flux-operator"
)

// generators are modules that only sdkgen requires.
var generators = []string{
	module + "/sdkgen", "sigs.k8s.io/controller-tools", "k8s.io/code-generator", "k8s.io/gengo", "k8s.io/gengo/v2",
}

// heavy are modules that nobody who imports the API or a client should have to fetch.
var heavy = []string{
	module, module + "/sdkgen", "sigs.k8s.io/controller-tools", "sigs.k8s.io/controller-runtime",
	"k8s.io/code-generator", "k8s.io/apiextensions-apiserver", "k8s.io/apiserver",
}

// shared are the modules whose versions are the same everywhere, so that what is tested here is what
// others get.
var shared = []string{module + "/api", "k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/kube-openapi"}

// TestGraphs holds the module graphs of the operator and of the published modules against the tables above.
func TestGraphs(t *testing.T) {
	operator := versions(t, ".")
	for dir, unwanted := range map[string][]string{".": generators, "api": heavy, "sdk/go": heavy} {
		graph := versions(t, dir)
		if len(graph) < 20 {
			t.Errorf("%s: only %d modules were found", dir, len(graph))
		}
		for _, name := range unwanted {
			if _, ok := graph[name]; ok {
				t.Errorf("%s has %s in its module graph", dir, name)
			}
		}
		for _, name := range shared {
			if version := graph[name]; version != "" && version != operator[name] {
				t.Errorf("%s has %s %s, the root has %s", dir, name, version, operator[name])
			}
		}
	}
}

// TestToolchain: sdkgen can be installed by its path, so it replaces no module and requires none of this
// repository's.
func TestToolchain(t *testing.T) {
	graph := versions(t, "sdkgen")
	for name := range graph {
		if name != module+"/sdkgen" && (name == module || strings.HasPrefix(name, module+"/")) {
			t.Errorf("sdkgen has %s in its module graph", name)
		}
	}
	goMod, err := os.ReadFile(filepath.Join(root, "sdkgen", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if regexp.MustCompile(`(?m)^\s*(replace|exclude)\b`).Match(goMod) {
		t.Error("go install refuses sdkgen/go.mod: it has replace or exclude")
	}
}

// TestMakefile: each module is one of the Makefile's MODULES, or a directory with tests of its own has it.
func TestMakefile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(`(?m)^MODULES := (.+)$`).FindSubmatch(data)
	if match == nil {
		t.Fatal("the Makefile has no MODULES")
	}
	list := exec.Command("git", "ls-files", "go.mod", "**/go.mod", ":!examples/operators", ":!test/cluster",
		":!*/testdata/*")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	listed, found := strings.Fields(string(match[1])), []string{}
	for file := range strings.FieldsSeq(string(out)) {
		found = append(found, filepath.ToSlash(filepath.Dir(file)))
	}
	slices.Sort(listed)
	slices.Sort(found)
	if !slices.Equal(listed, found) {
		t.Errorf("MODULES are %q, want %q", listed, found)
	}
}

// versions returns the versions of all modules in the graph of the one in a directory; a main module
// has none.
func versions(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all")
	cmd.Dir = filepath.Join(root, dir)
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list -m all in %s: %v", dir, err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = version
	}
	return all
}
