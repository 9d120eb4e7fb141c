package fluxoperator

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The conditions of a MiniCluster that end a wait.
var (
	isReady     = metav1.Condition{Type: "JobMiniClusterReady", Status: metav1.ConditionTrue}
	isRunning   = metav1.Condition{Type: "JobRunning", Status: metav1.ConditionTrue}
	isCompleted = metav1.Condition{Type: "JobFinished", Status: metav1.ConditionTrue, Reason: "Completed"}

	isFinished = metav1.Condition{Type: isCompleted.Type, Status: metav1.ConditionTrue}
	hasNoJob   = metav1.Condition{Type: isRunning.Type, Reason: "NoJob"}
	isNotReady = metav1.Condition{Type: isReady.Type, Status: metav1.ConditionFalse}

	// needsChange are the reasons of isNotReady that stay until somebody changes the spec or the operator's options.
	needsChange = []string{"Invalid", "VolumesDisabled", "VolumeForbidden"}
)

// WaitReady waits until the Job of a MiniCluster and all objects that it needs exist. It returns the
// MiniCluster and errors as WaitUntil does. That the spec is invalid, or has volumes that the operator
// does not allow, is a *WaitError with the condition JobMiniClusterReady.
func (c *MiniClusterClient) WaitReady(ctx context.Context, name string) (*MiniCluster, error) {
	return c.wait(ctx, name, isReady)
}

// WaitRunning waits until all pods of a MiniCluster are ready. Errors are those of WaitReady; that the
// Job has finished is a *WaitError with the condition JobFinished.
func (c *MiniClusterClient) WaitRunning(ctx context.Context, name string) (*MiniCluster, error) {
	return c.wait(ctx, name, isRunning)
}

// WaitCompleted waits until the Job of a MiniCluster has completed. Errors are those of WaitReady; that
// the Job has failed is a *WaitError with the condition JobFinished.
func (c *MiniClusterClient) WaitCompleted(ctx context.Context, name string) (*MiniCluster, error) {
	return c.wait(ctx, name, isCompleted)
}

func (c *MiniClusterClient) wait(ctx context.Context, name string, want metav1.Condition) (*MiniCluster, error) {
	return restWaitFor(ctx, c.resource, name, c.page, (*MiniCluster).conditions, want, finalCondition)
}

// finalCondition returns the condition after which nothing more happens to a MiniCluster, or nil.
func finalCondition(all []metav1.Condition) *metav1.Condition {
	if finished := restMatch(all, isFinished); finished != nil {
		return finished
	}
	// A Job that exists goes on, whatever became of the spec.
	if notReady := restMatch(all, isNotReady); notReady != nil && slices.Contains(needsChange, notReady.Reason) && restMatch(all, hasNoJob) != nil {
		return notReady
	}
	return nil
}
