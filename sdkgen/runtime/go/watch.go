package light

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Event is a change of an object: it was added, modified or deleted. A deleted object is in its last
// known state. A bookmark, which comes only if it was asked for, has nothing but a resource version.
type Event[T any] struct {
	Type   watch.EventType
	Object *T
}

const (
	minDelay = 50 * time.Millisecond // before a watch connects again
	maxDelay = 10 * time.Second      // the same, after many failures
	patience = time.Minute           // for a server that, while it starts, knows neither rights nor kinds
)

// restObject is a pointer to an object of a root kind.
type restObject[T any] interface {
	*T
	metav1.Object
	json.Unmarshaler
}

// restKnown is an object that a watch has passed on.
type restKnown[P any] struct {
	object P
	size   int64 // in bytes of JSON; of one from a list, the average there
}

// restWatcher is one run of a watch.
type restWatcher[T any, P restObject[T]] struct {
	resource restResource
	options  metav1.ListOptions
	list     restLister[T]
	yield    func(Event[T], error) bool

	version string                  // up to which all was seen; empty before a list
	known   map[string]restKnown[P] // what there is, by namespace and name
	size    int64                   // of all that is known
	since   time.Time               // the last time that the server answered well; zero if it never did
	delay   time.Duration
	stopped bool // the consumer has had enough
}

func restWatch[T any, P restObject[T]](ctx context.Context, r restResource, options metav1.ListOptions, list restLister[T]) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		w := &restWatcher[T, P]{
			resource: r, options: options, list: list, yield: yield,
			version: options.ResourceVersion, known: map[string]restKnown[P]{}, delay: minDelay,
		}
		if err := w.run(ctx); err != nil && !w.stopped {
			yield(Event[T]{}, err)
		}
	}
}

// run connects again and again. It returns what ends the watch.
func (w *restWatcher[T, P]) run(ctx context.Context) error {
	for {
		err := w.connect(ctx)
		switch {
		case w.stopped:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case isExpired(err):
			w.version = ""
		case err != nil && !w.passes(err):
			return err
		}
		delay := w.delay + rand.N(w.delay)
		if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
			delay = max(delay, time.Duration(seconds)*time.Second)
		}
		w.delay = min(2*w.delay, maxDelay)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(delay):
		}
	}
}

// isExpired says whether the server has nothing for a resource version, or has not got so far.
func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge)
}

// passes says whether a failure is one that passes. None is before the server has answered once.
func (w *restWatcher[T, P]) passes(err error) bool {
	status := apierrors.APIStatus(nil)
	switch {
	case w.since.IsZero(), errors.As(err, new(*TooLargeError)):
		return false
	case !errors.As(err, &status): // of the network
		return true
	}
	switch code := status.Status().Code; code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return time.Since(w.since) < patience
	default:
		return code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
	}
}

// answered notes that the server answers well.
func (w *restWatcher[T, P]) answered() { w.since, w.delay = time.Now(), minDelay }

// connect lists, if it has to, and passes events on until the connection ends.
func (w *restWatcher[T, P]) connect(ctx context.Context) error {
	if w.version == "" {
		if err := w.relist(ctx); err != nil || w.stopped {
			return err
		}
	}
	options := metav1.ListOptions{
		LabelSelector: w.options.LabelSelector, FieldSelector: w.options.FieldSelector,
		Watch: true, AllowWatchBookmarks: true, ResourceVersion: w.version, TimeoutSeconds: w.options.TimeoutSeconds,
	}
	if options.TimeoutSeconds == nil {
		seconds := 300 + rand.Int64N(300) // so that not all come back at once
		options.TimeoutSeconds = &seconds
	}
	response, err := w.resource.send(ctx, restRequest{method: http.MethodGet, options: &options})
	if err != nil {
		return err
	}
	defer response.Body.Close()
	w.since = time.Now()
	body := newBoundedReader(response.Body, w.resource.objectLimit("an event of the watch"))
	stream := json.NewDecoder(body)
	for !w.stopped {
		body.reset()
		var event struct {
			Type   watch.EventType `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := stream.Decode(&event); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading the watch: %w", err)
		}
		if err := w.event(event.Type, event.Object); err != nil {
			return err
		}
	}
	return nil
}

// event passes on one event of the server.
func (w *restWatcher[T, P]) event(kind watch.EventType, data []byte) error {
	if kind == watch.Error {
		if status := restStatus(data); status != nil {
			return &apierrors.StatusError{ErrStatus: *status}
		}
		return fmt.Errorf("reading the watch: an error that is no Status: %.100s", data)
	}
	object := P(new(T))
	if err := object.UnmarshalJSON(data); err != nil {
		return fmt.Errorf("reading the watch: %w", err)
	}
	w.answered()
	w.version = object.GetResourceVersion()
	switch kind {
	case watch.Bookmark:
		if !w.options.AllowWatchBookmarks {
			return nil
		}
	case watch.Deleted:
		w.forget(restKey(object))
	default:
		if err := w.keep(object, int64(len(data))); err != nil {
			return err
		}
	}
	w.pass(kind, object)
	return nil
}

// forget removes an object from what is known.
func (w *restWatcher[T, P]) forget(key string) {
	w.size -= w.known[key].size
	delete(w.known, key)
}

// keep adds an object of a size in bytes to what is known, or puts it in the place of its former state.
func (w *restWatcher[T, P]) keep(object P, size int64) error {
	key := restKey(object)
	w.forget(key)
	w.known[key] = restKnown[P]{object, size}
	w.size += size
	if limit := w.resource.listLimit("what the watch keeps"); w.size > limit.Limit {
		return limit
	}
	return nil
}

func (w *restWatcher[T, P]) pass(kind watch.EventType, object P) {
	if !w.stopped {
		w.stopped = !w.yield(Event[T]{kind, object}, nil)
	}
}

func restKey(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// relist lists anew and passes on what differs from what was known.
func (w *restWatcher[T, P]) relist(ctx context.Context) error {
	all, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	w.answered()
	before := w.known
	w.known, w.size, w.version = map[string]restKnown[P]{}, 0, all.meta.GetResourceVersion()
	for i := range all.items {
		object := P(&all.items[i])
		if err := w.keep(object, int64(all.size/len(all.items))); err != nil {
			return err
		}
		switch old := before[restKey(object)].object; {
		case old == nil:
			w.pass(watch.Added, object)
		case old.GetUID() != object.GetUID():
			w.pass(watch.Deleted, old)
			w.pass(watch.Added, object)
		case old.GetResourceVersion() != object.GetResourceVersion():
			w.pass(watch.Modified, object)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if w.known[key].object == nil {
			w.pass(watch.Deleted, before[key].object)
		}
	}
	return nil
}

// snapshot returns all objects as one page, with the resource version that they are of.
func (w *restWatcher[T, P]) snapshot(ctx context.Context) (all restPage[T], err error) {
	options := metav1.ListOptions{
		LabelSelector: w.options.LabelSelector, FieldSelector: w.options.FieldSelector, Limit: w.options.Limit,
	}
	if options.Limit == 0 {
		options.Limit = pageSize
	}
	limit := w.resource.listLimit("the list that the watch begins with")
	for {
		page, err := w.list(ctx, options)
		if isExpired(err) && options.Continue != "" {
			all, options.Continue, options.Limit = restPage[T]{}, "", 0 // all at once then
			continue
		}
		if err != nil {
			return all, err
		}
		all.items, all.meta, all.size = append(all.items, page.items...), page.meta, all.size+page.size
		if int64(all.size) > limit.Limit {
			return all, limit
		}
		if options.Continue = page.meta.GetContinue(); options.Continue == "" {
			return all, nil
		}
	}
}
