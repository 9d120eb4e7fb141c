package pairs

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// project makes a project whose APIs are packages of a version of the module, as far as the version has them.
func (p *pair) project(t *testing.T, version string, packages map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "go.mod"), fmt.Sprintf("module example.org/pair\n\ngo 1.24\n\nrequire %s %s\n", p.Module,
		version))
	type api struct {
		Package string `json:"package"`
		Dir     string `json:"dir"`
	}
	config := map[string]any{
		"version": "0.1.0", "crd": map[string]any{"dir": "crds", "generateEmbeddedObjectMeta": p.Embedded},
		"python": map[string]any{"dir": "python", "package": "pair"},
		"go":     map[string]any{"dir": "client", "package": "pair"},
	}
	var apis []api
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		// The packages of the other version may be new.
		if _, err := output(root, "go", "list", "-mod=mod", "-deps", packages[dir]); err != nil && version == p.Now {
			t.Fatal(err)
		} else if err == nil {
			apis = append(apis, api{packages[dir], dir})
		}
	}
	for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery"} { // which generated code imports
		selected := strings.TrimSpace(string(run(t, root, "go", "list", "-mod=mod", "-m", "-f", "{{.Version}}", module)))
		run(t, root, "go", "mod", "edit", "-require", module+"@"+selected)
	}
	config["apis"] = apis
	if p.Names != nil {
		config["swagger"] = map[string]any{"names": p.Names}
	}
	data, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "sdkgen.yaml"), string(data))
	return root
}

// seconds are the times of a comparison and of a full run beside it.
type seconds struct{ breaking, generate float64 }

func (s seconds) ratio() float64 { return s.breaking / s.generate }

// measure compares the versions twice, which must print the same, and returns the time of it and of a full run in the
// same project, each the shorter of two.
func (p *pair) measure(t *testing.T, root, sdkgen, against string, changes *[]*change) seconds {
	t.Helper()
	least := seconds{1e9, 1e9}
	var first []byte
	for range 2 {
		start := time.Now()
		out := run(t, root, sdkgen, "breaking", "--against", against, "--witness", "--format", "json", "--fail-on", "none")
		least.breaking = min(least.breaking, time.Since(start).Seconds())
		if first == nil {
			first = out
		}
		if !bytes.Equal(out, first) {
			t.Error("two runs print different reports")
		}
		start = time.Now()
		run(t, root, sdkgen, "generate", "--force")
		least.generate = min(least.generate, time.Since(start).Seconds())
	}
	*changes = decode(t, first)
	return least
}

// readCRDs returns the CRDs of a project by their kinds.
func readCRDs(t *testing.T, root string) map[string]*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "crds", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	crds := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, name := range names {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(read(t, name), crd); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		crds[crd.Spec.Names.Kind] = crd
	}
	return crds
}

func run(t *testing.T, dir, program string, args ...string) []byte {
	t.Helper()
	out, err := output(dir, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// output runs a program and returns what it prints; the error holds the rest.
func output(dir, program string, args ...string) ([]byte, error) {
	cmd := exec.Command(program, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, err
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
