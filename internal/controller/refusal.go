package controller

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The reasons for which a MiniCluster is not ready, beside reasonCreating.
const (
	reasonInvalid     = "Invalid"         // Validate has found something
	reasonSpecChanged = "SpecChanged"     // what a Job was made from cannot be changed
	reasonConflict    = "Conflict"        // an object of another owner has the name
	reasonWaiting     = "Waiting"         // for the end of an object that is being deleted
	reasonRejected    = "Rejected"        // by the API server, such as for a quota
	reasonNoVolumes   = "VolumesDisabled" // the operator makes none
)

// How long to wait until trying again, where no event may tell that it is worth while: for the cache,
// and for what is in the way of a MiniCluster.
const (
	retrySoon  = 200 * time.Millisecond
	retryFirst = time.Second
	retryMost  = 30 * time.Second
)

// Whether to try again, for refuse.
const (
	onEvent = false // something will tell when it is worth while
	again   = true
)

// refusal is why a MiniCluster does not get what it asks for, in words for its owner.
type refusal struct {
	reason  string
	message string
	retry   bool
}

// Error returns the message.
func (r *refusal) Error() string { return r.message }

func refuse(reason string, retry bool, format string, args ...any) error {
	return &refusal{reason: reason, message: fmt.Sprintf(format, args...), retry: retry}
}

// explain turns an answer of the API server that does not pass by itself into a refusal.
func explain(err error, name string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return refuse(reasonWaiting, onEvent, "the namespace is being deleted")
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err):
		return refuse(reasonRejected, again, "%s: %v", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// title is how messages call an object.
func title(object client.Object) string {
	return object.GetObjectKind().GroupVersionKind().Kind + " " + object.GetName()
}
