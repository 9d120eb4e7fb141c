package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// TestSeveral makes one SDK of two groups, one of them with two versions, from testdata/several, installs the
// CRDs and the wheel of the same run, and has a Python and a Go program use all of it.
func TestSeveral(t *testing.T) {
	s := need(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/several")); err != nil {
		t.Fatal(err)
	}
	// The modules that the tests of sdkgen fetch anyway.
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, "sdkgen/internal/testkit/testdata/project", name))
		if err != nil {
			t.Fatal(err)
		}
		data = []byte(strings.Replace(string(data), "module example.org/project", "module example.org/dairy", 1))
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command(t, filepath.Join(root, "sdkgen"), "go", "run", ".", "generate", "-C", dir)
	command(t, dir, "go", "vet", "./...")
	command(t, dir, "kubectl", "apply", "--server-side", "-f", "crd")
	t.Cleanup(func() { command(t, dir, "kubectl", "delete", "--wait=false", "-f", "crd") })
	command(t, dir, "kubectl", "wait", "--for=condition=Established", "--timeout=60s", "-f", "crd")

	command(t, dir, "python3", "-m", "venv", "venv")
	command(t, dir, "venv/bin/pip", "install", "-q", "./sdk/python")
	got := command(t, dir, "venv/bin/python", "use.py")
	if want := "FieldSpec() got an unexpected keyword argument 'owner'\nNotFound\n"; got != want {
		t.Errorf("use.py printed %q, want %q", got, want)
	}
	p := s.proxy(t, rest.ImpersonationConfig{})
	got = command(t, dir, "go", "run", ".", p.URL)
	if want := "crops.example.org/v1 5 me crops.example.org/v1beta1 5 true 3\n"; got != want {
		t.Errorf("use.go printed %q, want %q", got, want)
	}
}

// command runs a command in a directory and returns its standard output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	if strings.Contains(name, "/") {
		cmd.Path = filepath.Join(dir, name)
	}
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
