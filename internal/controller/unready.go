package controller

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The reasons of a false condition JobMiniClusterReady, besides reasonCreating.
const (
	reasonInvalid     = "Invalid"         // validation failed
	reasonSpecChanged = "SpecChanged"     // an immutable part of the spec has changed
	reasonConflict    = "Conflict"        // an object of another owner has the name
	reasonWaiting     = "Waiting"         // for an object to be deleted
	reasonRejected    = "Rejected"        // by the API server, such as for a quota
	reasonNoVolumes   = "VolumesDisabled" // by --allow-volumes=false
	reasonVolume      = "VolumeForbidden" // by the volume policy
)

// The time until the next attempt where no event triggers one.
const (
	retryStale = 200 * time.Millisecond // for the cache to catch up
	retryMin   = time.Second
	retryMax   = 30 * time.Second
)

// Whether to retry, for unready.
const (
	onEvent = false // an event triggers the next attempt
	again   = true
)

// unreadyError is why a MiniCluster is not ready, with a message for its owner.
type unreadyError struct {
	reason  string
	message string
	retry   bool
}

// Error returns the message.
func (e *unreadyError) Error() string { return e.message }

func unready(reason string, retry bool, format string, args ...any) error {
	return &unreadyError{reason: reason, message: fmt.Sprintf(format, args...), retry: retry}
}

// explain turns an error of the API server that only the user can resolve into an unreadyError. One that
// may pass, such as for a quota, is retried.
func explain(err error, name string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return unready(reasonWaiting, onEvent, "the namespace is being deleted")
	case permanent(err):
		return unready(reasonRejected, onEvent, "%s: %v", name, err)
	case apierrors.IsForbidden(err), apierrors.IsInvalid(err):
		return unready(reasonRejected, again, "%s: %v", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// permanent reports whether the API server will reject a request again for as long as it is the same.
func permanent(err error) bool {
	return apierrors.IsRequestEntityTooLargeError(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsMethodNotSupported(err) ||
		apierrors.IsNotAcceptable(err) || apierrors.IsUnsupportedMediaType(err) || invalidField(err) ||
		err != nil && strings.Contains(err.Error(), "etcdserver: request is too large")
}

// invalidField reports whether validation rejected a field. An admission policy, which may change, also
// responds with Invalid, and names no field.
func invalidField(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsInvalid(err) && errors.As(err, &status) && status.Status().Details != nil &&
		slices.ContainsFunc(status.Status().Details.Causes, func(c metav1.StatusCause) bool { return c.Field != "" })
}

// kindAndName identifies an object in messages.
func kindAndName(object client.Object) string {
	return object.GetObjectKind().GroupVersionKind().Kind + " " + object.GetName()
}
