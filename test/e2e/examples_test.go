package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestGoExamples runs the programs of examples/go with the operator running. Each creates a MiniCluster,
// waits until it is ready, prints its status and deletes it.
func TestGoExamples(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	namespace, bin := s.namespace(t), t.TempDir()
	build := exec.Command("go", "build", "-o", bin+"/", "./...")
	build.Dir = root + "/examples/go"
	build.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	for name, access := range map[string][]string{
		"controllerruntime": nil,
		"clientset":         nil,
		"light":             s.access(t),
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"-namespace", namespace, "-name", name}, access...)
			out, err := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...).CombinedOutput()
			want := fmt.Sprintf("%[1]s/%[2]s is ready: 2 of at most 2 pods\n%[1]s/%[2]s is deleted\n", namespace, name)
			if err != nil || string(out) != want {
				t.Errorf("error %v, output\n%swant\n%s", err, out, want)
			}
			left := &api.MiniCluster{}
			if err := s.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, left); err == nil &&
				left.DeletionTimestamp == nil || err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("the MiniCluster still exists: %v", err)
			}
		})
	}
}

// access returns the flags of examples/go/light for the administrator.
func (s *suite) access(t *testing.T) []string {
	t.Helper()
	config := rest.CopyConfig(s.config)
	if err := rest.LoadTLSFiles(config); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"-server", config.Host}
	for name, data := range map[string][]byte{"ca": config.CAData, "cert": config.CertData, "key": config.KeyData} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-"+name, file)
	}
	return args
}
