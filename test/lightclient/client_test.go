package lightclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// serve answers requests in turn, each with an answer: a line of the status code, and the body. It
// returns a client of MiniClusters in the namespace ns, and what was asked for: method, URL, content
// type, body.
func serve(t *testing.T, answers ...string) (*fluxoperator.MiniClusterClient, func() []string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked,
			strings.TrimSpace(strings.Join([]string{r.Method, r.URL.String(), r.Header.Get("Content-Type"), string(body)}, " ")))
		if len(answers) == 0 {
			<-r.Context().Done()
			return
		}
		status, text, _ := strings.Cut(answers[0], "\n")
		answers = answers[1:]
		var code int
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	client, err := fluxoperator.NewClient(server.Client(), server.URL+"/proxy/")
	if err != nil {
		t.Fatal(err)
	}
	return client.MiniClusters("ns"), func() []string { return asked }
}

const base = "/proxy/apis/flux-framework.org/v1alpha1/namespaces/ns/miniclusters"

// TestRequests shows what each method asks for.
func TestRequests(t *testing.T) {
	object := &fluxoperator.MiniCluster{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	const text = `{"kind":"MiniCluster","apiVersion":"flux-framework.org/v1alpha1","metadata":{"name":"a"}}`
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
	patch := []byte(`{"spec":{"size":3}}`)
	timeout, grace := int64(5), int64(0)
	for want, do := range map[string]func(*fluxoperator.MiniClusterClient, context.Context) error{
		"GET " + base + "/a?resourceVersion=7": func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			got, err := c.Get(ctx, "a", metav1.GetOptions{ResourceVersion: "7"})
			if err == nil && (got.Name != "a" || got.UnknownFields["x"] == nil) {
				return fmt.Errorf("it is %+v", got)
			}
			return err
		},
		"GET " + base + "?labelSelector=a%3Db&limit=2&timeoutSeconds=5": func(c *fluxoperator.MiniClusterClient,
			ctx context.Context) error {
			_, err := c.List(ctx, metav1.ListOptions{LabelSelector: "a=b", Limit: 2, TimeoutSeconds: &timeout, Watch: true})
			return err
		},
		"POST " + base + "?dryRun=All&fieldManager=me&fieldValidation=Strict application/json " +
			text: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.Create(ctx, object, metav1.CreateOptions{DryRun: []string{"All"}, FieldManager: "me"})
			return err
		},
		"PUT " + base + "/a?fieldValidation=Strict application/json " +
			text: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.Update(ctx, object, metav1.UpdateOptions{})
			return err
		},
		"PATCH " + base + "/a?fieldValidation=Warn application/merge-patch+json " +
			string(patch): func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.Patch(ctx, "a", types.MergePatchType, patch,
				metav1.PatchOptions{FieldValidation: metav1.FieldValidationWarn})
			return err
		},
		"PATCH " + base + "/a?fieldValidation=Strict application/merge-patch+json " +
			string(patch): func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.Patch(ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		},
		"PATCH " + base + "/a?fieldManager=me&fieldValidation=Strict&force=true application/apply-patch+yaml " +
			text: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.Apply(ctx, object, metav1.ApplyOptions{FieldManager: "me", Force: true})
			return err
		},
		"DELETE " + base +
			`/a application/json {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0}`: func(
			c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			return c.Delete(ctx, "a", metav1.DeleteOptions{GracePeriodSeconds: &grace})
		},
		"DELETE " + base +
			`?labelSelector=a application/json {"kind":"DeleteOptions","apiVersion":"v1"}`: func(
			c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			return c.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "a"})
		},
		"GET " + base + "/a/status": func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.GetStatus(ctx, "a", metav1.GetOptions{})
			return err
		},
		"PUT " + base + "/a/status?fieldValidation=Strict application/json " +
			text: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.UpdateStatus(ctx, object, metav1.UpdateOptions{})
			return err
		},
		"PATCH " + base +
			"/a/status?fieldValidation=Strict application/json-patch+json []": func(c *fluxoperator.MiniClusterClient,
			ctx context.Context) error {
			_, err := c.PatchStatus(ctx, "a", types.JSONPatchType, []byte("[]"), metav1.PatchOptions{})
			return err
		},
		"PATCH " + base + "/a/status?fieldManager=me&fieldValidation=Strict&force=false application/apply-patch+yaml " +
			text: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.ApplyStatus(ctx, object, metav1.ApplyOptions{FieldManager: "me"})
			return err
		},
		"GET " + base + "/a/scale": func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.GetScale(ctx, "a", metav1.GetOptions{})
			return err
		},
		"PUT " + base +
			`/a/scale?fieldValidation=Strict application/json {"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{},"spec":{"replicas":3},"status":{"replicas":0}}`: func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.UpdateScale(ctx, "a", scale, metav1.UpdateOptions{})
			return err
		},
		"PATCH " + base + "/a/scale?fieldValidation=Strict application/merge-patch+json " +
			string(patch): func(c *fluxoperator.MiniClusterClient, ctx context.Context) error {
			_, err := c.PatchScale(ctx, "a", types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		},
	} {
		c, asked := serve(t, "200\n"+`{"metadata":{"name":"a"},"x":1}`)
		if err := do(c, t.Context()); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if d := cmp.Diff([]string{want}, asked()); d != "" {
			t.Error(d)
		}
	}
	if object.Kind != "" || scale.Kind != "" {
		t.Error("a method has changed what it was given")
	}
}

// TestErrors shows what comes of a refusal, of an answer that is none of an API server, and of none.
func TestErrors(t *testing.T) {
	const conflict = `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"no","code":409,"details":{"name":"a"}}`
	for answer, after := range map[string]func(error) bool{
		"409\n" + conflict:  apierrors.IsConflict,
		"404\nno such page": apierrors.IsNotFound,
		"429\n":             apierrors.IsTooManyRequests,
		"503\n<html>":       apierrors.IsServiceUnavailable,
		"401\n":             apierrors.IsUnauthorized,
		"200\nno JSON": func(err error) bool {
			return strings.HasPrefix(err.Error(),
				"reading the answer: invalid character")
		},
		`200` + "\n" + `{"spec":{"size":"x"}}`: func(err error) bool {
			return strings.HasSuffix(err.Error(),
				"cannot unmarshal string into Go struct field MiniCluster.spec.size of type int32")
		},
	} {
		c, _ := serve(t, answer)
		got, err := c.Get(t.Context(), "a", metav1.GetOptions{})
		if err == nil || got != nil || !after(err) {
			t.Errorf("%s: %v, %v", answer, got, err)
		}
	}
	c, asked := serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, "a", metav1.GetOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, name := range []string{"", "..", "a/b", "a%2f"} {
		if _, err := c.Get(t.Context(), name, metav1.GetOptions{}); err == nil {
			t.Errorf("the name %q is taken", name)
		}
		if err := c.Delete(t.Context(), name, metav1.DeleteOptions{}); err == nil {
			t.Errorf("the name %q is taken", name)
		}
	}
	if len(asked()) > 0 {
		t.Errorf("asked: %q", asked())
	}
	for _, host := range []string{"", "localhost:8080", "://", "ftp://x", "https://"} {
		if _, err := fluxoperator.NewClient(nil, host); err == nil {
			t.Errorf("the host %q is taken", host)
		}
	}
}

// TestAllNamespaces shows that objects of all namespaces are listed, and nothing else is done there.
func TestAllNamespaces(t *testing.T) {
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		io.WriteString(w, `{"items":[]}`)
	}))
	defer server.Close()
	client, err := fluxoperator.NewClient(nil, server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := client.MiniClusters(metav1.NamespaceAll)
	if _, err := c.List(t.Context(), metav1.ListOptions{}); err != nil ||
		path != "/apis/flux-framework.org/v1alpha1/miniclusters" {
		t.Errorf("%s: %v", path, err)
	}
	if err := c.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err == nil {
		t.Error("a collection is deleted everywhere")
	}
	if _, err := c.Create(t.Context(), fluxoperator.NewMiniCluster(), metav1.CreateOptions{}); err == nil {
		t.Error("an object is created nowhere")
	}
}

// TestAll shows that pages are asked for one after the other, and no more than are wanted.
func TestAll(t *testing.T) {
	pages := []string{
		"200\n" +
			`{"metadata":{"continue":"t1","resourceVersion":"5"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}`,
		"200\n" + `{"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"c"}}]}`,
	}
	c, asked := serve(t, pages...)
	var names []string
	all := c.All(t.Context(), metav1.ListOptions{ResourceVersion: "0"})
	for mc, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, mc.Name)
	}
	if d := cmp.Diff([]string{"a", "b", "c"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"GET " + base + "?limit=500&resourceVersion=0", "GET " + base + "?continue=t1&limit=500"},
		asked()); d != "" {
		t.Error(d)
	}
	c, asked = serve(t, pages...)
	for range c.All(t.Context(), metav1.ListOptions{}) {
		break
	}
	if len(asked()) != 1 {
		t.Errorf("asked: %q", asked())
	}
	c, _ = serve(t, pages[0], "410\n"+`{"kind":"Status","status":"Failure","reason":"Expired","code":410}`)
	var last error
	for _, last = range c.All(t.Context(), metav1.ListOptions{}) {
	}
	if !apierrors.IsResourceExpired(last) {
		t.Errorf("error %v", last)
	}
}

// watched runs a watch against a server with these answers until n events came, and describes them.
func watched(t *testing.T, opts metav1.ListOptions, n int, answers ...string) (events, asked []string) {
	t.Helper()
	c, requests := serve(t, answers...)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for event, err := range c.Watch(ctx, opts) {
		if err != nil {
			events = append(events, err.Error())
			break
		}
		events = append(events,
			strings.TrimSpace(fmt.Sprint(event.Type, " ", event.Object.Name, " ", event.Object.ResourceVersion)))
		if len(events) == n {
			break
		}
	}
	for _, request := range requests() {
		asked = append(asked, strings.TrimPrefix(request, "GET "+base))
	}
	return events, asked
}

func item(name, version, uid string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q,"resourceVersion":%q,"uid":%q}}`, name, version, uid)
}

func event(kind, object string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, object)
}

func list(version string, items ...string) string {
	return fmt.Sprintf("200\n"+`{"metadata":{"resourceVersion":%q},"items":[%s]}`, version, strings.Join(items, ","))
}

const expired = `{"kind":"Status","status":"Failure","reason":"Expired","message":"too old","code":410}`

// TestWatch shows what a consumer of a watch sees of what can happen to it.
func TestWatch(t *testing.T) {
	timeout := int64(60)
	from := func(version string) string {
		return "?allowWatchBookmarks=true&resourceVersion=" + version + "&timeoutSeconds=60&watch=true"
	}
	for name, c := range map[string]struct {
		opts          metav1.ListOptions
		answers       []string
		events, asked []string
	}{
		"list, events, and a connection that ends": {
			answers: []string{
				list("5", item("a", "3", "ua")),
				"200\n" + event("ADDED", item("b", "6", "ub")) + event("BOOKMARK", item("", "9", "")),
				"200\n" + event("DELETED", item("a", "10", "ua")),
				"200\n" + event("MODIFIED", item("b", "11", "ub")),
			},
			events: []string{"ADDED a 3", "ADDED b 6", "DELETED a 10", "MODIFIED b 11"},
			asked:  []string{"?limit=500", from("5"), from("9"), from("10")},
		},
		"from a version, with bookmarks": {
			opts:    metav1.ListOptions{ResourceVersion: "4", AllowWatchBookmarks: true},
			answers: []string{"200\n" + event("BOOKMARK", item("", "9", "")) + event("ADDED", item("b", "12", "ub"))},
			events:  []string{"BOOKMARK  9", "ADDED b 12"},
			asked:   []string{from("4")},
		},
		"failures that pass": {
			answers: []string{list("5"), "503\n", "429\n", "403\n", "404\n", "200\n{",
				"200\n" + event("ERROR", `{"kind":"Status","status":"Failure","code":500}`),
				"200\n" + event("ADDED", item("b", "6", "ub"))},
			events: []string{"ADDED b 6"},
			asked:  []string{"?limit=500", from("5"), from("5"), from("5"), from("5"), from("5"), from("5"), from("5")},
		},
		"a version that is forgotten": {
			answers: []string{
				list("5", item("gone", "1", "u1"), item("same", "2", "u2"), item("new", "3", "u3"), item("other", "4", "u4")),
				"200\n" + event("ERROR", expired),
				list("20", item("added", "11", "u5"), item("same", "2", "u2"), item("new", "12", "u3"), item("other", "13", "u6")),
				"410\n" + expired,
				list("30", item("added", "11", "u5"), item("same", "2", "u2"), item("new", "12", "u3"), item("other", "13", "u6")),
				"200\n" + event("MODIFIED", item("same", "31", "u2")),
			},
			events: []string{
				"ADDED gone 1", "ADDED same 2", "ADDED new 3", "ADDED other 4",
				"ADDED added 11", "MODIFIED new 12", "DELETED other 4", "ADDED other 13", "DELETED gone 1", "MODIFIED same 31",
			},
			asked: []string{"?limit=500", from("5"), "?limit=500", from("20"), "?limit=500", from("30")},
		},
		"pages that are forgotten": {
			opts: metav1.ListOptions{Limit: 1, LabelSelector: "x"},
			answers: []string{
				`200` + "\n" + `{"metadata":{"continue":"t","resourceVersion":"5"},"items":[` + item("a", "1", "ua") + `]}`,
				"410\n" + expired,
				list("6", item("b", "2", "ub")),
			},
			events: []string{"ADDED b 2"},
			asked:  []string{"?labelSelector=x&limit=1", "?continue=t&labelSelector=x&limit=1", "?labelSelector=x"},
		},
		"no right to list": {
			answers: []string{"403\n" +
				`{"kind":"Status","status":"Failure","reason":"Forbidden","message":"you may not","code":403}`},
			events: []string{"you may not"},
			asked:  []string{"?limit=500"},
		},
		"a selector that is wrong": {
			answers: []string{list("5"),
				"400\n" + `{"kind":"Status","status":"Failure","reason":"BadRequest","message":"what?","code":400}`},
			events: []string{"what?"},
			asked:  []string{"?limit=500", from("5")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.opts.TimeoutSeconds = &timeout
			events, asked := watched(t, c.opts, len(c.events), c.answers...)
			if d := cmp.Diff(c.events, events); d != "" {
				t.Errorf("events:\n%s", d)
			}
			if d := cmp.Diff(c.asked, asked); d != "" {
				t.Errorf("requests:\n%s", d)
			}
		})
	}
}

// TestWatchEnds shows that a watch ends with its context, and says so, and can be run again.
func TestWatchEnds(t *testing.T) {
	c, _ := serve(t, list("5", item("a", "1", "u")), list("5", item("a", "1", "u")))
	reason := errors.New("enough")
	for range 2 {
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		var last error
		for _, err := range c.Watch(ctx, metav1.ListOptions{}) {
			n, last = n+1, err
			cancel(reason)
		}
		cancel(nil)
		if n != 2 || !errors.Is(last, reason) {
			t.Errorf("%d events, error %v", n, last)
		}
	}
}
