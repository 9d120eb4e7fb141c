package controller

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// made knows the version of each object as the operator has made it, by UID, until a cache has told
// of that object. It is ready to use.
type made struct {
	versions sync.Map
}

// note remembers an object, but no persistent volume: their watch does without others, and nothing
// would take them away again.
func (m *made) note(o client.Object) {
	if o.GetNamespace() != "" {
		m.versions.Store(o.GetUID(), o.GetResourceVersion())
	}
}

// others leaves out what the operator does itself: that an object was created, and that it has
// another owner, which would have each MiniCluster of a namespace wake up all others.
//
// An object that is new to a cache may have changed since it was made, even for the last time: the
// cache reads all objects again after it could not watch them. So only what is still as it was made
// is left out.
func (m *made) others() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc: func(e event.CreateEvent) bool {
			version, ok := m.versions.LoadAndDelete(e.Object.GetUID())
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
			m.versions.Delete(e.Object.GetUID())
			return true
		},
	}
}
