package lightclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// status returns a MiniCluster in JSON, with conditions TYPE=STATUS:REASON.
func status(conditions string) string {
	var all []string
	for text := range strings.FieldsSeq(conditions) {
		condition, reason, _ := strings.Cut(text, ":")
		typ, after, _ := strings.Cut(condition, "=")
		all = append(all, fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":"because"}`, typ, after, reason))
	}
	return `{"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"status":{"conditions":[` + strings.Join(all, ",") +
		`]}}`
}

// TestWaits: after which conditions each wait for a MiniCluster ends, and how.
func TestWaits(t *testing.T) {
	const (
		creating  = "JobMiniClusterReady=False:Creating JobRunning=False:NoJob JobFinished=False:NotFinished"
		invalid   = "JobMiniClusterReady=False:Invalid JobRunning=False:NoJob JobFinished=False:NotFinished"
		forbidden = "JobMiniClusterReady=False:VolumeForbidden JobRunning=False:NoJob JobFinished=False:NotFinished"
		edited    = "JobMiniClusterReady=False:Invalid JobRunning=False:PodsPending JobFinished=False:NotFinished"
		ready     = "JobMiniClusterReady=True:Created JobRunning=False:PodsPending JobFinished=False:NotFinished"
		running   = "JobMiniClusterReady=True:Created JobRunning=True:PodsReady JobFinished=False:NotFinished"
		completed = "JobMiniClusterReady=True:Created JobRunning=False:Ended JobFinished=True:Completed"
		failed    = "JobMiniClusterReady=True:Created JobRunning=False:Ended JobFinished=True:Failed"
	)
	waits := map[string]func(*fluxoperator.MiniClusterClient, context.Context, string) (*fluxoperator.MiniCluster, error){
		"ready":     (*fluxoperator.MiniClusterClient).WaitReady,
		"running":   (*fluxoperator.MiniClusterClient).WaitRunning,
		"completed": (*fluxoperator.MiniClusterClient).WaitCompleted,
	}
	for conditions, want := range map[string]map[string]string{ // to "" for success, the final condition, or "goes on"
		creating: {"ready": "goes on", "running": "goes on", "completed": "goes on"},
		invalid: {"ready": "JobMiniClusterReady: Invalid", "running": "JobMiniClusterReady: Invalid",
			"completed": "JobMiniClusterReady: Invalid"},
		forbidden: {"ready": "JobMiniClusterReady: VolumeForbidden", "running": "JobMiniClusterReady: VolumeForbidden",
			"completed": "JobMiniClusterReady: VolumeForbidden"},
		edited:    {"ready": "goes on", "running": "goes on", "completed": "goes on"},
		ready:     {"ready": "", "running": "goes on", "completed": "goes on"},
		running:   {"ready": "", "running": "", "completed": "goes on"},
		completed: {"ready": "", "running": "JobFinished: Completed", "completed": ""},
		failed:    {"ready": "", "running": "JobFinished: Failed", "completed": "JobFinished: Failed"},
	} {
		for name, wait := range waits {
			// A refused watch ends what goes on.
			c, _ := serve(t, "200\n"+status(conditions), "403\n"+
				`{"kind":"Status","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`)
			got, err := wait(c, t.Context(), "a")
			text := ""
			var failed *fluxoperator.WaitError
			switch {
			case errors.As(err, &failed) && apierrors.IsForbidden(failed.Err):
				text = "goes on"
			case errors.As(err, &failed) && failed.Err == nil && failed.Condition.Message == "because":
				text = failed.Condition.Type + ": " + failed.Condition.Reason
			case err != nil:
				text = err.Error()
			}
			if text != want[name] || got == nil || got.Name != "a" {
				t.Errorf("%s with %s: %q, want %q", name, conditions, text, want[name])
			}
		}
	}
}

// TestWaitFor shows a wait for any condition.
func TestWaitFor(t *testing.T) {
	c, asked := serve(t, "200\n"+status("JobRunning=False:NoJob"),
		"200\n"+event("MODIFIED", status("JobFinished=True:Failed")))
	_, err := c.WaitFor(t.Context(), "a", metav1.Condition{Type: "JobRunning"}, metav1.Condition{Type: "JobFinished"})
	const want = `waiting for JobRunning=True of miniclusters.flux-framework.org "a": JobFinished=True: Failed: because`
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if got := asked(); len(got) != 2 || !strings.Contains(got[1], "fieldSelector=metadata.name%3Da&resourceVersion=1&") {
		t.Errorf("asked: %q", got)
	}
}
