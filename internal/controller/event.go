package controller

import (
	"fmt"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The most bytes that the API server takes for the note of an event and, with room to spare, for
// the message of a condition.
const (
	maxNote    = 1024
	maxMessage = 8192
)

// announce tells of the conditions that have changed and that somebody may wait for.
func (r *Reconciler) announce(mc *api.MiniCluster, before []metav1.Condition) {
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

func (r *Reconciler) event(mc *api.MiniCluster, kind, reason, action, format string, args ...any) {
	r.Events.Eventf(mc, nil, kind, reason, action, "%s", clip(fmt.Sprintf(format, args...), maxNote))
}

// clip cuts a text that is too long, and not within a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const more = "…"
	most -= len(more)
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + more
}
