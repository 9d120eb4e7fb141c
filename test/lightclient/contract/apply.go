package contract

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// apply has two field managers apply the size, with a conflict and with force, and compares who owns what. The list of
// containers is atomic and has defaults, so that it is another one to its second manager.
func apply(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	mine := MiniCluster("one")
	mine.Spec.Size = new(int32)
	*mine.Spec.Size = 2
	applied, err := c.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "mine"})
	if err != nil || *applied.Spec.Size != 2 || applied.Generation != 1 {
		t.Fatalf("%+v, %v", applied, err)
	}
	again, err := c.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "mine"})
	if err != nil || again.ResourceVersion != applied.ResourceVersion {
		t.Fatalf("applied again: %+v, %v", again, err)
	}
	theirs := &fluxoperator.MiniCluster{ObjectMeta: metav1.ObjectMeta{Name: "one"},
		Spec: &fluxoperator.MiniClusterSpec{Containers: mine.Spec.Containers, Size: new(int32)}}
	*theirs.Spec.Size = 3
	if _, err := c.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs"}); !apierrors.IsConflict(err) ||
		!apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		t.Fatalf("error %v", err)
	}
	if applied, err = c.Apply(ctx, theirs, metav1.ApplyOptions{FieldManager: "theirs", Force: true}); err != nil ||
		*applied.Spec.Size != 3 {
		t.Fatalf("%+v, %v", applied, err)
	}
	if _, err := c.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}},"spec":{"tasks":4}}`),
		metav1.PatchOptions{FieldManager: "edit"}); err != nil {
		t.Fatal(err)
	}
	applied, err = c.PatchStatus(ctx, "one", types.MergePatchType,
		[]byte(`{"status":{"jobid":"","maximumSize":4,"selector":"a=b","size":1}}`),
		metav1.PatchOptions{FieldManager: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	var owners []string
	for _, entry := range applied.ManagedFields {
		owners = append(owners,
			strings.Join([]string{entry.Manager, string(entry.Operation), entry.Subresource, entry.FieldsV1.GetRawString()},
				" "))
	}
	slices.Sort(owners)
	want := []string{
		`edit Update  {"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{"f:tasks":{}}}`,
		`operator Update status {"f:status":{".":{},"f:jobid":{},"f:maximumSize":{},"f:selector":{},"f:size":{}}}`,
		`theirs Apply  {"f:spec":{"f:containers":{},"f:size":{}}}`,
	}
	if !slices.Equal(owners, want) {
		t.Errorf("managed fields:\n%s\nwant:\n%s", strings.Join(owners, "\n"), strings.Join(want, "\n"))
	}
	wrong := MiniCluster("two")
	wrong.Spec.UnknownFields = map[string]json.RawMessage{"taks": json.RawMessage("3")}
	if _, err := c.Apply(ctx, wrong, metav1.ApplyOptions{FieldManager: "me"}); err == nil ||
		!strings.Contains(err.Error(), ".spec.taks: field not declared in schema") {
		t.Errorf("error %v", err)
	}
}

// fieldValidation: an unknown field is refused, or dropped with a warning, as the options say.
func fieldValidation(t *testing.T, client Client) {
	ctx := t.Context()
	var warnings []string
	c := client(t, func(text string) { warnings = append(warnings, text) })
	create(t, c, "one", nil)
	unknown := []byte(`{"metadata":{"annotation":{"a":"b"}},"spec":{"taks":3}}`)
	_, err := c.Patch(ctx, "one", types.MergePatchType, unknown, metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(),
		`strict decoding error: unknown field "metadata.annotation", unknown field "spec.taks"`) {
		t.Errorf("error %v", err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
	if _, err := c.Patch(ctx, "one", types.MergePatchType, unknown,
		metav1.PatchOptions{FieldValidation: metav1.FieldValidationWarn}); err != nil {
		t.Fatal(err)
	}
	want := []string{`unknown field "metadata.annotation"`, `unknown field "spec.taks"`}
	if !slices.Equal(warnings, want) {
		t.Errorf("warnings: %q", warnings)
	}
	got, err := c.Patch(ctx, "one", types.MergePatchType, unknown,
		metav1.PatchOptions{FieldValidation: metav1.FieldValidationIgnore})
	if err != nil || len(got.Spec.UnknownFields) > 0 || len(warnings) != len(want) {
		t.Errorf("%v, %v, %q", got, err, warnings)
	}
}

// waits: a wait sees a condition that another client sets, and a deletion.
func waits(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	create(t, c, "one", nil)
	failed := make(chan error, 1)
	set := func(condition string) {
		status := `{"status":{"jobid":"","maximumSize":1,"selector":"","size":1,"conditions":[{"type":"JobRunning","status":"` + condition +
			`","reason":"Test","message":"set","lastTransitionTime":"2024-01-01T00:00:00Z"}]}}`
		failed <- second(c.PatchStatus(ctx, "one", types.MergePatchType, []byte(status), metav1.PatchOptions{}))
	}
	time.AfterFunc(100*time.Millisecond, func() { set("True") })
	if mc, err := c.WaitRunning(ctx, "one"); err != nil || mc.Status.Conditions[0].Message != "set" {
		t.Fatalf("%+v, %v", mc, errors.Join(err, <-failed))
	}
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(100*time.Millisecond, func() { failed <- c.Delete(ctx, "one", metav1.DeleteOptions{}) })
	_, err := c.WaitCompleted(ctx, "one")
	var ended *fluxoperator.WaitError
	if !apierrors.IsNotFound(err) || !errors.As(err, &ended) || ended.Name != "one" {
		t.Errorf("error %v", err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}
