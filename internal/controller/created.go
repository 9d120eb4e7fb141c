package controller

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// createdTracker records the resource version of each object that the operator creates, by UID, until
// the informer delivers the object. The zero value is ready to use.
type createdTracker struct {
	versions sync.Map
}

// Record remembers an object that was just created. Persistent volumes are left out: their watch has
// no predicate that would forget them.
func (t *createdTracker) Record(o client.Object) {
	if o.GetNamespace() != "" {
		t.versions.Store(o.GetUID(), o.GetResourceVersion())
	}
}

// Predicate filters out events that the operator causes itself: the creation of an object, and a new
// owner, which would make each MiniCluster of a namespace trigger all others.
//
// After a watch outage the informer lists all objects again, so an object that is new to it may have
// changed since it was created, even for the last time. Only one that is unchanged is filtered out.
func (t *createdTracker) Predicate() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			version, ok := t.versions.LoadAndDelete(e.Object.GetUID())
			return !ok || version != e.Object.GetResourceVersion()
		},
		UpdateFunc: func(e event.UpdateEvent) bool {
			old, ok := e.ObjectOld.DeepCopyObject().(client.Object)
			if !ok {
				return true
			}
			old.SetOwnerReferences(e.ObjectNew.GetOwnerReferences())
			old.SetResourceVersion(e.ObjectNew.GetResourceVersion())
			return !equality.Semantic.DeepEqual(old, e.ObjectNew)
		},
		DeleteFunc: func(e event.DeleteEvent) bool {
			t.versions.Delete(e.Object.GetUID())
			return true
		},
	}
}
