package controller

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// TestSetStatus follows a Job from start to end. Each step lists the conditions that are true.
func TestSetStatus(t *testing.T) {
	mc := sample(t, "mc", plain)
	mc.Generation = 7
	pods := func(ready, succeeded int32) *batchv1.Job {
		return &batchv1.Job{
			Spec:   batchv1.JobSpec{Parallelism: new(int32(2)), Suspend: new(false)},
			Status: batchv1.JobStatus{Ready: &ready, Succeeded: succeeded},
		}
	}
	with := func(job *batchv1.Job, kinds ...batchv1.JobConditionType) *batchv1.Job {
		for _, kind := range kinds {
			jobIs(kind)(&job.Status)
		}
		return job
	}
	suspended := pods(0, 0)
	suspended.Spec.Suspend = new(true)
	for _, step := range []struct {
		name    string
		job     *batchv1.Job
		problem *unreadyError
		want    string
	}{
		{"seen", nil, nil, "JobRequested"},
		{"refused", nil, &unreadyError{reason: reasonInvalid}, "JobRequested"},
		{"suspended", suspended, nil, "JobRequested JobWaitingForResources JobMiniClusterReady"},
		{"some pods", pods(1, 0), nil, "JobRequested JobWaitingForResources JobMiniClusterReady"},
		{"all pods", pods(2, 0), nil, "JobRequested JobMiniClusterReady JobRunning"},
		{"a pod was lost", pods(1, 0), nil, "JobRequested JobWaitingForResources JobMiniClusterReady JobRunning"},
		{"a worker has ended", pods(1, 1), nil, "JobRequested JobMiniClusterReady JobRunning"},
		{"spec changed", pods(2, 0), &unreadyError{reason: reasonSpecChanged}, "JobRequested JobRunning"},
		{"ending", with(pods(1, 1), batchv1.JobSuccessCriteriaMet), nil, "JobRequested JobMiniClusterReady"},
		{"complete", with(pods(0, 2), batchv1.JobComplete), nil, "JobRequested JobMiniClusterReady JobFinished"},
		{"failed", with(pods(0, 0), batchv1.JobFailureTarget, batchv1.JobFailed), nil,
			"JobRequested JobMiniClusterReady JobFinished"},
	} {
		if step.name == "failed" {
			mc.Status.Conditions = nil // those of the Job that has completed stay
		}
		setStatus(mc, step.job, step.problem, "fx-0: exit code 7")
		var are []string
		for i, c := range mc.Status.Conditions {
			if c.Status == metav1.ConditionTrue {
				are = append(are, c.Type)
			}
			if c.ObservedGeneration != 7 || c.Reason == "" || c.LastTransitionTime.IsZero() ||
				c.Type != mc.Status.Conditions[i].Type {
				t.Errorf("%s: %+v", step.name, c)
			}
		}
		if d := cmp.Diff(step.want, strings.Join(are, " ")); d != "" || len(mc.Status.Conditions) != 5 {
			t.Errorf("%s: %s", step.name, d)
		}
	}
	if mc.Status.Size != 2 || mc.Status.Selector == "" {
		t.Errorf("status %+v", mc.Status)
	}
	if c := mc.Status.Conditions[4]; c.Reason != "Failed" || c.Message != "Test:  (fx-0: exit code 7)" {
		t.Errorf("JobFinished is %+v", c)
	}
}

// TestChecksums: only specs that need another Job have another checksum, whatever the size.
func TestChecksums(t *testing.T) {
	checksums := func(spec string) map[string]string {
		mc := sample(t, "mc", spec)
		mc.Status.MaximumSize = 4
		desired, errs := minicluster.NewDesired(mc)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		p, err := new(Reconciler).newPass(mc, nil, desired)
		if err != nil {
			t.Fatal(err)
		}
		return p.objects.Job.Annotations
	}
	first := checksums(plain)
	for spec, same := range map[string][2]bool{
		plain: {true, true},
		"{size: 4, maxSize: 4, deadlineSeconds: 9, cleanup: true, containers: [{command: hostname}]}": {true, true},
		"{size: 2, maxSize: 8, containers: [{command: hostname}]}":                                    {false, true},
		"{size: 2, maxSize: 4, containers: [{command: other}]}":                                       {false, false},
	} {
		got := checksums(spec)
		if current := [2]bool{got[AnnotationSpec] == first[AnnotationSpec],
			got[AnnotationObjects] == first[AnnotationObjects]}; current != same {
			t.Errorf("%s: the same spec and objects: %v, want %v", spec, current, same)
		}
	}
}

// TestTruncate: strings are cut between characters.
func TestTruncate(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("a", 50), strings.Repeat("ä", 50), strings.Repeat("漢", 50)} {
		for most := 3; most < 20; most++ {
			got := truncate(text, most)
			if len(got) > most || !utf8.ValidString(got) || len(text) <= most && got != text {
				t.Errorf("%q to %d is %q", text, most, got)
			}
		}
	}
}

// TestCacheOptions: the caches hold the given namespaces, or all.
func TestCacheOptions(t *testing.T) {
	if n := CacheOptions(nil).DefaultNamespaces; n != nil {
		t.Errorf("all namespaces are %v", n)
	}
	if n := CacheOptions([]string{"a", "b"}).DefaultNamespaces; len(n) != 2 {
		t.Errorf("two namespaces are %v", n)
	}
}
