package controller

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// refusals are responses of the API server, and whether the operator retries.
var refusals = map[string]struct {
	err   error
	retry bool
}{
	"invalid": {apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "x", field.ErrorList{
		field.TooLong(field.NewPath("data"), "", 1),
	}), false},
	"too large":          {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), false},
	"too large for etcd": {apierrors.NewInternalError(errors.New("etcdserver: request is too large")), false},
	"bad request":        {apierrors.NewBadRequest("no"), false},
	"method": {apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "configmaps"}, "create"),
		false},
	"media type": {apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "create",
		schema.GroupResource{}, "x", "no", 0, false), false},
	"not acceptable": {apierrors.NewGenericServerResponse(http.StatusNotAcceptable, "create", schema.GroupResource{},
		"x", "no", 0, false), false},
	"quota": {apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "x",
		errors.New("exceeded quota")), true},
	"an admission policy": {policy(), true},
}

// policy returns the response of a ValidatingAdmissionPolicy, which is Invalid without a field.
func policy() error {
	err := apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "x", errors.New("denied"))
	err.ErrStatus.Reason, err.ErrStatus.Code = metav1.StatusReasonInvalid, http.StatusUnprocessableEntity
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "denied"}}
	return err
}

// refusing returns a world whose API server rejects the creation of ConfigMaps, or changes of them.
func refusing(t *testing.T, err error, created bool) *world {
	w := newWorld(t, sample(t, "mc", plain))
	if created {
		w.reconcile("mc")
		w.recorded()
		entrypoint := get(w, &corev1.ConfigMap{}, "mc-entrypoint")
		entrypoint.Data = nil
		w.save(entrypoint)
	}
	below, ok := w.Client.(client.WithWatch)
	if !ok {
		t.Fatalf("%T cannot be wrapped", w.Client)
	}
	w.Client = interceptor.NewClient(below, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if kindOf(o) == "ConfigMap" {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch,
			opts ...client.PatchOption) error {
			if kindOf(o) == "ConfigMap" {
				return err
			}
			return c.Patch(ctx, o, patch, opts...)
		},
	})
	return w
}

// TestRefused: the reason is in the condition and in one event. What the API server would reject again is
// not retried.
func TestRefused(t *testing.T) {
	for name, test := range refusals {
		for verb, created := range map[string]bool{"create": false, "patch": true} {
			t.Run(name+"/"+verb, func(t *testing.T) {
				w := refusing(t, test.err, created)
				for range 2 {
					if result, _ := w.reconcile("mc"); (result.RequeueAfter > 0) != test.retry {
						t.Errorf("requeue after %s, want a retry: %t", result.RequeueAfter, test.retry)
					}
				}
				c := w.ready("mc")
				if c.Status != metav1.ConditionFalse || c.Reason != reasonRejected ||
					!strings.Contains(c.Message, "ConfigMap mc-") {
					t.Errorf("condition %+v", c)
				}
				if got := w.recorded(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning Rejected ConfigMap mc-") {
					t.Errorf("events %q", got)
				}
			})
		}
	}
}

// TestRefusedStatus: where no condition can be written, an event has the reason.
func TestRefusedStatus(t *testing.T) {
	for name, test := range refusals {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, sample(t, "mc", plain))
			w.Client = interceptor.NewClient(w.store, interceptor.Funcs{
				SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch,
					...client.SubResourcePatchOption) error {
					return test.err
				},
			})
			result, err := w.Reconcile(t.Context(),
				ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "lab", Name: "mc"}})
			if result.RequeueAfter > 0 || (err != nil) != test.retry {
				t.Errorf("Reconcile() = %+v, %v, want a retry: %t", result, err, test.retry)
			}
			if got := w.recorded(); !test.retry && (len(got) != 1 || !strings.HasPrefix(got[0], "Warning Rejected ")) {
				t.Errorf("events %q", got)
			}
		})
	}
}

// TestRefusedSize: a size that cannot be reset is in a condition.
func TestRefusedSize(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	mc := get(w, &api.MiniCluster{}, "mc")
	mc.Spec.Size = 9
	w.save(mc)
	w.failing = func(_ string, o client.Object) error {
		if kindOf(o) == "MiniCluster" {
			return refusals["invalid"].err
		}
		return nil
	}
	result, _ := w.reconcile("mc")
	if c := w.ready("mc"); c.Reason != reasonRejected || result.RequeueAfter != 0 {
		t.Errorf("requeue %+v, condition %+v", result, c)
	}
}
