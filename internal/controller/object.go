package controller

import (
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// pass is one reconciliation of the objects of a MiniCluster.
type pass struct {
	*Reconciler
	mc       *api.MiniCluster
	existing []corev1.ConfigMap // with keys, as they were when the objects were made
	mode     mode
}

// ensure creates an object, or changes the one that there is as far as that can be changed. What
// the cache does not have is taken for missing; creating it then tells, so that nothing of another
// owner is touched, and no key is drawn twice.
func (p pass) ensure(ctx context.Context, want client.Object) (client.Object, error) {
	live, err := p.cached(ctx, want)
	if apierrors.IsNotFound(err) {
		return p.create(ctx, want)
	}
	if err == nil {
		err = p.owned(live, want)
	}
	if err != nil {
		return nil, err
	}
	switch live := live.(type) {
	case *corev1.Pod:
		if over(live) {
			return nil, p.replace(ctx, live)
		}
	case *corev1.Service:
		if shared(want) {
			return live, p.join(ctx, live, want)
		}
	}
	return p.change(ctx, live, want, p.mode == following)
}

// cached reads an object from the cache. Keys are those that the objects were made with, even if
// the cache has others by now.
func (p pass) cached(ctx context.Context, want client.Object) (client.Object, error) {
	if isKeys(p.mc, want) {
		for i := range p.existing {
			if p.existing[i].Name == want.GetName() {
				return &p.existing[i], nil
			}
		}
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, want.GetName())
	}
	return p.read(ctx, p.Client, want)
}

// read reads the object that has the kind and the name of another.
func (p pass) read(ctx context.Context, from client.Reader, like client.Object) (client.Object, error) {
	kind, err := p.Client.GroupVersionKindFor(like)
	if err != nil {
		return nil, err
	}
	empty, err := p.Client.Scheme().New(kind)
	if err != nil {
		return nil, err
	}
	live, ok := empty.(client.Object)
	if !ok {
		return nil, errors.New(kind.String() + " is no object")
	}
	return live, from.Get(ctx, client.ObjectKeyFromObject(like), live)
}

// create makes an object. One that is there after all gets back what the caches know it by, and is
// left to the next reconciliation.
func (p pass) create(ctx context.Context, want client.Object) (client.Object, error) {
	if err := p.own(want); err != nil {
		return nil, err
	}
	name := title(want) // the answer has no kind
	err := p.Client.Create(ctx, want)
	if err == nil {
		p.made.note(want)
		log.FromContext(ctx).V(1).Info("created", "object", name)
		return want, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, explain(err, name)
	}
	live, err := p.read(ctx, p.Live, want)
	if err == nil {
		err = p.owned(live, want)
	}
	if err == nil {
		_, err = p.change(ctx, live, want, false)
	}
	if err == nil || apierrors.IsNotFound(err) {
		err = apierrors.NewConflict(schema.GroupResource{Resource: "objects"}, want.GetName(),
			errors.New("the cache does not have it yet"))
	}
	return nil, err
}

// own makes the MiniCluster the controller of an object, or one of the owners of an object that it
// shares. A persistent volume has no owner, as it is in no namespace: see sweep.
func (p pass) own(object client.Object) error {
	switch {
	case object.GetNamespace() == "":
		return nil
	case shared(object):
		return controllerutil.SetOwnerReference(p.mc, object, p.Client.Scheme())
	}
	return controllerutil.SetControllerReference(p.mc, object, p.Client.Scheme())
}

// owned says whether an object may be taken for the one that is wanted: the MiniCluster owns it, or
// nobody controls it and it has its labels.
func (p pass) owned(live, want client.Object) error {
	owner := metav1.GetControllerOf(live)
	labels := []string{minicluster.LabelManagedBy, minicluster.LabelInstance}
	if want.GetNamespace() == "" {
		labels = []string{minicluster.LabelNamespace, minicluster.LabelInstance}
	}
	switch {
	case !live.GetDeletionTimestamp().IsZero():
		return refuse(reasonWaiting, again, "%s is being deleted", title(want))
	case p.owns(live):
		return nil
	case owner != nil && owner.APIVersion == api.SchemeGroupVersion.String() && owner.Kind == "MiniCluster" && owner.Name == p.mc.Name:
		return refuse(reasonWaiting, again, "%s of an earlier MiniCluster is going to be deleted", title(want))
	case owner == nil && alike(live, want, labels):
		return nil
	}
	return refuse(reasonConflict, again, "%s is there already, and does not belong to this MiniCluster", title(want))
}

// owns says whether the MiniCluster is among the owners of an object.
func (p pass) owns(object client.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == p.mc.UID })
}

// alike compares labels.
func alike(a, b client.Object, labels []string) bool {
	return !slices.ContainsFunc(labels, func(label string) bool { return a.GetLabels()[label] != b.GetLabels()[label] })
}

// shared says whether several MiniClusters own an object: it is labelled with the name of none.
func shared(object client.Object) bool {
	return object.GetLabels()[minicluster.LabelInstance] == ""
}

// change gives an object the owner and the labels that are wanted and, if asked to, the rest, and
// writes it if that makes a difference.
func (p pass) change(ctx context.Context, live, want client.Object, rest bool) (client.Object, error) {
	after, ok := live.DeepCopyObject().(client.Object)
	if !ok {
		return nil, errors.New(title(want) + " is no object")
	}
	after.SetLabels(merged(live.GetLabels(), want.GetLabels()))
	after.SetAnnotations(merged(want.GetAnnotations(), live.GetAnnotations()))
	if err := p.own(after); err != nil {
		return nil, err
	}
	if rest {
		assign(after, want)
		if err := fits(after, want); err != nil {
			return nil, err
		}
	}
	if equality.Semantic.DeepEqual(live, after) {
		return live, nil
	}
	err := p.Client.Patch(ctx, after, client.MergeFrom(live))
	if err == nil {
		log.FromContext(ctx).V(1).Info("changed", "object", title(want))
	}
	return after, explain(err, title(want))
}

// merged returns a map of both; where both have a key, the second one goes.
func merged(a, b map[string]string) map[string]string {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
