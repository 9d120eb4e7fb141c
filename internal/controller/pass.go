package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// pass applies the desired state of a MiniCluster in one reconciliation. It is computed once, and all
// steps share it.
type pass struct {
	*Reconciler
	mc      *api.MiniCluster
	job     *batchv1.Job // nil if the MiniCluster has none
	desired *minicluster.Desired
	objects *minicluster.Set // of desired; keys are set when their ConfigMap is ensured
	mode    mode
}

// mode is how far existing objects follow the spec.
type mode int

const (
	following mode = iota // there is no Job, or it was created from the same spec and objects
	keeping               // another version of the operator created the Job: only missing objects are created
	frozen                // the spec has changed since the Job was created: nothing is created
)

// apply ensures the objects of a MiniCluster, and returns its Job. Once there is a Job, it follows only
// the size and the deadline: any other change of the spec would need a new Job, and the running one
// must not be lost.
func (r *Reconciler) apply(ctx context.Context, mc *api.MiniCluster, job *batchv1.Job) (*batchv1.Job, error) {
	if ended(job) {
		return job, nil
	}
	desired, errs := r.NewDesired(mc)
	if len(errs) > 0 {
		return job, unready(reasonInvalid, onEvent, "%v", errs.ToAggregate())
	}
	if len(mc.Spec.Volumes) > 0 && !r.Volumes {
		return job, unready(reasonNoVolumes, onEvent, "spec.volumes: persistent volumes are disabled (--allow-volumes=false)")
	}
	if err := r.limitSize(ctx, mc, job); err != nil {
		return job, err
	}
	p, err := r.newPass(mc, job, desired)
	if err != nil {
		return job, err
	}
	if p.mode == frozen {
		if job, err = p.ensureJob(ctx); err != nil {
			return job, err
		}
		return job, unready(reasonSpecChanged, onEvent, "the spec has changed in more than size, deadlineSeconds and cleanup: "+
			"the Job runs as it was created; revert the change, or delete and recreate the MiniCluster")
	}
	for _, want := range p.objects.All() {
		if want == minicluster.Object(p.objects.Job) {
			continue
		}
		if _, err := p.ensure(ctx, want, p.mode == following); err != nil {
			return job, err
		}
	}
	return p.ensureJob(ctx)
}

func (r *Reconciler) newPass(mc *api.MiniCluster, job *batchv1.Job, desired *minicluster.Desired) (*pass, error) {
	objects, err := desired.Objects()
	if err != nil {
		return nil, err
	}
	if objects.Job.Annotations, err = checksums(mc, desired, objects); err != nil {
		return nil, err
	}
	return &pass{r, mc, job, desired, objects, modeOf(job, objects.Job)}, nil
}

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

// limitSize records the maximum size of a new MiniCluster before any object is created, and later
// resets a size above it. The desired state is the same before and after.
func (r *Reconciler) limitSize(ctx context.Context, mc *api.MiniCluster, job *batchv1.Job) error {
	if mc.Status.MaximumSize == 0 {
		return r.updateStatus(ctx, mc, func() {
			mc.Status.MaximumSize = minicluster.MaximumSize(mc)
			setStatus(mc, job, nil)
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
			"spec.size %d exceeds the maximum size, and was reset to %d", before.Spec.Size, mc.Spec.Size)
	}
	return err
}

// ensureJob creates the Job, or gives it the desired size and deadline.
func (p *pass) ensureJob(ctx context.Context) (*batchv1.Job, error) {
	live, err := p.ensure(ctx, p.objects.Job, true)
	if err != nil {
		return p.job, err
	}
	after, ok := live.(*batchv1.Job)
	if !ok {
		return p.job, fmt.Errorf("want a Job, got a %T", live)
	}
	if p.job == nil {
		return after, nil
	}
	if from, to := *p.job.Spec.Parallelism, *after.Spec.Parallelism; from != to {
		log.FromContext(ctx).Info("scaled the Job", "from", from, "to", to)
		p.event(p.mc, corev1.EventTypeNormal, "Scaled", "Scale", "scaled the Job from %d to %d pods", from, to)
	}
	return after, nil
}

// The annotations of a Job that identify what it was created from.
const (
	// AnnotationSpec is a checksum of the spec without the fields that may change later.
	AnnotationSpec = api.GroupName + "/spec-checksum"
	// AnnotationObjects is a checksum of the objects at the maximum size, without keys. Another
	// version of the operator may build other objects from the same spec.
	AnnotationObjects = api.GroupName + "/objects-checksum"
)

// checksums returns the annotations of a Job that is created from objects, which have no keys yet.
func checksums(mc *api.MiniCluster, desired *minicluster.Desired, objects *minicluster.Set) (map[string]string, error) {
	if largest := desired.AtMaximumSize(); largest != desired {
		var err error
		if objects, err = largest.Objects(); err != nil {
			return nil, err
		}
	}
	spec := mc.Spec
	spec.Size, spec.DeadlineSeconds, spec.Cleanup = 0, 0, false
	return map[string]string{AnnotationSpec: checksum(spec), AnnotationObjects: checksum(objects.All())}, nil
}

func checksum(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return "" // objects of the API always encode
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
