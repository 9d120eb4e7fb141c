package version_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/hack/release/version"
)

// TestRepository: all places of this repository have one version, and `make release` knows each line that names it.
func TestRepository(t *testing.T) {
	const root = "../../.."
	list := exec.Command("git", "ls-files")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := strings.Fields(string(out))
	wrong, err := version.Disagreements(root, files)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range wrong {
		t.Error(text)
	}
	if found, err := version.Places(root, files); err != nil || len(found) < 12 {
		t.Errorf("only %d places were found (%v)", len(found), err)
	}
}
