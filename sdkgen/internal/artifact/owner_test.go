package artifact

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

func TestLockFile(t *testing.T) {
	for config, want := range map[string]string{
		"sdkgen.yaml": "sdkgen.lock", "sdkgen-beta.yaml": "sdkgen-beta.lock", "conf/a/beta.yaml": "conf-a-beta.lock",
		"sdkgen.yml": "sdkgen.yml.lock", "sdkgen": "sdkgen.lock",
	} {
		if got := LockFile(config); got != want {
			t.Errorf("LockFile(%q) = %q, want %q", config, got, want)
		}
	}
}

// TestOtherConfiguration: what the lock of another configuration lists is neither overwritten nor removed, as long
// as that configuration exists.
func TestOtherConfiguration(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	write(t, dir, "sdkgen.yaml", "")
	mustGenerate(t, root, setOf(t, map[string]files{"py": {"py/a": "a", "py/b": "b"}}))
	write(t, dir, "other.lock", "of another program\n")

	plan := func(set map[string]files, opts Options) (*Plan, error) {
		old, err := ReadLock(root, "beta.yaml")
		if err != nil {
			t.Fatal(err)
		}
		target := setOf(t, set)
		return NewPlan(root, old, target, keysOf(target, "py"), opts)
	}
	for _, p := range []string{"py/a", "PY/b"} {
		_, err := plan(map[string]files{"py": {p: "x"}}, Options{Adopt: true})
		if list, ok := errors.AsType[diag.List](err); !ok || !strings.Contains(list.Error(), "sdkgen.lock lists it") {
			t.Errorf("%s: %v", p, err)
		}
	}
	// A lock that claims a file of the other's does not have it removed.
	write(t, dir, "beta.lock", lockHeader+"config beta.yaml\nfile py/a "+sumA+" py\n")
	built, err := plan(map[string]files{"py": {"c": "c"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Commit(t.Context(), root, built); err != nil {
		t.Fatal(err)
	}
	same(t, "tree", []string{"c", "py/a", "py/b"}, leaves(t, dir))
	if err := os.Remove(dir + "/sdkgen.yaml"); err != nil {
		t.Fatal(err)
	}
	if _, err := plan(map[string]files{"py": {"c": "c", "py/a": "a"}}, Options{}); err != nil {
		t.Errorf("without sdkgen.yaml: %v", err)
	}
}

// leaves are the files below dir that are neither locks nor configurations.
func leaves(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for _, line := range snapshot(t, dir) {
		name, _, _ := strings.Cut(line, " ")
		if !strings.HasSuffix(name, ".lock") && !strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	return names
}
