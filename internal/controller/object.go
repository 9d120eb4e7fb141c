package controller

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/go-logr/logr"
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

// ensure creates an object, or corrects the existing one: its owner and labels and, if follow is set,
// its mutable fields. An object that the cache lacks is created; if it exists after all, creation
// fails, so that an object of another owner is not touched.
func (p *pass) ensure(ctx context.Context, want client.Object, follow bool) (client.Object, error) {
	live, err := p.cached(ctx, want)
	if apierrors.IsNotFound(err) {
		if err := p.setNamespaceUID(ctx, want); err != nil {
			return nil, err
		}
		return p.create(ctx, want)
	}
	if err == nil {
		err = p.checkOwner(live, want)
	}
	if err != nil {
		return nil, err
	}
	switch live := live.(type) {
	case *corev1.PersistentVolume:
		if err := p.checkVolume(ctx, live); err != nil {
			return nil, err
		}
	case *corev1.Pod:
		if terminated(live) {
			return nil, p.replace(ctx, live)
		}
	case *corev1.Service:
		if shared(want) {
			return live, p.share(ctx, live, want)
		}
	}
	return p.update(ctx, live, want, follow)
}

// cached reads an object from the cache. The Job has been read already.
func (p *pass) cached(ctx context.Context, want client.Object) (client.Object, error) {
	if p.job != nil && want == client.Object(p.objects.Job) {
		return p.job, nil
	}
	return p.read(ctx, p.Client, want)
}

// read reads the object of the same kind and name as another one.
func (p *pass) read(ctx context.Context, from client.Reader, like client.Object) (client.Object, error) {
	gvk, err := p.Client.GroupVersionKindFor(like)
	if err != nil {
		return nil, err
	}
	empty, err := p.Client.Scheme().New(gvk)
	if err != nil {
		return nil, err
	}
	live, ok := empty.(client.Object)
	if !ok {
		return nil, errors.New(gvk.String() + " has no metadata")
	}
	return live, from.Get(ctx, client.ObjectKeyFromObject(like), live)
}

// createKeys creates a Secret of keys. An existing one has the same name, so it is of the same MiniCluster,
// and stays: the operator may not read Secrets.
func (p *pass) createKeys(ctx context.Context, want *corev1.Secret) error {
	if err := p.setOwner(want); err != nil {
		return err
	}
	secret := want.DeepCopy()
	if err := p.desired.SetKeys(secret, p.Rand); err != nil {
		return err
	}
	// Clients log requests to the logger of their context.
	err := p.Client.Create(logr.NewContext(ctx, logr.Discard()), secret)
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return explain(err, kindAndName(want))
}

// create creates an object. If it exists after all, the labels that the caches select it by are
// restored, and the rest is left to the next reconciliation.
func (p *pass) create(ctx context.Context, want client.Object) (client.Object, error) {
	if err := p.setOwner(want); err != nil {
		return nil, err
	}
	name := kindAndName(want) // the response has no kind
	err := p.Client.Create(ctx, want)
	if err == nil {
		p.created.Record(want)
		log.FromContext(ctx).V(1).Info("created", "object", name)
		return want, nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return nil, explain(err, name)
	}
	live, err := p.read(ctx, p.Live, want)
	if err == nil {
		err = p.checkOwner(live, want)
	}
	if err == nil {
		_, err = p.update(ctx, live, want, false)
	}
	if err == nil || apierrors.IsNotFound(err) {
		err = apierrors.NewConflict(schema.GroupResource{Resource: "objects"}, want.GetName(),
			errors.New("not yet in the cache"))
	}
	return nil, err
}

// setOwner makes the MiniCluster the controller of an object, or an owner of a shared one. Persistent
// volumes are cluster-scoped and cannot have it for an owner: see deleteVolumes.
func (p *pass) setOwner(object client.Object) error {
	switch {
	case object.GetNamespace() == "":
		return nil
	case shared(object):
		return controllerutil.SetOwnerReference(p.mc, object, p.Client.Scheme())
	}
	return controllerutil.SetControllerReference(p.mc, object, p.Client.Scheme())
}

// checkOwner accepts an existing object if the MiniCluster owns it, or if it has no controller and the
// labels of the desired one.
func (p *pass) checkOwner(live, want client.Object) error {
	owner := metav1.GetControllerOf(live)
	labels := []string{minicluster.LabelManagedBy, minicluster.LabelInstance}
	if want.GetNamespace() == "" {
		labels = []string{minicluster.LabelNamespace, minicluster.LabelInstance}
	}
	switch {
	case !live.GetDeletionTimestamp().IsZero():
		return unready(reasonWaiting, again, "%s is being deleted", kindAndName(want))
	case p.owns(live):
		return nil
	case owner != nil && owner.APIVersion == api.SchemeGroupVersion.String() && owner.Kind == "MiniCluster" &&
		owner.Name == p.mc.Name:
		return unready(reasonWaiting, again, "%s of a deleted MiniCluster has not been garbage collected yet",
			kindAndName(want))
	case owner == nil && sameLabels(live, want, labels):
		return nil
	}
	return unready(reasonConflict, again, "%s already exists and does not belong to this MiniCluster", kindAndName(want))
}

// owns reports whether the MiniCluster is among the owners of an object.
func (p *pass) owns(object client.Object) bool {
	return slices.ContainsFunc(object.GetOwnerReferences(),
		func(o metav1.OwnerReference) bool { return o.UID == p.mc.UID })
}

func sameLabels(a, b client.Object, labels []string) bool {
	return !slices.ContainsFunc(labels, func(label string) bool { return a.GetLabels()[label] != b.GetLabels()[label] })
}

// shared reports whether several MiniClusters may own an object: it has no label with the name of one.
func shared(object client.Object) bool {
	return object.GetLabels()[minicluster.LabelInstance] == ""
}

// update gives an object the desired owner and labels and, if follow is set, the desired mutable
// fields. It writes only what differs.
func (p *pass) update(ctx context.Context, live, want client.Object, follow bool) (client.Object, error) {
	after, ok := live.DeepCopyObject().(client.Object)
	if !ok {
		return nil, errors.New(kindAndName(want) + " has no metadata")
	}
	after.SetLabels(merged(live.GetLabels(), want.GetLabels()))
	after.SetAnnotations(merged(want.GetAnnotations(), live.GetAnnotations()))
	if err := p.setOwner(after); err != nil {
		return nil, err
	}
	if follow {
		setMutable(after, want)
		if err := checkRetained(after, want); err != nil {
			return nil, err
		}
	}
	if equality.Semantic.DeepEqual(live, after) {
		return live, nil
	}
	err := p.Client.Patch(ctx, after, client.MergeFrom(live))
	if err == nil {
		log.FromContext(ctx).V(1).Info("updated", "object", kindAndName(want))
	}
	return after, explain(err, kindAndName(want))
}

// merged returns the union of two maps; for a key in both, b wins.
func merged(a, b map[string]string) map[string]string {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}
