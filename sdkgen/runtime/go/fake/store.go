package fake

import (
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// key is where an object is stored. Versions of a kind share it.
type key struct {
	schema.GroupResource
	namespace, name string
}

// change is one step of the history. A deleted object has a resource version of its own.
type change struct {
	kind           watch.EventType
	key            key
	object, before *unstructured.Unstructured // before is nil if there was none
	version        int64
}

// store has the objects and their history. Objects in it are never changed.
type store struct {
	mu        sync.Mutex
	version   int64 // of the last change
	objects   map[key]*unstructured.Unstructured
	history   []change
	compacted int64         // the version up to which the history is forgotten
	changed   chan struct{} // closed by the next change
}

func newStore() *store {
	return &store{version: 1, compacted: 1, objects: map[key]*unstructured.Unstructured{}, changed: make(chan struct{})}
}

// put stores an object with a new resource version and returns it.
func (s *store) put(k key, object *unstructured.Unstructured) *unstructured.Unstructured {
	kind := watch.Modified
	if s.objects[k] == nil {
		kind = watch.Added
	}
	return s.record(kind, k, object)
}

// remove removes an object and returns its last state.
func (s *store) remove(k key, object *unstructured.Unstructured) *unstructured.Unstructured {
	return s.record(watch.Deleted, k, object)
}

func (s *store) record(kind watch.EventType, k key, object *unstructured.Unstructured) *unstructured.Unstructured {
	s.version++
	object = object.DeepCopy()
	object.SetResourceVersion(strconv.FormatInt(s.version, 10))
	s.history = append(s.history, change{kind: kind, key: k, object: object, before: s.objects[k], version: s.version})
	if kind == watch.Deleted {
		delete(s.objects, k)
	} else {
		s.objects[k] = object
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return object
}

// since returns the changes after a version, and a channel that the next one closes; false if they are forgotten.
func (s *store) since(version int64) ([]change, <-chan struct{}, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version < s.compacted {
		return nil, nil, false
	}
	for i, c := range s.history {
		if c.version > version {
			return s.history[i:len(s.history):len(s.history)], s.changed, true
		}
	}
	return nil, s.changed, true
}

// compact forgets the history.
func (s *store) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++ // so that the last change is forgotten for whoever has seen it, too
	s.history, s.compacted = nil, s.version
}

// now is the time in the resolution of metadata.
func now() string { return time.Now().UTC().Format(time.RFC3339) }
