package prove_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/prove"
)

// same compares errors.
func (s *liveServer) same(t *testing.T, what string, want field.ErrorList, err error) {
	t.Helper()
	s.requests++
	var expected, causes []string
	for _, found := range want {
		expected = append(expected, found.Field+": "+found.ErrorBody())
	}
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &status) && status.ErrStatus.Details != nil && len(status.ErrStatus.Details.Causes) > 0:
		for _, cause := range status.ErrStatus.Details.Causes {
			if !strings.Contains(cause.Message, "some validation rules were not checked") {
				causes = append(causes, cause.Field+": "+cause.Message)
			}
		}
	case err != nil:
		causes = []string{err.Error()}
	}
	slices.Sort(expected)
	slices.Sort(causes)
	if diff := cmp.Diff(expected, causes); diff != "" {
		t.Errorf("%s (-package +API server):\n%s", what, diff)
	}
}

// read compares what the API server gives to readers.
func (s *liveServer) read(t *testing.T, object *stored, after *server.Version) {
	t.Helper()
	got, err := s.resource(object.version).Get(t.Context(), object.name, metav1.GetOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	want, _ := after.Read(object.read)
	if diff := cmp.Diff(bare(want), bare(got.Object)); diff != "" {
		t.Errorf("read otherwise (-package +API server):\n%s", diff)
	}
}

// update compares updates: of a label, of the status, and of each value.
func (s *liveServer) update(t *testing.T, object *stored, after *server.Version) {
	t.Helper()
	got, err := s.resource(object.version).Get(t.Context(), object.name, metav1.GetOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	changed := []map[string]any{runtime.DeepCopyJSON(got.Object)}
	others := prove.Without(got.Object, &schema{})
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for _, smaller := range others[:min(len(others), 8)] {
		changed = append(changed, smaller())
	}
	for _, other := range changed {
		desired := &unstructured.Unstructured{Object: other}
		desired.SetLabels(map[string]string{"touched": "yes"})
		stored, _ := after.Read(got.Object)
		expected, _ := after.Read(other)
		_, err = s.resource(object.version).Update(t.Context(), desired,
			metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		s.same(t, "updating "+inline(bare(got.Object))+" to "+inline(bare(other)), after.Update(expected, stored, true), err)
		if after.Status() {
			_, err = s.resource(object.version).UpdateStatus(t.Context(), desired,
				metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			s.same(t, "updating the status of "+inline(bare(got.Object))+" to "+inline(bare(other)),
				after.UpdateStatus(expected, stored, true), err)
		}
	}
}

// create compares what becomes of the object as a manifest.
func (s *liveServer) create(t *testing.T, object *stored, after *server.Version) {
	t.Helper()
	manifest := object.named()
	manifest.SetName(object.name + "-again")
	want, pruned, errs := after.Create(manifest.Object)
	got, err := s.resource(object.version).Create(t.Context(), manifest,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Ignore"})
	s.same(t, "creating "+inline(object.object), errs, err)
	if err == nil {
		if diff := cmp.Diff(bare(want), bare(got.Object)); diff != "" {
			t.Errorf("created otherwise (-package +API server):\n%s", diff)
		}
	}
	_, err = s.resource(object.version).Create(t.Context(), manifest,
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"})
	for _, path := range pruned {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unknown field %q", path)) {
			t.Errorf("creating strictly: no word of %s: %v", path, err)
		}
	}
	if len(pruned) == 0 {
		s.same(t, "creating strictly "+inline(object.object), errs, err)
	}
}
