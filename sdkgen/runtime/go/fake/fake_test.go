package fake

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func newServer(t *testing.T) *Server {
	t.Helper()
	s, err := NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call sends a request and returns the status code and the body. A patch is a server-side apply.
func call(ctx context.Context, t *testing.T, s *Server, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, method, "http://fake/apis/example.org/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPatch {
		request.Header.Set("Content-Type", string(applyType))
	}
	response, err := (&http.Client{Transport: s}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

const sample = `{"apiVersion":"example.org/v1","kind":"Sample","metadata":{"name":%q},"spec":%s}`

// specOf returns the spec of an object.
func specOf(t *testing.T, object string) (out map[string]any) {
	t.Helper()
	var read struct{ Spec map[string]any }
	if err := json.Unmarshal([]byte(object), &read); err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	return read.Spec
}

// TestSchema: what becomes of specs.
func TestSchema(t *testing.T) {
	for input, want := range map[string]string{ // to a spec, or to a part of an error
		`{}`:                    `{"color":"red"}`,
		`{"color":null}`:        `{"color":"red"}`,
		`{"color":"blue"}`:      `{"color":"blue"}`,
		`{"color":"green"}`:     `spec.color: Unsupported value: \"green\": supported values: \"red\", \"blue\"`,
		`{"port":80}`:           `{"color":"red","port":80}`,
		`{"port":"http"}`:       `{"color":"red","port":"http"}`,
		`{"labels":{"a":{}}}`:   `{"color":"red","labels":{"a":{"color":"red"}}}`,
		`{"parts":[{}]}`:        `spec.parts[0].name: Required value`,
		`{"parts":[{"nam":1}]}`: `unknown field \"spec.parts[0].nam\"`,
		`{"x":1,"a":{}}`:        `strict decoding error: unknown field \"spec.a\", unknown field \"spec.x\"`,
	} {
		_, got := call(t.Context(), t, newServer(t), http.MethodPost, "v1/samples?fieldValidation=Strict",
			fmt.Sprintf(sample, "a", input))
		if strings.HasPrefix(want, "{") {
			var object map[string]any
			if err := json.Unmarshal([]byte(want), &object); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(object, specOf(t, got)); d != "" {
				t.Errorf("%s:\n%s", input, d)
			}
		} else if !strings.Contains(got, want) {
			t.Errorf("%s: %s", input, got)
		}
	}
}

// TestApply: the parts of two managers are merged by their names.
func TestApply(t *testing.T) {
	s := newServer(t)
	if code, got := call(t.Context(), t, s, http.MethodPatch, "v1/samples/a?fieldManager=one",
		fmt.Sprintf(sample, "a", `{"parts":[{"name":"x","count":3}]}`)); code != http.StatusCreated {
		t.Fatal(code, got)
	}
	code, got := call(t.Context(), t, s, http.MethodPatch, "v1/samples/a?fieldManager=two",
		fmt.Sprintf(sample, "a", `{"parts":[{"name":"y"}]}`))
	want := []any{map[string]any{"name": "x", "count": 3.0}, map[string]any{"name": "y", "count": 1.0}}
	if d := cmp.Diff(want, specOf(t, got)["parts"]); code != http.StatusOK || d != "" {
		t.Error(code, d)
	}
	if code, got = call(t.Context(), t, s, http.MethodPatch, "v1/samples/a?fieldManager=two",
		fmt.Sprintf(sample, "a", `{"parts":[{"name":"x","count":4}]}`)); code != http.StatusConflict {
		t.Error(code, got)
	}
}

// TestVersions: an object is the same in all versions.
func TestVersions(t *testing.T) {
	s := newServer(t)
	call(t.Context(), t, s, http.MethodPost, "v1/samples", fmt.Sprintf(sample, "a", "{}"))
	if code, got := call(t.Context(), t, s, http.MethodGet, "v1beta1/samples/a", ""); code != http.StatusOK ||
		!strings.Contains(got, `"apiVersion":"example.org/v1beta1"`) {
		t.Error(code, got)
	}
}

// TestPaths: what is no resource is not found.
func TestPaths(t *testing.T) {
	for _, path := range []string{"", "v1", "v2/samples", "v1/others", "v1/namespaces/ns/samples", "v1/samples/a/status",
		"v1/samples/a/b/c"} {
		if code, got := call(t.Context(), t, newServer(t), http.MethodGet, path, ""); code != http.StatusNotFound ||
			!strings.Contains(got, `"reason":"NotFound"`) {
			t.Errorf("%s: %d %s", path, code, got)
		}
	}
	if code, _ := call(t.Context(), t, newServer(t), http.MethodPost, "v1/samples/a",
		"{}"); code != http.StatusMethodNotAllowed {
		t.Error(code)
	}
}

// TestCompact: after it, watches and pages from before have expired.
func TestCompact(t *testing.T) {
	s := newServer(t)
	for _, name := range []string{"a", "b"} {
		call(t.Context(), t, s, http.MethodPost, "v1/samples", fmt.Sprintf(sample, name, "{}"))
	}
	_, got := call(t.Context(), t, s, http.MethodGet, "v1/samples?limit=1", "")
	var page struct {
		Metadata struct{ ResourceVersion, Continue string }
	}
	if err := json.Unmarshal([]byte(got), &page); err != nil {
		t.Fatal(err)
	}
	s.Compact()
	for _, query := range []string{"?limit=1&continue=" + page.Metadata.Continue,
		"?watch=true&resourceVersion=" + page.Metadata.ResourceVersion} {
		if code, got := call(t.Context(), t, s, http.MethodGet, "v1/samples"+query, ""); code != http.StatusGone ||
			!strings.Contains(got, `"reason":"Expired"`) {
			t.Errorf("%s: %d %s", query, code, got)
		}
	}
}

// TestWatchEnds: nothing of a watch is left when its body is closed, or its context has ended. A bubble that has
// goroutines left fails.
func TestWatchEnds(t *testing.T) {
	for _, closed := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t)
			call(t.Context(), t, s, http.MethodPost, "v1/samples", fmt.Sprintf(sample, "a", "{}"))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://fake/apis/example.org/v1/samples?watch=1",
				nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := s.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			events := bufio.NewReader(response.Body)
			if line, err := events.ReadString('\n'); err != nil || !strings.Contains(line, `"type":"ADDED"`) {
				t.Error(line, err)
			}
			if !closed {
				cancel()
				if _, err := events.ReadString('\n'); err != context.Canceled {
					t.Error(err)
				}
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
