package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPython runs test/e2e/python with the operator there, on each supported pair of Python and
// kubernetes that the machine has.
func TestPython(t *testing.T) {
	s := need(t)
	var out []byte
	t.Cleanup(func() { // after all else, the operator's log too, so that nobody has to look for it
		for line := range strings.Lines(string(out)) {
			if t.Failed() && (strings.HasPrefix(line, "FAILED") || strings.HasPrefix(line, "E  ")) {
				t.Log(strings.TrimSuffix(line, "\n"))
			}
		}
	})
	s.manager(t, s.kubeconfig)
	cmd := exec.Command("python3", "test/python/matrix.py", "--cluster", "--jobs=1", "--workdir=.tools/python")
	cmd.Dir = root
	var err error
	if out, err = cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
