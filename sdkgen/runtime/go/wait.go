package light

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// waitTimeout is how long a wait takes if its context has no deadline.
const waitTimeout = 5 * time.Minute

// WaitError is why a wait for an object ended without success.
type WaitError struct {
	Resource schema.GroupResource
	Name     string
	Until    string // such as JobReady=True; empty for a function
	// Condition is the final one that the object reached instead or, if Err is set, the last state of the one that was
	// waited for. It is empty if the object has none.
	Condition metav1.Condition
	// Err is nil if the object reached a final condition. Otherwise it is that of the context, of the API server, or of the
	// function; for apierrors.IsNotFound if there is no such object, or it was deleted.
	Err error
}

// Error gives the reason: Err and the condition, as far as there are any.
func (e *WaitError) Error() string {
	var b strings.Builder
	b.WriteString("waiting for ")
	if e.Until != "" {
		b.WriteString(e.Until + " of ")
	}
	fmt.Fprintf(&b, "%s %q", e.Resource, e.Name)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if c := e.Condition; c.Type != "" {
		fmt.Fprintf(&b, ": %s=%s", c.Type, c.Status)
		for _, text := range []string{c.Reason, c.Message} {
			if text != "" {
				b.WriteString(": " + text)
			}
		}
	}
	return b.String()
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

// restWaitUntil waits until done reports true or an error. It returns the object as last seen, nil if it never was, with an error, too.
func restWaitUntil[T any, P restObject[T]](ctx context.Context, r restResource, name string, list restLister[T], done func(P) (bool, error)) (P, error) {
	if _, ok := ctx.Deadline(); !ok {
		timed, cancel := context.WithTimeout(ctx, waitTimeout)
		defer cancel()
		ctx = timed
	}
	resource := schema.GroupResource{Group: r.group, Resource: r.plural}
	last, err := restNamed[T](ctx, r, restRequest{method: http.MethodGet, name: name})
	if err == nil {
		last, err = restFollow(ctx, r, last, list, done)
	}
	if err == nil {
		return last, nil
	}
	final, ok := err.(*WaitError)
	if !ok || final.Name != "" { // or that of another wait, within done
		final = &WaitError{Err: err}
	}
	final.Resource, final.Name = resource, name
	return last, final
}

// restFollow checks an object and, until done says so, each of its later states. It returns the last one.
func restFollow[T any, P restObject[T]](ctx context.Context, r restResource, object *T, list restLister[T], done func(P) (bool, error)) (last *T, err error) {
	last = object
	if ok, err := done(last); ok || err != nil {
		return last, err
	}
	name := P(object).GetName()
	w := &restWatcher[T, P]{
		resource: r, list: list, version: P(object).GetResourceVersion(), known: map[string]restKnown[P]{}, delay: minDelay,
		options: metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()},
	}
	w.yield = func(event Event[T], _ error) bool {
		last = event.Object
		ok := false
		if event.Type == watch.Deleted {
			err = apierrors.NewNotFound(schema.GroupResource{Group: r.group, Resource: r.plural}, name)
		} else {
			ok, err = done(last)
		}
		return !ok && err == nil
	}
	if err := w.keep(object, 0); err != nil { // so that a list without the object says that it was deleted
		return last, err
	}
	if ended := w.run(ctx); !w.stopped {
		err = ended
	}
	return last, err
}

// restConditions returns the conditions of an object.
type restConditions[P any] func(P) []metav1.Condition

// restWaitFor waits until an object has the condition want, or final returns another one. Conditions of an older generation than
// the object's do not count.
func restWaitFor[T any, P restObject[T]](ctx context.Context, r restResource, name string, list restLister[T], all restConditions[P], want metav1.Condition, final func([]metav1.Condition) *metav1.Condition) (P, error) {
	if want.Status == "" {
		want.Status = metav1.ConditionTrue
	}
	until := want.Type + "=" + string(want.Status)
	if want.Reason != "" {
		until += " (" + want.Reason + ")"
	}
	var last metav1.Condition // of the type of want
	object, err := restWaitUntil(ctx, r, name, list, func(object P) (bool, error) {
		current := restCurrent(all(object), object.GetGeneration())
		last = metav1.Condition{}
		if c := restMatch(current, metav1.Condition{Type: want.Type}); c != nil {
			last = *c
		}
		if restMatch(current, want) != nil {
			return true, nil
		}
		if c := final(current); c != nil {
			return false, &WaitError{Condition: *c}
		}
		return false, nil
	})
	if failed, ok := err.(*WaitError); ok {
		failed.Until = until
		if failed.Err != nil {
			failed.Condition = last
		}
	}
	return object, err
}

// restCurrent returns the conditions that are of a generation, or do not say of which they are.
func restCurrent(all []metav1.Condition, generation int64) (current []metav1.Condition) {
	for _, c := range all {
		if c.ObservedGeneration == 0 || c.ObservedGeneration >= generation {
			current = append(current, c)
		}
	}
	return current
}

// restMatch returns the first condition that one of the patterns matches: of its type, and of its status and reason unless those are empty.
func restMatch(all []metav1.Condition, patterns ...metav1.Condition) *metav1.Condition {
	for i, c := range all {
		for _, p := range patterns {
			if c.Type == p.Type && (p.Status == "" || c.Status == p.Status) && (p.Reason == "" || c.Reason == p.Reason) {
				return &all[i]
			}
		}
	}
	return nil
}

// restFinal is a function for restWaitFor: the conditions that patterns match are final. A pattern without a status is of True.
func restFinal(patterns []metav1.Condition) func([]metav1.Condition) *metav1.Condition {
	final := append([]metav1.Condition(nil), patterns...)
	for i := range final {
		if final[i].Status == "" {
			final[i].Status = metav1.ConditionTrue
		}
	}
	return func(all []metav1.Condition) *metav1.Condition { return restMatch(all, final...) }
}
