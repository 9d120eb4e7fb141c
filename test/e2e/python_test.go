package e2e

import (
	"os/exec"
	"testing"
)

// TestPython runs test/e2e/python with the operator there, on each supported pair of Python and
// kubernetes that the machine has.
func TestPython(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	cmd := exec.Command("python3", "test/python/matrix.py", "--cluster", "--jobs=1", "--workdir=.tools/python")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
