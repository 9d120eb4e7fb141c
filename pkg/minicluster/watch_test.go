package minicluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/testkit"
)

// TestWatch runs commands that fail, beside jobs and departures of brokers, and wants the ranks that were
// lost under them.
func TestWatch(t *testing.T) {
	job := func(after, ranks string, run, cleanup int, exception, note string) string {
		return fmt.Sprintf(`{"is_": %q, "ranks": %q, "t_run": %d, "t_cleanup": %d, "exception": {"type": %q, "note": %q}}`,
			after, ranks, run, cleanup, exception, note)
	}
	offline := func(when int, ranks string) string {
		return fmt.Sprintf(`{"timestamp": %d.5, "name": "online", "context": {"idset": "0-3"}}`+"\n"+
			`{"timestamp": %d.5, "name": "offline", "context": {"idset": %q}}`+"\n", when-1, when, ranks)
	}
	for name, test := range map[string]struct{ jobs, events, want string }{
		"failed by itself": {job("failed", "[0-2]", 10, 20, "", ""), "", ""},
		"not started":      {job("failed", "", 0, 20, "alloc", "unsatisfiable"), offline(15, "1"), ""},
		"shut down under it": {job("failed", "[0-2]", 10, 20, "exec",
			"flux_job_event_watch_get: Function not implemented"), offline(20, "2"), "2"},
		"still ends": {job("cleanup", "[0-2]", 10, 20, "", ""), offline(20, "1-2"), "1 2"},
		"disappeared": {job("failed", "[0-2]", 10, 20, "exec", "node failure on fx-2 (rank 2)"),
			offline(20, "2"), "2"},
		"disappeared, no event": {job("failed", "[1-2]", 10, 20, "exec",
			"lost contact with job shell on broker fx-2 (rank 2)"), "", "1 2"},
		"under a batch":      {job("failed", "[1-2]", 10, 20, "node-failure", "x"), offline(19, "2"), "2"},
		"without part in it": {job("failed", "[0-1]", 10, 20, "", ""), offline(15, "2-3"), ""},
		"before it":          {job("failed", "[0-1]", 10, 20, "", ""), offline(8, "1"), ""},
		"after it":           {job("failed", "[0-1]", 10, 20, "", ""), offline(25, "1"), ""},
		"under one that completed": {job("completed", "[0-1]", 10, 20, "", "") + "\n" + job("failed", "0", 30, 40, "", ""),
			offline(15, "1"), ""},
	} {
		for _, log := range []string{"JOURNAL", "EVENTLOG"} {
			t.Run(name+"/"+log, func(t *testing.T) {
				s := newSandbox(t, testkit.Cases(t, "run/lost.txtar")[0])
				testkit.Write(t, s.root, "run/flux/lost", nil)
				modules, err := filepath.Abs("testdata/python")
				if err != nil {
					t.Fatal(err)
				}
				t.Parallel()
				cmd := exec.Command("python3", "-B", filepath.Join(s.root, "flux_operator/watch.py"), "sh", "-c", "exit 7")
				cmd.Env = append(os.Environ(), "PATH="+s.bin+":"+os.Getenv("PATH"), "ROOT="+s.root, "PYTHONPATH="+modules,
					"JOBS="+test.jobs, log+"="+test.events)
				out, err := cmd.CombinedOutput()
				if cmd.ProcessState.ExitCode() != 7 || len(out) > 0 {
					t.Errorf("%v\n%s", err, out)
				}
				if got := strings.TrimSpace(s.read(t, "run/flux/lost")); got != test.want {
					t.Errorf("lost %q, want %q", got, test.want)
				}
			})
		}
	}
}
