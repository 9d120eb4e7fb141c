package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPython runs test/e2e/python with the operator running, for each supported pair of installed Python
// and kubernetes client.
func TestPython(t *testing.T) {
	s := need(t)
	var out []byte
	t.Cleanup(func() { // at the end of the output, after the operator's log
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
