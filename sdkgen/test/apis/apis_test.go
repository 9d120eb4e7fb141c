// Package apis makes SDKs of API packages that other projects wrote, as their users would: sdkgen
// takes them from the module graph, and the whole chain runs on each.
package apis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// repository is the root of this repository.
const repository = "../../.."

// api is an API package, and what its users write beside its path in sdkgen.yaml.
type api struct {
	name  string // of the Python and the Go package
	path  string
	more  string
	apart string // more beside the path
}

const vpa = "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"

var apis = []api{
	{name: "jobset", path: "sigs.k8s.io/jobset/api/jobset/v1alpha2"},
	{name: "certmanager", path: "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1", more: `
swagger:
  names:
    github.com/cert-manager/cert-manager/pkg/apis/acme/v1.ServiceAccountRef: ACMEServiceAccountRef
`},
	{name: "clusterapi", path: "sigs.k8s.io/cluster-api/api/core/v1beta2"},
	{name: "gateway", path: "sigs.k8s.io/gateway-api/apis/v1"},
	{name: "ray", path: "github.com/ray-project/kuberay/ray-operator/apis/ray/v1", more: "  allowDangerousTypes: true\n"},
	{name: "rollouts", path: "github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"},
	// Markers at embedded fields; a kind with map[int].
	{name: "kubevirt", path: "kubevirt.io/api/core/v1", more: "  allowDangerousTypes: true\n"},
	{name: "vpa", path: vpa, apart: "    exclude: [VerticalPodAutoscalerCheckpoint]\n"},
	{name: "source", path: "github.com/fluxcd/source-controller/api/v1"},
	// Pod templates in a list map, and CEL rules at every level.
	{name: "kueue", path: "sigs.k8s.io/kueue/apis/kueue/v1beta1"},
	{name: "kueue2", path: "sigs.k8s.io/kueue/apis/kueue/v1beta2"},
}

// TestAPIs makes both SDKs of each API, with both engines, and checks that the document says what the CRDs say, that
// the Python package's own tests pass and that the Go package compiles. It prints a table.
func TestAPIs(t *testing.T) {
	sdkgen := build(t)
	table := []string{fmt.Sprintf("%-12s %5s %11s %5s %8s %9s %11s %7s %6s %5s",
		"API", "kinds", "definitions", "refs", "dangling", "defaults", "validations", "classes", "wall", "MiB")}
	for _, a := range apis {
		t.Run(a.name, func(t *testing.T) {
			if os.Getenv("SDKGEN_TEST_ALL") != "1" && a.name != "gateway" && a.name != "kueue2" {
				t.Skip("only `make test-all` runs this: SDKGEN_TEST_ALL is not 1")
			}
			root := a.project(t)
			state, wall, err := run(root, sdkgen, "generate", "-q")
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := run(root, sdkgen, "verify", "-q", "--engine", "openapi-generator"); err != nil {
				t.Errorf("the engines differ: %v", err)
			}
			doc := document(t, filepath.Join(root, "spec", "swagger.json"))
			refs, dangling := references(doc)
			if len(dangling) > 0 {
				t.Errorf("nothing is behind %q", dangling)
			}
			got := &comparison{definitions: doc.Definitions}
			for _, crd := range crds(t, root) {
				got.crd(t, crd)
			}
			if len(got.lost) > 0 || got.defaults.of+got.validations.of == 0 {
				t.Errorf("of the CRDs' %d defaults and %d validations the document lacks:\n%s",
					got.defaults.of, got.validations.of, strings.Join(got.lost, "\n"))
			}
			if generated, err := filepath.Glob(filepath.Join(root, "config", "samples", "*.yaml")); err != nil ||
				len(generated) != len(crds(t, root)) {
				t.Errorf("the %d CRDs have %d samples that the API server accepts: %v", len(crds(t, root)), len(generated), err)
			}
			classes := python(t, root, a.name, doc)
			if _, _, err := run(root, "go", "vet", "./sdk/..."); err != nil {
				t.Errorf("the Go package: %v", err)
			}
			a.carry(t, root, doc)
			table = append(table, fmt.Sprintf("%-12s %5d %11d %5d %8d %9s %11s %7d %5.2fs %5d", a.name, got.kinds,
				len(doc.Definitions), refs,
				len(dangling), got.defaults, got.validations, classes, wall.Seconds(),
				state.SysUsage().(*syscall.Rusage).Maxrss>>10))
		})
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// TestRefused: what sdkgen cannot carry is said with its position, and nothing is written.
func TestRefused(t *testing.T) {
	sdkgen := build(t)
	for _, c := range []struct {
		api
		want []string
	}{
		{api{name: "monitoring", path: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"},
			[]string{"probe_types.go:170:2: ", "has two properties named authorization", "exclude: [Probe]"}},
		{api{name: "ray", path: apis[4].path}, []string{"rayjob_types.go:261:20: float field", "allowDangerousTypes: true"}},
		{api{name: "certmanager", path: apis[1].path},
			[]string{"would both be named ServiceAccountRef", "swagger.names",
				"acme/v1.ServiceAccountRef: AcmeServiceAccountRef"}},
		{api{name: "vpa", path: vpa}, []string{"types.go:544:20: map keys of type int",
			"exclude: [VerticalPodAutoscalerCheckpoint]"}},
		{api{name: "nothing", path: "sigs.k8s.io/jobset/api/nothing/v1"}, []string{"sigs.k8s.io/jobset/api/nothing/v1"}},
		{api{name: "elsewhere", path: "example.org/elsewhere/api/v1"}, []string{"example.org/elsewhere/api/v1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := c.project(t)
			before := tree(t, root)
			state, _, err := run(root, sdkgen, "generate")
			if err == nil || state.ExitCode() != 2 {
				t.Fatalf("exit code %d, want 2", state.ExitCode())
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q:\n%v", want, err)
				}
			}
			if after := tree(t, root); !slices.Equal(before, after) {
				t.Errorf("files before: %q, after: %q", before, after)
			}
		})
	}
}

// build compiles sdkgen.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sdkgen")
	if _, _, err := run("../..", "go", "build", "-o", program, "."); err != nil {
		t.Fatal(err)
	}
	return program
}

// project writes a project that wants SDKs of the API: this module's go.mod and a configuration.
func (a api) project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	tools, err := filepath.Abs(filepath.Join(repository, ".tools"))
	if err != nil {
		t.Fatal(err)
	}
	if jars, err := filepath.Glob(filepath.Join(tools, "*.jar")); err != nil || len(jars) == 0 {
		t.Fatal("the openapi-generator jar is missing: run make tools")
	}
	if err := os.Symlink(tools, filepath.Join(root, ".tools")); err != nil {
		t.Fatal(err)
	}
	// What is indirect here is required by the Go package there.
	goMod := strings.ReplaceAll(read(t, "go.mod"), " // indirect", "")
	write(t, root, "go.mod", strings.Replace(goMod, "module ", "module example.org/user // ", 1))
	write(t, root, "go.sum", read(t, "go.sum"))
	write(t, root, "sdkgen.yaml", strings.NewReplacer("NAME", a.name, "PATH", a.path, "SELECT",
		a.apart).Replace(read(t, filepath.Join("testdata", "sdkgen.yaml")))+a.more)
	return root
}

// carry runs testdata/carry.go.txt on the kinds of the API.
func (a api) carry(t *testing.T, root string, doc *swagger) {
	t.Helper()
	var kinds strings.Builder
	for name := range doc.kinds() {
		fmt.Fprintf(&kinds, "\t\t%q: {new(api.%[1]s), new(sdk.%[1]s)},\n", name)
	}
	write(t, root, "carry_test.go", strings.NewReplacer("NAME", a.name, "PATH", a.path, "KINDS",
		kinds.String()).Replace(read(t, filepath.Join("testdata", "carry.go.txt"))))
	if _, _, err := run(root, "go", "test", "."); err != nil {
		t.Errorf("the Go client: %v", err)
	}
}

// run runs a program in a directory. The error holds what it printed.
func run(dir, program string, args ...string) (*os.ProcessState, time.Duration, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=sdk/python")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out.String())
	}
	return cmd.ProcessState, time.Since(start), err
}

// python runs the tests that are generated with the package and ruff, and makes each root kind. It returns
// the number of classes.
func python(t *testing.T, root, name string, doc *swagger) int {
	t.Helper()
	if _, _, err := run(root, "python3", "-m", "unittest", "discover", "-s", "sdk/python/test"); err != nil {
		t.Errorf("the Python package's tests: %v", err)
	}
	ruff := filepath.Join(root, ".tools", "ruff", "bin", "ruff")
	if _, err := os.Stat(ruff); err != nil {
		t.Fatalf("ruff is missing: make test installs it (%v)", err)
	}
	for _, args := range [][]string{{"format", "--check", "--diff"}, {"check"}} {
		if _, _, err := run(filepath.Join(root, "sdk", "python"), ruff, append(args, "--no-cache", ".")...); err != nil {
			t.Errorf("the style of the Python package: %v", err)
		}
	}
	kinds, err := json.Marshal(doc.kinds())
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join("testdata", "kinds.py"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := run(root, "python3", script, name, "sdk/python/test", string(kinds)); err != nil {
		t.Errorf("the root kinds in Python: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(root, "sdk", "python", name, "models", "[a-z]*.py"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// crds returns the CRDs that sdkgen made.
func crds(t *testing.T, root string) []map[string]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "crd", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no CRDs: %v", err)
	}
	var all []map[string]any
	for _, file := range files {
		var crd map[string]any
		if err := yaml.Unmarshal([]byte(read(t, file)), &crd); err != nil {
			t.Fatal(err)
		}
		all = append(all, crd)
	}
	return all
}

func tree(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	if err := filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
		files = append(files, name)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
