package e2e

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPython runs test/e2e/python with the operator running, and test/python/behaviours without it, for some pairs
// of Python and kubernetes client.
func TestPython(t *testing.T) {
	s := need(t)
	var out strings.Builder
	t.Cleanup(func() { // at the end of the output, after the operator's log
		for line := range strings.Lines(out.String()) {
			if t.Failed() && (strings.HasPrefix(line, "FAILED") || strings.HasPrefix(line, "E  ")) {
				t.Log(strings.TrimSuffix(line, "\n"))
			}
		}
	})
	matrix := func(cluster string) {
		cmd := exec.Command("python3", "test/python/matrix.py", "--cluster="+cluster, "--jobs=1", "--workdir=.tools/python")
		cmd.Dir = root
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	}
	matrix("bare")
	s.manager(t, s.kubeconfig)
	matrix("operator")
	t.Logf("%s", out.String())
}
