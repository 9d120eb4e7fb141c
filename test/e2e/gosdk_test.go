package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator/restconfig"
)

// light returns a light Go client of MiniClusters in a new namespace.
func (s *suite) light(t *testing.T) *fluxoperator.MiniClusterClient {
	t.Helper()
	client, err := restconfig.NewClient(s.config)
	if err != nil {
		t.Fatal(err)
	}
	return client.MiniClusters(s.namespace(t))
}

func lightMiniCluster(name string) *fluxoperator.MiniCluster {
	mc := &fluxoperator.MiniCluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	container := fluxoperator.MiniClusterContainer{Command: "true"}
	mc.Spec = &fluxoperator.MiniClusterSpec{Containers: []fluxoperator.MiniClusterContainer{container}}
	return mc
}

// TestGoSDK creates, reads, changes and deletes through the light Go client.
func TestGoSDK(t *testing.T) {
	c, ctx := need(t).light(t), t.Context()
	created, err := c.Create(ctx, lightMiniCluster("one"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := fluxoperator.NewMiniClusterSpecWithDefaults(); *created.Spec.Size != *want.Size || *created.Spec.DeadlineSeconds != *want.DeadlineSeconds {
		t.Errorf("the server's defaults are %d and %d", *created.Spec.Size, *created.Spec.DeadlineSeconds)
	}
	if len(created.UnknownFields)+len(created.Spec.UnknownFields) > 0 {
		t.Errorf("fields that the client does not know: %v, %v", created.UnknownFields, created.Spec.UnknownFields)
	}
	*created.Spec.Size = 2
	updated, err := c.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil || *updated.Spec.Size != 2 || updated.Generation != 2 {
		t.Fatalf("%+v, %v", updated, err)
	}
	patched, err := c.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
	if err != nil || patched.Labels["a"] != "b" {
		t.Fatalf("%+v, %v", patched, err)
	}
	patched, err = c.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/size","value":3}]`), metav1.PatchOptions{})
	if err != nil || *patched.Spec.Size != 3 {
		t.Fatalf("%+v, %v", patched, err)
	}
	scale, err := c.GetScale(ctx, "one", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 3 {
		t.Fatalf("%+v, %v", scale, err)
	}
	scale.Spec.Replicas = 4
	if scale, err = c.UpdateScale(ctx, "one", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 4 {
		t.Fatalf("%+v, %v", scale, err)
	}
	if scale, err = c.PatchScale(ctx, "one", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{}); err != nil || scale.Spec.Replicas != 5 {
		t.Fatalf("%+v, %v", scale, err)
	}
	got, err := c.Get(ctx, "one", metav1.GetOptions{})
	if err != nil || *got.Spec.Size != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	got.Status = fluxoperator.NewMiniClusterStatus("j", 5, "a=b", 5)
	if got, err = c.UpdateStatus(ctx, got, metav1.UpdateOptions{}); err != nil || got.Status.Selector != "a=b" {
		t.Fatalf("%+v, %v", got, err)
	}
	if got, err = c.GetStatus(ctx, "one", metav1.GetOptions{}); err != nil || got.Status.Size != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := c.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

// TestGoSDKPages lists in pages, and deletes the collection.
func TestGoSDKPages(t *testing.T) {
	c, ctx := need(t).light(t), t.Context()
	for i := range 5 {
		if _, err := c.Create(ctx, lightMiniCluster(fmt.Sprint("page-", i)), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := c.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(page.Items) != 2 || page.Continue == "" || *page.RemainingItemCount != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
	n := 0
	for mc, err := range c.All(ctx, metav1.ListOptions{Limit: 2}) {
		if err != nil || mc.Name != fmt.Sprint("page-", n) {
			t.Fatalf("%+v, %v", mc, err)
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d MiniClusters, want 5", n)
	}
	if err := c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if page, err = c.List(ctx, metav1.ListOptions{}); err != nil || len(page.Items) != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}

// TestGoSDKErrors: errors of the server have their types.
func TestGoSDKErrors(t *testing.T) {
	c, ctx := need(t).light(t), t.Context()
	first, err := c.Create(ctx, lightMiniCluster("one"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(ctx, lightMiniCluster("one"), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"tasks":2}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(ctx, first, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("error %v", err)
	}
	wrong := lightMiniCluster("two")
	wrong.Spec.Containers = nil
	_, err = c.Create(ctx, wrong, metav1.CreateOptions{})
	var status *apierrors.StatusError
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.ErrStatus.Details.Causes[0].Field != "spec.containers" {
		t.Errorf("error %v", err)
	}
	unknown := lightMiniCluster("two")
	unknown.Spec.UnknownFields = map[string]json.RawMessage{"sise": json.RawMessage("4")}
	if _, err := c.Create(ctx, unknown, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}); !apierrors.IsBadRequest(err) {
		t.Errorf("error %v", err)
	}
	if _, err := c.Patch(ctx, "missing", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

// TestGoSDKApply: two field managers apply the size, with a conflict and with force.
func TestGoSDKApply(t *testing.T) {
	c, ctx := need(t).light(t), t.Context()
	mine := lightMiniCluster("one")
	mine.Spec.Size = new(int32)
	*mine.Spec.Size = 2
	applied, err := c.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "mine"})
	if err != nil || *applied.Spec.Size != 2 {
		t.Fatalf("%+v, %v", applied, err)
	}
	*mine.Spec.Size = 3
	if _, err := c.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "theirs"}); !apierrors.IsConflict(err) ||
		!apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		t.Fatalf("error %v", err)
	}
	applied, err = c.Apply(ctx, mine, metav1.ApplyOptions{FieldManager: "theirs", Force: true})
	if err != nil || *applied.Spec.Size != 3 || applied.ManagedFields[0].Manager != "theirs" {
		t.Fatalf("%+v, %v", applied, err)
	}
}

// TestGoSDKWatch: a watch continues when the API server is killed and restarted.
func TestGoSDKWatch(t *testing.T) {
	c := need(t).light(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.Create(ctx, lightMiniCluster("before"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	var seen []string
	for event, err := range c.Watch(ctx, metav1.ListOptions{}) {
		if err != nil {
			t.Fatalf("after %q: %v", seen, err)
		}
		seen = append(seen, string(event.Type)+" "+event.Object.Name)
		switch {
		case event.Type == watch.Added && event.Object.Name == "before":
			restart(t, "kube-apiserver")
			eventually(t, patience, func() string {
				if _, err := c.Create(ctx, lightMiniCluster("after"), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
					return err.Error()
				}
				return ""
			})
		case event.Type == watch.Added:
			if err := c.Delete(ctx, "before", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if event.Type == watch.Deleted {
			break
		}
	}
	if got := fmt.Sprint(seen); got != "[ADDED before ADDED after DELETED before]" {
		t.Errorf("seen: %s", got)
	}
}
