package controller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
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
	objects *minicluster.Set // of desired; Secrets have no data
	mode    mode

	namespace *corev1.Namespace // nil until it is needed
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
		return r.reject(ctx, mc, job, errs.ToAggregate())
	}
	refused := r.refused(desired)
	if refused != nil && job == nil {
		return nil, refused
	}
	if err := r.limitSize(ctx, mc, job); err != nil {
		return job, err
	}
	p, err := r.newPass(mc, job, desired)
	if tooLarge, ok := errors.AsType[*field.Error](err); ok {
		return r.reject(ctx, mc, job, tooLarge)
	}
	if err != nil {
		return job, err
	}
	if refused != nil {
		p.objects.Volumes = nil // the Job has those that an earlier policy allowed
	}
	if err := p.renewChecksum(ctx); err != nil {
		return p.job, err
	}
	if p.mode = modeOf(p.job, p.objects.Job); p.mode == frozen {
		if job, err = p.ensureJob(ctx); err != nil {
			return job, err
		}
		return job, unready(reasonSpecChanged, onEvent,
			"the spec has changed in more than size, deadlineSeconds and cleanup: "+
				"the Job runs as it was created; revert the change, or delete and recreate the MiniCluster")
	}
	if err := p.ensureObjects(ctx); err != nil {
		return p.job, err
	}
	return p.ensureJob(ctx)
}

// reject returns why a spec is invalid. A Job that exists still follows the size and the deadline: it may be
// older than the rule that the spec breaks.
func (r *Reconciler) reject(
	ctx context.Context, mc *api.MiniCluster, job *batchv1.Job, cause error,
) (*batchv1.Job, error) {
	if job != nil {
		if err := r.limitSize(ctx, mc, job); err != nil {
			return job, err
		}
		var err error
		p := &pass{Reconciler: r, mc: mc, job: job, objects: &minicluster.Set{Job: minicluster.Resize(job, mc)}}
		if job, err = p.ensureJob(ctx); err != nil {
			return job, err
		}
	}
	return job, unready(reasonInvalid, onEvent, "%v", cause)
}

// ensureObjects ensures all objects but the Job. Secrets are created before the Job, and never again: the
// pods of a Job keep the keys that they have started with.
func (p *pass) ensureObjects(ctx context.Context) error {
	for _, want := range p.objects.All() {
		var err error
		switch want := want.(type) {
		case *batchv1.Job:
		case *corev1.Secret:
			if p.job == nil {
				err = p.createKeys(ctx, want)
			}
		default:
			_, err = p.ensure(ctx, want, p.mode == following)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newPass builds the objects. Those at the maximum size are built first, and dropped.
func (r *Reconciler) newPass(mc *api.MiniCluster, job *batchv1.Job, desired *minicluster.Desired) (*pass, error) {
	largest, sum := desired.AtMaximumSize(), ""
	if largest != desired {
		objects, err := largest.Objects()
		if err != nil {
			return nil, err
		}
		sum = checksumOf(objects)
	}
	objects, err := desired.Objects()
	if err != nil {
		return nil, err
	}
	if largest == desired {
		sum = checksumOf(objects)
	}
	objects.Job.Annotations = map[string]string{AnnotationSpec: checksum(withoutSecrets(immutableSpec(mc))),
		AnnotationObjects: sum}
	return &pass{Reconciler: r, mc: mc, job: job, desired: desired, objects: objects}, nil
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
			setStatus(mc, job, nil, "")
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
	return explain(err, "MiniCluster "+mc.Name)
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
	// AnnotationSpec is a checksum of the spec without the values of secrets, and without the fields
	// that may change later.
	AnnotationSpec = api.GroupName + "/spec-checksum"
	// AnnotationObjects is a checksum of the objects at the maximum size, without keys. Another
	// version of the operator may build other objects from the same spec.
	AnnotationObjects = api.GroupName + "/objects-checksum"
)

// immutableSpec returns the spec without the fields that may change while there is a Job.
func immutableSpec(mc *api.MiniCluster) api.MiniClusterSpec {
	spec := mc.Spec
	spec.Size, spec.DeadlineSeconds, spec.Cleanup = 0, 0, false
	return spec
}

// withoutSecrets returns a spec with a mark in place of each secret: whoever can read the Job could
// guess a password from its checksum.
func withoutSecrets(spec api.MiniClusterSpec) api.MiniClusterSpec {
	out := spec.DeepCopy()
	hide := func(secrets ...*string) {
		for _, secret := range secrets {
			if *secret != "" {
				*secret = "given"
			}
		}
	}
	if out.Flux != nil {
		hide(&out.Flux.CurveCert)
	}
	if out.FluxRestful != nil {
		hide(&out.FluxRestful.SecretKey, &out.FluxRestful.Token)
	}
	for i := range out.Users {
		hide(&out.Users[i].Password)
	}
	return *out
}

// renewChecksum replaces the checksum of a whole spec, which earlier versions of the operator recorded.
func (p *pass) renewChecksum(ctx context.Context) error {
	want := p.objects.Job.Annotations[AnnotationSpec]
	if p.job == nil || p.job.Annotations[AnnotationSpec] == want ||
		p.job.Annotations[AnnotationSpec] != checksum(immutableSpec(p.mc)) {
		return nil
	}
	before := p.job.DeepCopy()
	p.job.Annotations[AnnotationSpec] = want
	return explain(p.Client.Patch(ctx, p.job, client.MergeFrom(before)), kindAndName(p.objects.Job))
}

func checksum(value any) string {
	sum := sha256.New()
	encode(sum, value)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// checksumOf returns the checksum of the list of all objects, which it encodes one by one.
func checksumOf(objects *minicluster.Set) string {
	sum, separator := sha256.New(), "["
	for _, o := range objects.All() {
		sum.Write([]byte(separator))
		encode(sum, o)
		separator = ","
	}
	sum.Write([]byte("]"))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func encode(to io.Writer, value any) {
	if data, err := json.Marshal(value); err == nil { // objects of the API always encode
		to.Write(data) //nolint:errcheck // a hash never fails
	}
}
