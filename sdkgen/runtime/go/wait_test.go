package light

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// conditions of a sample are what its text says: fields of TYPE=STATUS:REASON:MESSAGE.
func (x *sample) conditions() (all []metav1.Condition) {
	for text := range strings.FieldsSeq(x.Spec.Text) {
		words := strings.Split(text, ":")
		typ, status, _ := strings.Cut(words[0], "=")
		all = append(all, metav1.Condition{Type: typ, Status: metav1.ConditionStatus(status), Reason: words[1],
			Message: words[2], ObservedGeneration: int64(x.Spec.Count)})
	}
	return all
}

// state is a sample in JSON.
func state(version int, conditions string) string {
	return fmt.Sprintf(`{"metadata":{"name":"a","uid":"u","generation":2,"resourceVersion":"%d"},"spec":{"text":%q}}`,
		version, conditions)
}

// TestWaitFor: what a wait for Ready returns, with Failed a final condition.
func TestWaitFor(t *testing.T) {
	event := func(kind, object string) string { return fmt.Sprintf(`{"type":%q,"object":%s}`, kind, object) }
	const (
		not     = "Ready=False:Creating:soon"
		ready   = "Ready=True:Created:done"
		failed  = "Ready=False:Creating:soon Failed=True:Invalid:no-containers"
		missing = `404 {"kind":"Status","status":"Failure","reason":"NotFound","message":"there is none","code":404}`
		expired = `{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}}`
	)
	for name, c := range map[string]struct {
		answers []string
		want    metav1.Condition
		last    string // resource version of the object that is returned
		err     string // empty for success
	}{
		"at once": {[]string{"200 " + state(1, ready)}, metav1.Condition{}, "1", ""},
		"later": {[]string{"200 " + state(1, not),
			"200 " + event("MODIFIED", state(2, not)) + event("MODIFIED", state(3, ready))}, metav1.Condition{}, "3", ""},
		"a reason": {[]string{"200 " + state(1, ready), "200 " + event("MODIFIED", state(2, "Ready=True:Other:x"))},
			metav1.Condition{Reason: "Other"}, "2", ""},
		"another value": {[]string{"200 " + state(1, not)}, metav1.Condition{Status: metav1.ConditionFalse}, "1", ""},
		"final": {[]string{"200 " + state(1, not), "200 " + event("MODIFIED", state(2, failed))}, metav1.Condition{},
			"2", `waiting for Ready=True of samples.example.org "a": Failed=True: Invalid: no-containers`},
		"not there": {[]string{missing}, metav1.Condition{}, "",
			`waiting for Ready=True of samples.example.org "a": there is none`},
		"deleted": {[]string{"200 " + state(1, not), "200 " + event("DELETED", state(2, not))}, metav1.Condition{}, "2",
			`waiting for Ready=True of samples.example.org "a": samples.example.org "a" not found: Ready=False: Creating: soon`},
		"deleted unseen": {[]string{"200 " + state(1, not), "200 " + expired,
			`200 {"metadata":{"resourceVersion":"9"},"items":[]}`}, metav1.Condition{}, "1",
			`waiting for Ready=True of samples.example.org "a": samples.example.org "a" not found: Ready=False: Creating: soon`},
		"too late": {[]string{"200 " + state(1, not)}, metav1.Condition{Reason: "Created"}, "1",
			`waiting for Ready=True (Created) of samples.example.org "a": context deadline exceeded: Ready=False: Creating: soon`},
		"no conditions": {[]string{"200 " + state(1, "")}, metav1.Condition{}, "1",
			`waiting for Ready=True of samples.example.org "a": context deadline exceeded`},
		"older generation": {[]string{"200 " + strings.Replace(state(1, ready), `"spec":{`, `"spec":{"count":1,`, 1),
			"200 " + event("MODIFIED", strings.Replace(state(2, ready), `"spec":{`, `"spec":{"count":2,`, 1))},
			metav1.Condition{}, "2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := serve(t, c.answers...)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			c.want.Type = "Ready"
			got, err := restWaitFor(ctx, r, "a", r.page, (*sample).conditions, c.want,
				restFinal([]metav1.Condition{{Type: "Failed"}}))
			if text := fmt.Sprint(err); c.err == "" && err != nil || c.err != "" && text != c.err {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if got == nil && c.last != "" || got != nil && got.ResourceVersion != c.last {
				t.Errorf("object %+v", got)
			}
			var failed *WaitError
			if err != nil && !errors.As(err, &failed) {
				t.Errorf("error of type %T", err)
			}
			if ok := strings.Contains(name, "deleted") || name == "not there"; apierrors.IsNotFound(err) != ok {
				t.Errorf("not found: %v", !ok)
			}
			if holds := strings.Contains(c.err, "deadline"); errors.Is(err, context.DeadlineExceeded) != holds {
				t.Errorf("too late: %v", !holds)
			}
		})
	}
}

// TestWaitUntil: a wait ends with the error of its function, which may be another wait's, and within a time of its own.
func TestWaitUntil(t *testing.T) {
	broken := errors.New("broken")
	inner := &WaitError{Name: "inner", Err: broken}
	for _, cause := range []error{broken, inner} {
		r, _ := serve(t, "200 "+state(1, ""))
		_, err := restWaitUntil(t.Context(), r, "a", r.page, func(*sample) (bool, error) { return false, cause })
		if failed, ok := err.(*WaitError); !ok || !errors.Is(err, broken) || failed.Name != "a" || failed.Err != cause ||
			inner.Name != "inner" {
			t.Errorf("error %v", err)
		}
	}
	r, _ := serve(t, "200 "+state(1, ""))
	if _, err := restWaitUntil(t.Context(), r, "", r.page,
		func(*sample) (bool, error) { return true, nil }); !errors.Is(err, errNoName) {
		t.Error(err)
	}
}

// TestWaitTimeout: without a deadline in its context a wait has one of its own.
func TestWaitTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := NewClient(&http.Client{Transport: transport(func(request *http.Request) (*http.Response, error) {
			if request.URL.Query().Get("watch") == "" {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(state(1, "")))}, nil
			}
			<-request.Context().Done()
			return nil, request.Context().Err()
		})}, "https://example.org")
		if err != nil {
			t.Fatal(err)
		}
		r := restResource{Client: client, group: "example.org", version: "v1", plural: "samples"}
		start := time.Now()
		_, err = restWaitUntil(t.Context(), r, "a", r.page, func(*sample) (bool, error) { return false, nil })
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != waitTimeout {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

// transport is a function as an http.RoundTripper.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }
