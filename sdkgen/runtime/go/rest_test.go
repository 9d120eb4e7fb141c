package light

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// serve returns the resource samples of a server that gives these answers in turn, each a status code
// and a body, and what was asked for. After the last answer it is silent.
func serve(t *testing.T, answers ...string) (restResource, func() []string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		words := []string{r.Method, strings.TrimPrefix(r.URL.String(), "/proxy/apis/example.org/v1/"),
			r.Header.Get("Content-Type"), string(body)}
		asked = append(asked, strings.TrimSpace(strings.Join(words, " ")))
		if len(answers) == 0 {
			<-r.Context().Done()
			return
		}
		answer := answers[0]
		answers = answers[1:]
		var code int
		fmt.Sscan(answer, &code)
		w.WriteHeader(code)
		_, body2, _ := strings.Cut(answer, " ")
		io.WriteString(w, body2)
	}))
	t.Cleanup(server.Close)
	client, err := NewClient(server.Client(), server.URL+"/proxy/")
	if err != nil {
		t.Fatal(err)
	}
	resource := restResource{Client: client, group: "example.org", version: "v1", plural: "samples", namespaced: true,
		namespace: "ns"}
	return resource, func() []string { return asked }
}

// page is the restLister of samples.
func (r restResource) page(ctx context.Context, options metav1.ListOptions) (restPage[sample], error) {
	type list struct {
		metav1.ListMeta `json:"metadata"`
		Items           []sample `json:"items"`
	}
	out, size, err := restRead[list](ctx, r, restRequest{method: http.MethodGet, options: &options})
	if err != nil {
		return restPage[sample]{}, err
	}
	return restPage[sample]{out.Items, out, size}, nil
}

func TestNewClient(t *testing.T) {
	for host, fits := range map[string]bool{
		"https://10.0.0.1:6443": true, "http://localhost": true, "https://host/path/": true,
		"": false, "localhost:8080": false, "://": false, "ftp://x": false, "https://": false,
	} {
		if _, err := NewClient(nil, host); (err == nil) != fits {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestURL(t *testing.T) {
	client, err := NewClient(nil, "https://host/a")
	if err != nil {
		t.Fatal(err)
	}
	in := func(namespaced bool, namespace string) restResource {
		return restResource{Client: client, group: "g", version: "v1", plural: "ps", namespaced: namespaced,
			namespace: namespace}
	}
	get := http.MethodGet
	for _, c := range []struct {
		resource restResource
		request  restRequest
		want     string // "" for an error
	}{
		{in(true, "ns"), restRequest{method: get}, "https://host/a/apis/g/v1/namespaces/ns/ps"},
		{in(true, "ns"), restRequest{method: get, name: "x", sub: "status"},
			"https://host/a/apis/g/v1/namespaces/ns/ps/x/status"},
		{in(true, ""), restRequest{method: get}, "https://host/a/apis/g/v1/ps"},
		{in(true, ""), restRequest{method: get, name: "x"}, ""},
		{in(true, ""), restRequest{method: http.MethodPost}, ""},
		{in(false, ""), restRequest{method: http.MethodPost}, "https://host/a/apis/g/v1/ps"},
		{in(true, ".."), restRequest{method: get}, ""},
		{in(true, "ns"), restRequest{method: get, name: "a/b"}, ""},
		{in(true, "ns"), restRequest{method: get, name: "a%2fb"}, ""},
	} {
		got, err := c.resource.url(c.request, nil)
		if (err == nil) != (c.want != "") || err == nil && got.String() != c.want {
			t.Errorf("%+v: %v, %v", c.request, got, err)
		}
	}
}

// TestRequests: what is sent for a request, and that its answer is read.
func TestRequests(t *testing.T) {
	force := metav1.ApplyOptions{FieldManager: "me", Force: true}
	for _, c := range []struct {
		request restRequest
		want    string
	}{
		{restRequest{method: http.MethodGet, name: "a", options: &metav1.GetOptions{ResourceVersion: "7"}},
			"GET namespaces/ns/samples/a?resourceVersion=7"},
		{restRequest{method: http.MethodPost, body: map[string]int{"a": 1}},
			`POST namespaces/ns/samples application/json {"a":1}`},
		{restRequest{method: http.MethodPost, body: &sampleSpec{Text: "<"}},
			`POST namespaces/ns/samples application/json ` + standard(t, (&sampleSpec{Text: "<"}).plain())},
		{restPatch("a", "status", types.MergePatchType, []byte("{}"), &metav1.PatchOptions{}),
			"PATCH namespaces/ns/samples/a/status?fieldValidation=Strict application/merge-patch+json {}"},
		{restPatch("a", "", types.ApplyYAMLPatchType, []byte("{}"), restApply(force)),
			"PATCH namespaces/ns/samples/a?fieldManager=me&fieldValidation=Strict&force=true application/apply-patch+yaml {}"},
	} {
		r, asked := serve(t, `200 {"metadata":{"name":"a"},"spec":{"text":"read"}}`)
		got, err := restCall[sample](t.Context(), r, c.request)
		if err != nil || got.Name != "a" || got.Spec.Text != "read" {
			t.Errorf("%s: %+v, %v", c.want, got, err)
		}
		if d := cmp.Diff([]string{c.want}, asked()); d != "" {
			t.Error(d)
		}
	}
	if _, err := restNamed[sample](t.Context(), restResource{}, restRequest{method: http.MethodGet}); err != errNoName {
		t.Error(err)
	}
	r, _ := serve(t)
	if _, err := restCall[sample](t.Context(), r, restRequest{method: http.MethodPost, body: func() {}}); err == nil ||
		!strings.HasPrefix(err.Error(), "encoding the body: ") {
		t.Error(err)
	}
}

// TestFieldValidation: requests with a body to validate ask for strict validation, unless their options say otherwise.
func TestFieldValidation(t *testing.T) {
	patch := metav1.PatchOptions{FieldValidation: metav1.FieldValidationIgnore}
	for _, c := range []struct {
		request restRequest
		want    string
	}{
		{restRequest{method: http.MethodPost, options: &metav1.CreateOptions{}},
			"POST namespaces/ns/samples?fieldValidation=Strict"},
		{restRequest{method: http.MethodPost, options: &metav1.CreateOptions{FieldValidation: metav1.FieldValidationWarn}},
			"POST namespaces/ns/samples?fieldValidation=Warn"},
		{restRequest{method: http.MethodPut, name: "a", options: &metav1.UpdateOptions{}},
			"PUT namespaces/ns/samples/a?fieldValidation=Strict"},
		{restPatch("a", "", types.JSONPatchType, nil, &patch),
			"PATCH namespaces/ns/samples/a?fieldValidation=Ignore application/json-patch+json"},
		{restPatch("a", "", types.ApplyPatchType, nil, restApply(metav1.ApplyOptions{})),
			"PATCH namespaces/ns/samples/a?fieldValidation=Strict&force=false application/apply-patch+yaml"},
		{restRequest{method: http.MethodGet, name: "a", options: &metav1.GetOptions{}}, "GET namespaces/ns/samples/a"},
		{restRequest{method: http.MethodDelete, options: &metav1.ListOptions{}}, "DELETE namespaces/ns/samples"},
	} {
		r, asked := serve(t, "200 {}")
		if _, err := restCall[sample](t.Context(), r, c.request); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff([]string{c.want}, asked()); d != "" {
			t.Error(d)
		}
	}
}

func TestDelete(t *testing.T) {
	grace := int64(0)
	r, asked := serve(t, "200 {}", "200 {}", `404 {"kind":"Status","status":"Failure","code":404,"reason":"NotFound"}`)
	if err := restDelete(t.Context(), r, "a", metav1.DeleteOptions{GracePeriodSeconds: &grace}, nil); err != nil {
		t.Error(err)
	}
	if err := restDelete(t.Context(), r, "", metav1.DeleteOptions{}, &metav1.ListOptions{LabelSelector: "a"}); err != nil {
		t.Error(err)
	}
	if err := restDelete(t.Context(), r, "a", metav1.DeleteOptions{}, nil); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	want := []string{
		`DELETE namespaces/ns/samples/a application/json {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`,
		`DELETE namespaces/ns/samples?labelSelector=a application/json {"kind":"DeleteOptions","apiVersion":"v1"}`,
		`DELETE namespaces/ns/samples/a application/json {"kind":"DeleteOptions","apiVersion":"v1"}`,
	}
	if d := cmp.Diff(want, asked()); d != "" {
		t.Error(d)
	}
}

// TestRefusals: what an answer that is no success becomes.
func TestRefusals(t *testing.T) {
	for answer, after := range map[string]func(error) bool{
		`409 {"kind":"Status","status":"Failure","reason":"Conflict","code":409}`: apierrors.IsConflict,
		"404 no such page": apierrors.IsNotFound,
		"429 ":             apierrors.IsTooManyRequests,
		"503 <html>":       apierrors.IsServiceUnavailable,
		"302 ":             func(err error) bool { return err != nil },
		"200 no JSON": func(err error) bool {
			return strings.HasPrefix(err.Error(),
				"reading the answer: invalid character")
		},
		`200 {"spec":{"count":"x"}}`: func(err error) bool {
			return errors.As(err, new(*json.UnmarshalTypeError)) && strings.Contains(err.Error(), "sample.spec.count")
		},
	} {
		r, _ := serve(t, answer)
		if got, err := restCall[sample](t.Context(), r, restRequest{method: http.MethodGet, name: "a"}); err == nil ||
			got != nil || !after(err) {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
	}
}

// TestAll: pages are asked for one after the other, and no more than are wanted.
func TestAll(t *testing.T) {
	pages := []string{
		`200 {"metadata":{"continue":"t1"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
		`200 {"metadata":{},"items":[{"metadata":{"name":"c"}}]}`,
	}
	expired := `410 {"kind":"Status","status":"Failure","reason":"Expired","code":410}`
	for _, c := range []struct {
		answers []string
		most    int
		want    string
		asked   int
	}{
		{pages, 9, "a b c", 2},
		{pages, 1, "a", 1},
		{[]string{pages[0], expired}, 9, "a b Expired", 2},
	} {
		r, asked := serve(t, c.answers...)
		var got []string
		for object, err := range restAll(t.Context(), metav1.ListOptions{}, r.page) {
			if err != nil {
				got = append(got, string(apierrors.ReasonForError(err)))
				break
			}
			if got = append(got, object.Name); len(got) == c.most {
				break
			}
		}
		if strings.Join(got, " ") != c.want || len(asked()) != c.asked {
			t.Errorf("%q, asked %q", got, asked())
		}
	}
	r, asked := serve(t, pages...)
	for range restAll(t.Context(), metav1.ListOptions{ResourceVersion: "0", Limit: 2}, r.page) {
	}
	if d := cmp.Diff([]string{"GET namespaces/ns/samples?limit=2&resourceVersion=0",
		"GET namespaces/ns/samples?continue=t1&limit=2"}, asked()); d != "" {
		t.Error(d)
	}
}

// watched runs a watch until n events came or an error did, and describes them.
func watched(t *testing.T, options metav1.ListOptions, n int, answers ...string) (events, asked []string) {
	t.Helper()
	r, requests := serve(t, answers...)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for event, err := range restWatch(ctx, r, options, r.page) {
		if err != nil {
			events = append(events, string(apierrors.ReasonForError(err)))
			break
		}
		events = append(events, strings.TrimSpace(string(event.Type)+" "+event.Object.Name+" "+event.Object.ResourceVersion))
		if len(events) == n {
			break
		}
	}
	return events, requests()
}

func TestWatch(t *testing.T) {
	event := func(kind, name, version string) string {
		return fmt.Sprintf(`{"type":%q,"object":{"metadata":{"name":%q,"uid":%q,"resourceVersion":%q}}}`, kind, name, name,
			version)
	}
	const (
		list = `200 {"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"a","uid":"a","resourceVersion":"3"}}]}`
		gone = `{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}}`
		no   = `403 {"kind":"Status","status":"Failure","reason":"Forbidden","code":403}`
	)
	for name, c := range map[string]struct {
		options metav1.ListOptions
		answers []string
		want    []string
		asked   int
	}{
		"lists, then watches": {answers: []string{list, "200 " + event("MODIFIED", "a", "6") + event("DELETED", "a", "7")},
			want: []string{"ADDED a 3", "MODIFIED a 6", "DELETED a 7"}, asked: 2},
		"connects again": {options: metav1.ListOptions{ResourceVersion: "5"},
			answers: []string{"200 " + event("ADDED", "b", "6"), "503 ", "200 " + event("ADDED", "c", "7")},
			want:    []string{"ADDED b 6", "ADDED c 7"}, asked: 3},
		"lists again": {answers: []string{list, "200 " + event("ADDED", "b", "6") + gone,
			`200 {"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","uid":"a","resourceVersion":"8"}},{"metadata":{"name":"c","uid":"c","resourceVersion":"9"}}]}`},
			want: []string{"ADDED a 3", "ADDED b 6", "MODIFIED a 8", "ADDED c 9", "DELETED b 6"}, asked: 3},
		"made anew": {answers: []string{list, "200 " + gone,
			`200 {"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a","uid":"other","resourceVersion":"9"}}]}`},
			want: []string{"ADDED a 3", "DELETED a 3", "ADDED a 9"}, asked: 3},
		"a bookmark moves on": {options: metav1.ListOptions{ResourceVersion: "5"},
			answers: []string{"200 " + event("BOOKMARK", "", "8"), "200 " + event("ADDED", "c", "9")},
			want:    []string{"ADDED c 9"}, asked: 2},
		"a bookmark is wanted": {options: metav1.ListOptions{ResourceVersion: "5", AllowWatchBookmarks: true},
			answers: []string{"200 " + event("BOOKMARK", "", "8")},
			want:    []string{"BOOKMARK  8"}, asked: 1},
		"refused at once": {answers: []string{no}, want: []string{"Forbidden"}, asked: 1},
		"pages too old": {answers: []string{`200 {"metadata":{"continue":"t"},"items":[{"metadata":{"name":"z"}}]}`,
			`410 {"kind":"Status","status":"Failure","reason":"Expired","code":410}`, list},
			want: []string{"ADDED a 3"}, asked: 3},
	} {
		t.Run(name, func(t *testing.T) {
			events, asked := watched(t, c.options, len(c.want), c.answers...)
			if !slices.Equal(events, c.want) || len(asked) != c.asked {
				t.Errorf("%q, asked %q", events, asked)
			}
		})
	}
}

// TestWatchVersions: a watch goes on from the last version that it has seen.
func TestWatchVersions(t *testing.T) {
	seconds := int64(9)
	options := metav1.ListOptions{ResourceVersion: "5", TimeoutSeconds: &seconds, LabelSelector: "a"}
	_, asked := watched(t, options, 1, `200 {"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}`,
		`200 {"type":"ADDED","object":{}}`)
	want := "GET " +
		"namespaces/ns/samples?allowWatchBookmarks=true&labelSelector=a&resourceVersion=%s&timeoutSeconds=9&watch=true"
	if d := cmp.Diff([]string{fmt.Sprintf(want, "5"), fmt.Sprintf(want, "8")}, asked); d != "" {
		t.Error(d)
	}
}

// TestWatchEnds: the context ends a watch, with its error.
func TestWatchEnds(t *testing.T) {
	r, _ := serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	var last error
	for _, last = range restWatch(ctx, r, metav1.ListOptions{ResourceVersion: "1"}, r.page) {
	}
	if !errors.Is(last, context.Canceled) {
		t.Error(last)
	}
}
