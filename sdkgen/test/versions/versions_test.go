// Package versions compiles generated Go with older and newer versions of Kubernetes' libraries.
package versions

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestLightClient vets this repository's light Go client, with its example and its fake, against each pair of
// testdata/*.mod and *.sum: the versions of k8s.io/api and apimachinery that a user's go.mod may have.
func TestLightClient(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mod")
	if err != nil || len(files) < 5 {
		t.Fatalf("versions: %q, %v", files, err)
	}
	for i, file := range files {
		if i > 0 && i < len(files)-1 && !testkit.All() {
			continue // make test takes the oldest and the newest
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".mod"), func(t *testing.T) {
			file, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("go", "vet", "-modfile="+file, "./fluxoperator", "./fluxoperator/fake")
			cmd.Dir = filepath.FromSlash("../../../sdk/go")
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
