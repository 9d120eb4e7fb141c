package controller

import (
	"fmt"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The maximum length of the note of an event and, with room to spare, of the message of a condition,
// in bytes.
const (
	maxNote    = 1024
	maxMessage = 8192
)

// recordConditions records an event for each condition that has changed and that users wait for.
func (r *Reconciler) recordConditions(mc *api.MiniCluster, before []metav1.Condition) {
	for _, c := range mc.Status.Conditions {
		old := meta.FindStatusCondition(before, c.Type)
		if old != nil && old.Status == c.Status && old.Reason == c.Reason {
			continue
		}
		switch {
		case c.Type == api.ConditionJobReady && c.Status == metav1.ConditionTrue:
			r.event(mc, corev1.EventTypeNormal, c.Reason, "Create", "%s", c.Message)
		case c.Type == api.ConditionJobReady && c.Reason != reasonCreating && c.Reason != reasonWaiting:
			r.event(mc, corev1.EventTypeWarning, c.Reason, "Create", "%s", c.Message)
		case c.Type == api.ConditionJobFinished && c.Reason == "Failed":
			r.event(mc, corev1.EventTypeWarning, c.Reason, "Run", "%s", c.Message)
		case c.Type == api.ConditionJobFinished && c.Status == metav1.ConditionTrue:
			r.event(mc, corev1.EventTypeNormal, c.Reason, "Run", "%s", c.Message)
		}
	}
}

func (r *Reconciler) event(mc *api.MiniCluster, eventType, reason, action, format string, args ...any) {
	r.Events.Eventf(mc, nil, eventType, reason, action, "%s", truncate(fmt.Sprintf(format, args...), maxNote))
}

// truncate shortens s to at most limit bytes, between characters.
func truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const ellipsis = "…"
	limit -= len(ellipsis)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + ellipsis
}
