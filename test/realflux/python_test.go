package realflux

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestPython runs test/realflux/python with the newest kubernetes client.
func TestPython(t *testing.T) {
	s := need(t)
	environment := filepath.Join(t.TempDir(), "venv")
	for _, command := range [][]string{
		{"python3", "-m", "venv", environment},
		{environment + "/bin/pip", "install", "--quiet", "pytest", "../../sdk/python/v1alpha1"},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	began := time.Now()
	pytest := exec.CommandContext(t.Context(), environment+"/bin/python", "-m", "pytest", "-q", "-p", "no:cacheprovider",
		"python")
	pytest.Env = append(os.Environ(), "IMAGE="+s.images[0])
	out, err := pytest.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
	s.report.add("The Python client",
		"wait_ready, submit, flux, stream_output, wait_finished; multi-user.py, scale.py, wait-and-logs.py",
		s.images[0], time.Since(began), err != nil)
}
