// Package contract has the tests of the light Go client that run against the fake of fluxoperator/fake and against a
// control plane alike, so that the fake does what an API server does.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// Client returns a client of MiniClusters in a new namespace. The text of warnings goes to the function.
type Client func(t *testing.T, warn func(text string)) *fluxoperator.MiniClusterClient

// Run runs all tests.
func Run(t *testing.T, client Client) {
	for name, test := range map[string]func(*testing.T, *fluxoperator.MiniClusterClient){
		"Verbs": verbs, "Pages": pages, "Errors": refusals, "Apply": apply, "Delete": deletes, "Selectors": selectors,
		"Watch": watches, "Waits": waits,
	} {
		t.Run(name, func(t *testing.T) { test(t, client(t, func(text string) { t.Errorf("warning: %s", text) })) })
	}
	t.Run("FieldValidation", func(t *testing.T) { fieldValidation(t, client) })
}

// MiniCluster returns the smallest one.
func MiniCluster(name string) *fluxoperator.MiniCluster {
	mc := &fluxoperator.MiniCluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	container := fluxoperator.MiniClusterContainer{Command: "true"}
	mc.Spec = &fluxoperator.MiniClusterSpec{Containers: []fluxoperator.MiniClusterContainer{container}}
	return mc
}

func create(
	t *testing.T, c *fluxoperator.MiniClusterClient, name string, labels map[string]string,
) *fluxoperator.MiniCluster {
	t.Helper()
	mc := MiniCluster(name)
	mc.Labels = labels
	generated, err := c.Create(t.Context(), mc, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return generated
}

// merge applies a merge patch, which may be refused.
func merge(
	ctx context.Context, c *fluxoperator.MiniClusterClient, name, patch string,
) (*fluxoperator.MiniCluster, error) {
	return c.Patch(ctx, name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
}

func verbs(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	created := create(t, c, "one", nil)
	if want := fluxoperator.NewMiniClusterSpecWithDefaults(); *created.Spec.Size != *want.Size ||
		*created.Spec.DeadlineSeconds != *want.DeadlineSeconds ||
		*created.Spec.Containers[0].Image != *fluxoperator.NewMiniClusterContainerWithDefaults().Image {
		t.Errorf("the server's defaults are %+v", created.Spec)
	}
	if len(created.UnknownFields)+len(created.Spec.UnknownFields) > 0 || created.UID == "" || created.Generation != 1 ||
		created.CreationTimestamp.IsZero() {
		t.Errorf("created: %+v", created)
	}
	*created.Spec.Size = 2
	updated, err := c.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil || *updated.Spec.Size != 2 || updated.Generation != 2 ||
		updated.ResourceVersion == created.ResourceVersion {
		t.Fatalf("%+v, %v", updated, err)
	}
	same, err := c.Update(ctx, updated, metav1.UpdateOptions{})
	if err != nil || same.ResourceVersion != updated.ResourceVersion {
		t.Fatalf("an update without a change: %+v, %v", same, err)
	}
	patched, err := merge(ctx, c, "one", `{"metadata":{"labels":{"a":"b"}}}`)
	if err != nil || patched.Labels["a"] != "b" || patched.Generation != 2 {
		t.Fatalf("%+v, %v", patched, err)
	}
	patched, err = c.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/size","value":3}]`),
		metav1.PatchOptions{})
	if err != nil || *patched.Spec.Size != 3 || patched.Generation != 3 {
		t.Fatalf("%+v, %v", patched, err)
	}
	dry, err := c.Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"size":9}}`),
		metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil || *dry.Spec.Size != 9 {
		t.Fatalf("%+v, %v", dry, err)
	}
	patched.Spec.Tasks = new(int32)
	*patched.Spec.Tasks = 7
	patched.Status = fluxoperator.NewMiniClusterStatus("j", 5, "a=b", 5)
	status, err := c.UpdateStatus(ctx, patched, metav1.UpdateOptions{})
	if err != nil || status.Status.Selector != "a=b" || *status.Spec.Tasks != 1 || status.Generation != 3 {
		t.Fatalf("%+v, %v", status, err)
	}
	status.Status.Selector = "changed"
	if status, err = c.Update(ctx, status, metav1.UpdateOptions{}); err != nil || status.Status.Selector != "a=b" {
		t.Fatalf("an update changes the status: %+v, %v", status, err)
	}
	if got, err := c.GetStatus(ctx, "one", metav1.GetOptions{}); err != nil || got.Status.Size != 5 ||
		*got.Spec.Size != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := c.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

func pages(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	for i := range 5 {
		create(t, c, fmt.Sprint("page-", i), nil)
	}
	page, err := c.List(ctx, metav1.ListOptions{Limit: 2})
	if err != nil || len(page.Items) != 2 || page.Continue == "" || *page.RemainingItemCount != 3 ||
		page.Kind != "MiniClusterList" {
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

func refusals(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	first := create(t, c, "one", nil)
	if _, err := merge(ctx, c, "one", `{"spec":{"tasks":2}}`); err != nil {
		t.Fatal(err)
	}
	invalid := func(edit func(*fluxoperator.MiniCluster)) error {
		mc := MiniCluster("two")
		edit(mc)
		_, err := c.Create(ctx, mc, metav1.CreateOptions{})
		return err
	}
	for name, refused := range map[string]struct {
		is  func(error) bool
		err error
	}{
		"exists":    {apierrors.IsAlreadyExists, invalid(func(mc *fluxoperator.MiniCluster) { mc.Name = "one" })},
		"no name":   {apierrors.IsInvalid, invalid(func(mc *fluxoperator.MiniCluster) { mc.Name = "" })},
		"bad name":  {apierrors.IsInvalid, invalid(func(mc *fluxoperator.MiniCluster) { mc.Name = "A_b" })},
		"namespace": {apierrors.IsBadRequest, invalid(func(mc *fluxoperator.MiniCluster) { mc.Namespace = "other" })},
		"kind": {apierrors.IsBadRequest, invalid(func(mc *fluxoperator.MiniCluster) {
			mc.APIVersion, mc.Kind = "v1",
				"Pod"
		})},
		"version": {isUnknown, invalid(func(mc *fluxoperator.MiniCluster) { mc.ResourceVersion = "1" })},
		"unknown field": {apierrors.IsBadRequest, invalid(func(mc *fluxoperator.MiniCluster) {
			mc.Spec.Containers[0].UnknownFields = map[string]json.RawMessage{"comand": []byte(`"x"`)}
		})},
		"type": {apierrors.IsInvalid, invalid(func(mc *fluxoperator.MiniCluster) {
			mc.Spec.Size, mc.Spec.UnknownFields = nil, map[string]json.RawMessage{"size": []byte(`"x"`)}
		})},
		"too long": {apierrors.IsInvalid, invalid(func(mc *fluxoperator.MiniCluster) {
			mc.Spec.Containers[0].WorkingDir = strings.Repeat("x", 5000)
		})},
		"stale": {apierrors.IsConflict, second(c.Update(ctx, first, metav1.UpdateOptions{}))},
		"stale patch": {apierrors.IsConflict,
			second(merge(ctx, c, "one", `{"metadata":{"resourceVersion":"`+first.ResourceVersion+`"},"spec":{"tasks":3}}`))},
		"no version":     {apierrors.IsInvalid, second(c.Update(ctx, MiniCluster("one"), metav1.UpdateOptions{}))},
		"missing":        {apierrors.IsNotFound, second(merge(ctx, c, "missing", `{}`))},
		"delete missing": {apierrors.IsNotFound, c.Delete(ctx, "missing", metav1.DeleteOptions{})},
		"patch of a type": {apierrors.IsUnsupportedMediaType,
			second(c.Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{}))},
		"test of a patch": {apierrors.IsInvalid,
			second(c.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"test","path":"/spec/size","value":99}]`),
				metav1.PatchOptions{}))},
		"apply unmanaged": {apierrors.IsInvalid, second(c.Apply(ctx, MiniCluster("one"), metav1.ApplyOptions{}))},
		"wrong selector":  {apierrors.IsBadRequest, second(c.List(ctx, metav1.ListOptions{LabelSelector: "a=b=c"}))},
		"field selector":  {apierrors.IsBadRequest, second(c.List(ctx, metav1.ListOptions{FieldSelector: "spec.size=1"}))},
		"wrong version": {apierrors.IsConflict, c.Delete(ctx, "one",
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &first.ResourceVersion}})},
		"status of nobody": {apierrors.IsNotFound,
			second(c.PatchStatus(ctx, "missing", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}))},
	} {
		if refused.err == nil || !refused.is(refused.err) {
			t.Errorf("%s: %v", name, refused.err)
		}
	}
	var status *apierrors.StatusError
	err := invalid(func(mc *fluxoperator.MiniCluster) { mc.Spec.Containers = nil })
	if !apierrors.IsInvalid(err) || !errors.As(err, &status) ||
		status.ErrStatus.Details.Causes[0].Field != "spec.containers" {
		t.Errorf("error %v", err)
	}
}

// isUnknown says whether an error has no reason, such as one of the storage.
func isUnknown(err error) bool { return apierrors.ReasonForError(err) == metav1.StatusReasonUnknown }

func second[T any](_ T, err error) error { return err }

func deletes(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx := t.Context()
	mc := MiniCluster("kept")
	mc.Finalizers = []string{"example.org/kept"}
	if _, err := c.Create(ctx, mc, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(ctx, "kept", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Get(ctx, "kept", metav1.GetOptions{}); err != nil || got.DeletionTimestamp != nil {
		t.Errorf("after a dry run: %+v, %v", got, err)
	}
	if err := c.Delete(ctx, "kept", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Get(ctx, "kept", metav1.GetOptions{}); err != nil || got.DeletionTimestamp == nil ||
		got.Generation != 2 {
		t.Errorf("with a finalizer: %+v, %v", got, err)
	}
	if _, err := merge(ctx, c, "kept", `{"metadata":{"finalizers":null}}`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, "kept", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
}

func selectors(t *testing.T, c *fluxoperator.MiniClusterClient) {
	create(t, c, "a", map[string]string{"team": "x"})
	create(t, c, "b", map[string]string{"team": "y"})
	for options, want := range map[metav1.ListOptions]string{
		{LabelSelector: "team=x"}:                                   "a",
		{LabelSelector: "team in (x,y)"}:                            "a b",
		{LabelSelector: "!team"}:                                    "",
		{FieldSelector: "metadata.name=b"}:                          "b",
		{FieldSelector: "metadata.name=b", LabelSelector: "team=x"}: "",
	} {
		list, err := c.List(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, mc := range list.Items {
			names = append(names, mc.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%v: %q", options, got)
		}
	}
}

func watches(t *testing.T, c *fluxoperator.MiniClusterClient) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	create(t, c, "mine", map[string]string{"team": "x"})
	create(t, c, "other", nil)
	steps := []func() error{
		func() error { return second(merge(ctx, c, "other", `{"metadata":{"labels":{"team":"x"}}}`)) },
		func() error { return second(merge(ctx, c, "mine", `{"spec":{"size":2}}`)) },
		func() error { return second(merge(ctx, c, "mine", `{"metadata":{"labels":{"team":null}}}`)) },
		func() error { return c.Delete(ctx, "other", metav1.DeleteOptions{}) },
	}
	seconds := int64(2)
	var seen []string
	for event, err := range c.Watch(ctx, metav1.ListOptions{LabelSelector: "team=x", TimeoutSeconds: &seconds}) {
		if err != nil {
			t.Fatalf("after %q: %v", seen, err)
		}
		seen = append(seen, string(event.Type)+" "+event.Object.Name)
		if len(steps) == 0 {
			break
		}
		if len(steps) == 2 {
			time.Sleep(3 * time.Second) // until the connection has ended
		}
		if err := steps[0](); err != nil {
			t.Fatal(err)
		}
		steps = steps[1:]
	}
	if got := strings.Join(seen, ", "); got != "ADDED mine, ADDED other, MODIFIED mine, DELETED mine, DELETED other" {
		t.Errorf("seen: %s", got)
	}
}
