package pipeline_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/config"
)

// published are the folders of the modules beside the root's that others require.
var published = []string{"api", "sdk/go"}

// heavy are modules that nobody who imports the API or a client should have to fetch.
var heavy = []string{
	strings.TrimSuffix(module, "/"), "sigs.k8s.io/controller-tools", "sigs.k8s.io/controller-runtime",
	"k8s.io/code-generator", "k8s.io/apiextensions-apiserver", "k8s.io/apiserver",
}

// shared are the modules whose versions are the same everywhere, so that what is tested here is what
// others get.
var shared = []string{module + "api", "k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/kube-openapi"}

// TestModules holds the module graphs of the published modules against the tables above.
func TestModules(t *testing.T) {
	root := versions(t, ".")
	for _, dir := range published {
		graph := versions(t, dir)
		if len(graph) < 20 {
			t.Errorf("%s: only %d modules were found", dir, len(graph))
		}
		for _, name := range heavy {
			if _, ok := graph[name]; ok {
				t.Errorf("%s has %s in its module graph", dir, name)
			}
		}
		for _, name := range shared {
			if version := graph[name]; version != "" && version != root[name] {
				t.Errorf("%s has %s %s, the root has %s", dir, name, version, root[name])
			}
		}
	}
}

// TestRelease: the modules require one another at the version that sdkgen.yaml has, so that tags of
// that version are all that a release takes.
func TestRelease(t *testing.T) {
	data, err := os.ReadFile("../../sdkgen.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse(config.File, data)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, dir := range append([]string{"."}, published...) {
		for name, version := range versions(t, dir) {
			if strings.HasPrefix(name, module) && version != "" {
				checked++
				if version != "v"+cfg.Version {
					t.Errorf("%s requires %s %s, sdkgen.yaml has the version %s", dir, name, version, cfg.Version)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no module requires another")
	}
}

// versions returns the versions of all modules in the graph of the one in a folder; a main module
// has none.
func versions(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Version}}", "all")
	cmd.Dir = filepath.Join("../..", dir)
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
