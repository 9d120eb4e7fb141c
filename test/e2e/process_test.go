package e2e

import (
	"slices"
	"testing"

	"github.com/flux-framework/flux-operator/test/operator"
)

// manager starts the operator. It is killed at the end of the test; if the test has failed, the end of the
// log is shown.
func (s *suite) manager(t *testing.T, kubeconfig string, args ...string) *operator.Process {
	t.Helper()
	p, err := s.launch(kubeconfig, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("the end of the operator's log:\n%s", p.Tail(20))
		}
	})
	eventually(t, patience, func() string {
		select {
		case err := <-p.Ended:
			p.Ended <- err
			t.Fatalf("the operator has exited: %v\n%s", err, p.Tail(20))
		default:
		}
		return p.Unready()
	})
	return p
}

func (s *suite) launch(kubeconfig string, args ...string) (*operator.Process, error) {
	if !slices.Contains(args, "--allow-volumes=false") {
		args = append(args, "--allow-volumes", "--allow-host-paths=/mnt,/tmp/results", "--allow-csi-drivers=gcs.csi.ofek.dev")
	}
	p, err := operator.Start(s.dir, kubeconfig, args...)
	if err == nil {
		s.processes = append(s.processes, p)
	}
	return p, err
}
