package e2e

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
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator/restconfig"
	"github.com/flux-framework/flux-operator/test/lightclient/contract"
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

// TestGoSDK runs the tests that the fake has to pass, too.
func TestGoSDK(t *testing.T) {
	s := need(t)
	contract.Run(t, func(t *testing.T, warn func(string)) *fluxoperator.MiniClusterClient {
		config := rest.CopyConfig(s.config)
		config.WarningHandlerWithContext = warnings(warn)
		client, err := restconfig.NewClient(config)
		if err != nil {
			t.Fatal(err)
		}
		return client.MiniClusters(s.namespace(t))
	})
}

// warnings is a function as a rest.WarningHandlerWithContext.
type warnings func(text string)

func (w warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) { w(text) }

// TestGoSDKConfig: a client of a config has its warning handler, without a context.
func TestGoSDKConfig(t *testing.T) {
	s := need(t)
	var text strings.Builder
	config := rest.CopyConfig(s.config)
	config.WarningHandler = rest.NewWarningWriter(&text, rest.WarningWriterOptions{})
	client, err := restconfig.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	mc := contract.MiniCluster("one")
	mc.Spec.UnknownFields = map[string]json.RawMessage{"taks": json.RawMessage("3")}
	if _, err := client.MiniClusters(s.namespace(t)).Create(t.Context(), mc,
		metav1.CreateOptions{FieldValidation: metav1.FieldValidationWarn}); err != nil {
		t.Fatal(err)
	}
	if got := text.String(); got != "Warning: unknown field \"spec.taks\"\n" {
		t.Errorf("warnings: %q", got)
	}
}

// TestGoSDKScale reads and writes the scale subresource.
func TestGoSDKScale(t *testing.T) {
	c, ctx := need(t).light(t), t.Context()
	if _, err := c.Create(ctx, contract.MiniCluster("one"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	scale, err := c.GetScale(ctx, "one", metav1.GetOptions{})
	if err != nil || scale.Spec.Replicas != 1 {
		t.Fatalf("%+v, %v", scale, err)
	}
	scale.Spec.Replicas = 4
	if scale, err = c.UpdateScale(ctx, "one", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 4 {
		t.Fatalf("%+v, %v", scale, err)
	}
	if scale, err = c.PatchScale(ctx, "one", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`),
		metav1.PatchOptions{}); err != nil || scale.Spec.Replicas != 5 {
		t.Fatalf("%+v, %v", scale, err)
	}
	if got, err := c.Get(ctx, "one", metav1.GetOptions{}); err != nil || *got.Spec.Size != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
}

// TestGoSDKWaits: waits for MiniClusters that run, are invalid, fail or are deleted end, with the operator's reason.
func TestGoSDKWaits(t *testing.T) {
	s, ctx := need(t), t.Context()
	s.manager(t, s.kubeconfig)
	c := s.light(t)
	create := func(name, exitCode string, containers int) {
		t.Helper()
		mc := contract.MiniCluster(name)
		for len(mc.Spec.Containers) < containers {
			mc.Spec.Containers = append(mc.Spec.Containers, mc.Spec.Containers[0])
		}
		mc.Spec.Pod = &fluxoperator.PodSpec{Annotations: map[string]string{"cluster.flux-framework.org/exit-code": exitCode}}
		if _, err := c.Create(ctx, mc, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// condition returns the final condition of an error.
	condition := func(err error) metav1.Condition {
		var failed *fluxoperator.WaitError
		if !errors.As(err, &failed) {
			t.Fatalf("error %v", err)
		}
		return failed.Condition
	}
	create("well", "0", 1)
	if mc, err := c.WaitReady(ctx, "well"); err != nil || mc.Status.MaximumSize != 1 {
		t.Errorf("%+v, %v", mc, err)
	}
	if _, err := c.WaitCompleted(ctx, "well"); err != nil {
		t.Error(err)
	}
	if _, err := c.WaitRunning(ctx, "well"); condition(err).Reason != "Completed" {
		t.Error(err)
	}
	create("fails", "3", 1)
	if _, err := c.WaitCompleted(ctx, "fails"); condition(err).Reason != "Failed" ||
		!strings.Contains(err.Error(), "JobFinished=True: Failed: ") {
		t.Error(err)
	}
	create("invalid", "0", 2)
	if _, err := c.WaitRunning(ctx, "invalid"); condition(err).Reason != "Invalid" ||
		!strings.Contains(err.Error(), "set runFlux in exactly one container") {
		t.Error(err)
	}
	_, err := c.WaitUntil(ctx, "invalid", func(mc *fluxoperator.MiniCluster) (bool, error) {
		if mc.DeletionTimestamp != nil {
			return false, nil
		}
		return false, c.Delete(ctx, "invalid", metav1.DeleteOptions{})
	})
	if !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := c.WaitFor(short, "well", metav1.Condition{Type: "JobRunning"}); !errors.Is(err,
		context.DeadlineExceeded) || condition(err).Reason != "Ended" {
		t.Error(err)
	}
}

// TestGoSDKWatch: a watch continues when the API server is killed and restarted.
func TestGoSDKWatch(t *testing.T) {
	c := need(t).light(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.Create(ctx, contract.MiniCluster("before"), metav1.CreateOptions{}); err != nil {
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
				if _, err := c.Create(ctx, contract.MiniCluster("after"), metav1.CreateOptions{}); err != nil &&
					!apierrors.IsAlreadyExists(err) {
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
