package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// The annotations of a Job that say what it was made from.
const (
	// AnnotationSpec is a checksum of the spec, without what can be changed later.
	AnnotationSpec = api.GroupName + "/spec-checksum"
	// AnnotationObjects is a checksum of the objects, without keys and as they are for the
	// greatest size. Another version of the operator may make others of the same spec.
	AnnotationObjects = api.GroupName + "/objects-checksum"
)

// advance makes what is missing of a MiniCluster, and returns its Job. Once there is a Job, it only
// follows the size and the deadline: other changes of the spec would need another Job, and the one
// that runs is not to be lost.
func (r *Reconciler) advance(ctx context.Context, mc *api.MiniCluster, job *batchv1.Job) (*batchv1.Job, error) {
	if ended(job) {
		return job, nil
	}
	if errs := minicluster.Validate(mc); len(errs) > 0 {
		return job, refuse(reasonInvalid, onEvent, "%v", errs.ToAggregate())
	}
	if len(mc.Spec.Volumes) > 0 && !r.Volumes {
		return job, refuse(reasonNoVolumes, onEvent, "spec.volumes: this operator makes no persistent volumes (--allow-volumes=false)")
	}
	if err := r.bound(ctx, mc, job); err != nil {
		return job, err
	}
	existing, err := r.keys(ctx, mc)
	if err != nil {
		return job, err
	}
	set, err := minicluster.Objects(mc, minicluster.Options{Rand: r.Rand, Existing: existing})
	if err != nil {
		return job, err
	}
	if set.Job.Annotations, err = r.marks(mc); err != nil {
		return job, err
	}
	p := pass{r, mc, existing, modeOf(job, set.Job)}
	if p.mode == frozen {
		job, err = r.scale(ctx, mc, job, set.Job)
		if err == nil {
			err = refuse(reasonSpecChanged, onEvent, "the spec has changed in more than size, deadlineSeconds and cleanup: "+
				"the Job runs on as it was made; take the change back, or delete the MiniCluster and create it again")
		}
		return job, err
	}
	for _, want := range set.All() {
		if want != minicluster.Object(set.Job) {
			if _, err := p.ensure(ctx, want); err != nil {
				return job, err
			}
		}
	}
	return r.scale(ctx, mc, job, set.Job)
}

// mode is how far the objects of a MiniCluster follow its spec.
type mode int

const (
	following mode = iota // there is no Job, or it was made from the same
	keeping               // another version of the operator made it: only what is missing is made
	frozen                // the spec has changed: nothing is made
)

func modeOf(job, want *batchv1.Job) mode {
	switch {
	case job == nil:
		return following
	case job.Annotations[AnnotationSpec] != want.Annotations[AnnotationSpec]:
		return frozen
	case job.Annotations[AnnotationObjects] != want.Annotations[AnnotationObjects]:
		return keeping
	}
	return following
}

// bound fixes the greatest size when it first sees a MiniCluster, before anything is made of it,
// and later puts a greater size back.
func (r *Reconciler) bound(ctx context.Context, mc *api.MiniCluster, job *batchv1.Job) error {
	if mc.Status.MaximumSize == 0 {
		return r.update(ctx, mc, func() {
			mc.Status.MaximumSize = minicluster.MaximumSize(mc)
			report(mc, job, nil)
		})
	}
	if mc.Spec.Size <= mc.Status.MaximumSize {
		return nil
	}
	before := mc.DeepCopy()
	mc.Spec.Size = mc.Status.MaximumSize
	err := r.Client.Patch(ctx, mc, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		r.event(mc, corev1.EventTypeWarning, "SizeLimited", "Scale",
			"the size %d is more than the greatest that the MiniCluster was made for, and was put back to %d", before.Spec.Size, mc.Spec.Size)
	}
	return err
}

// keys reads the ConfigMaps that hold keys.
func (r *Reconciler) keys(ctx context.Context, mc *api.MiniCluster) ([]corev1.ConfigMap, error) {
	var all []corev1.ConfigMap
	for _, name := range minicluster.KeyConfigMaps(mc) {
		var one corev1.ConfigMap
		err := r.Client.Get(ctx, types.NamespacedName{Namespace: mc.Namespace, Name: name}, &one)
		switch {
		case err == nil:
			all = append(all, one)
		case !apierrors.IsNotFound(err):
			return nil, fmt.Errorf("reading the keys: %w", err)
		}
	}
	return all, nil
}

// scale makes the Job, or gives it the size and the deadline of the one that is wanted.
func (r *Reconciler) scale(ctx context.Context, mc *api.MiniCluster, job, want *batchv1.Job) (*batchv1.Job, error) {
	p := pass{r, mc, nil, following}
	made, err := p.ensure(ctx, want)
	if err != nil {
		return job, err
	}
	after, ok := made.(*batchv1.Job)
	if !ok {
		return job, fmt.Errorf("the Job has become a %T", made)
	}
	if job != nil && *job.Spec.Parallelism != *after.Spec.Parallelism {
		log.FromContext(ctx).Info("scaled", "from", *job.Spec.Parallelism, "to", *after.Spec.Parallelism)
		r.event(mc, corev1.EventTypeNormal, "Scaled", "Scale", "the Job has %d pods instead of %d", *after.Spec.Parallelism, *job.Spec.Parallelism)
	}
	return after, nil
}

// marks are the annotations of a Job that is made for a MiniCluster now.
func (r *Reconciler) marks(mc *api.MiniCluster) (map[string]string, error) {
	mc = mc.DeepCopy()
	mc.Spec.DeadlineSeconds, mc.Spec.Cleanup = 0, false
	mc.Spec.Size = minicluster.MaximumSize(mc)
	set, err := minicluster.Objects(mc, minicluster.Options{Rand: r.Rand})
	if err != nil {
		return nil, err
	}
	for _, one := range set.ConfigMaps {
		if isKeys(mc, one) {
			one.Data = nil
		}
	}
	mc.Spec.Size = 0
	return map[string]string{AnnotationSpec: checksum(mc.Spec), AnnotationObjects: checksum(set.All())}, nil
}

func checksum(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "" // what comes from the API server can be encoded
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// isKeys says whether a ConfigMap holds keys.
func isKeys(mc *api.MiniCluster, object client.Object) bool {
	_, ok := object.(*corev1.ConfigMap)
	return ok && slices.Contains(minicluster.KeyConfigMaps(mc), object.GetName())
}
