package clientset

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned/fake"
	"github.com/flux-framework/flux-operator/sdk/go/informers/externalversions"
	listers "github.com/flux-framework/flux-operator/sdk/go/listers/api/v1alpha1"
)

// TestLister reads from an index that is filled by hand.
func TestLister(t *testing.T) {
	index := cache.NewIndexer(cache.MetaNamespaceKeyFunc,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	other := miniCluster("third")
	other.Namespace = "other"
	for _, mc := range []*api.MiniCluster{miniCluster("first"), miniCluster("second"), other} {
		if err := index.Add(mc); err != nil {
			t.Fatal(err)
		}
	}
	lister := listers.NewMiniClusterLister(index)
	if all, err := lister.List(labels.Everything()); err != nil || len(all) != 3 {
		t.Errorf("listed %d, %v", len(all), err)
	}
	if some, err := lister.MiniClusters(namespace).List(labels.SelectorFromSet(labels.Set{"app": "first"})); err != nil ||
		len(some) != 1 || some[0].Name != "first" {
		t.Errorf("by label: %v, %v", some, err)
	}
	if got, err := lister.MiniClusters("other").Get("third"); err != nil || got != other {
		t.Errorf("got %v, %v", got, err)
	}
	_, err := lister.MiniClusters(namespace).Get("third")
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "flux-framework.org") {
		t.Errorf("in another namespace: %v", err)
	}
}

// TestInformer hears of what the fake clientset does, and lists it.
func TestInformer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	clients := fake.NewClientset(miniCluster("before"))
	factory := externalversions.NewSharedInformerFactoryWithOptions(clients, 0, externalversions.WithNamespace(namespace))
	defer factory.Shutdown()
	defer cancel()
	miniClusters := factory.FluxFramework().V1alpha1().MiniClusters()
	heard := make(chan string, 8)
	if _, err := miniClusters.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { heard <- "added " + object.(*api.MiniCluster).Name },
		UpdateFunc: func(_, object any) { heard <- "updated " + object.(*api.MiniCluster).Name },
		DeleteFunc: func(object any) { heard <- "deleted " + object.(*api.MiniCluster).Name },
	}); err != nil {
		t.Fatal(err)
	}
	want := func(event string) {
		t.Helper()
		if got := <-heard; got != event {
			t.Fatalf("heard %q, want %q", got, event)
		}
	}
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), miniClusters.Informer().HasSynced) {
		t.Fatal("the cache is not filled")
	}
	want("added before")
	if _, err := miniClusters.Lister().MiniClusters(namespace).Get("before"); err != nil {
		t.Error(err)
	}
	access := clients.FluxFrameworkV1alpha1().MiniClusters(namespace)
	generated, err := access.Create(ctx, miniCluster("after"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want("added after")
	generated.Spec.Size = 9
	if _, err := access.Update(ctx, generated, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	want("updated after")
	if err := access.Delete(ctx, "after", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	want("deleted after")

	generic, err := factory.ForResource(api.SchemeGroupVersion.WithResource("miniclusters"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := generic.Lister().ByNamespace(namespace).Get("before"); err != nil {
		t.Errorf("by resource: %v", err)
	}
	if _, err := factory.ForResource(api.SchemeGroupVersion.WithResource("nothing")); err == nil {
		t.Error("there is an informer of nothing")
	}
}
