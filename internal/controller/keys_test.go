package controller

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// withPassword has all fields that may hold secrets.
const withPassword = `{size: 2, containers: [{command: a}], users: [{name: ada, password: secret1}, {name: bob}],
	flux: {curveCertSecret: theirs, mungeSecret: theirs}, fluxRestful: {token: secret2, secretKey: secret3}}`

// keyHash is the end of the name of a Secret of keys.
var keyHash = regexp.MustCompile(`-[0-9a-f]{10}$`)

// keys returns a Secret of a MiniCluster by the beginning of its name.
func keys(w *world, cluster, suffix string) *corev1.Secret {
	w.Helper()
	var list corev1.SecretList
	if err := w.store.List(w.Context(), &list); err != nil {
		w.Fatal(err)
	}
	for i := range list.Items {
		if keyHash.ReplaceAllString(list.Items[i].Name, "") == cluster+"-"+suffix && len(list.Items[i].Data) > 0 {
			return &list.Items[i]
		}
	}
	w.Fatalf("%s has no Secret %s with data", cluster, suffix)
	return nil
}

// annotate sets an annotation of the Job mc.
func (w *world) annotate(name, value string) {
	w.Helper()
	job := get(w, &batchv1.Job{}, "mc")
	job.Annotations[name] = value
	w.save(job)
}

// TestKeys: keys do not change when the cache lacks the Job, nor when the Job is lost and created again.
func TestKeys(t *testing.T) {
	w := newWorld(t, sample(t, "mc", crowded))
	w.reconcile("mc")
	before := map[string]*corev1.Secret{}
	for _, suffix := range []string{"curve", "munge", "flux-restful"} {
		before[suffix] = keys(w, "mc", suffix)
	}
	w.hidden = func(o client.Object, _ types.NamespacedName) bool { return kindOf(o) == "Job" }
	if result, _ := w.reconcile("mc"); result.RequeueAfter != retryStale {
		t.Errorf("requeue %+v, want after %s", result, retryStale)
	}
	w.hidden = nil
	w.remove(get(w, &batchv1.Job{}, "mc"))
	if _, writes := w.reconcile("mc"); !slices.Contains(writes, "create Job mc") {
		t.Errorf("writes %q", writes)
	}
	for suffix, secret := range before {
		if d := cmp.Diff(secret, keys(w, "mc", suffix)); d != "" {
			t.Errorf("%s: %s", suffix, d)
		}
	}
}

// TestNewKeys: a MiniCluster of the same name as a deleted one has its own Secrets, even if those of the
// deleted one still exist, and its Job mounts them.
func TestNewKeys(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.reconcile("mc")
	old := keys(w, "mc", "curve")
	w.remove(get(w, &batchv1.Job{}, "mc"))
	w.remove(get(w, &api.MiniCluster{}, "mc"))
	for _, name := range []string{"mc-entrypoint", "mc-flux-config"} {
		w.remove(get(w, &corev1.ConfigMap{}, name))
	}
	w.add(sample(t, "mc", plain))
	w.reconcile("mc")
	w.remove(old)
	again := keys(w, "mc", "curve")
	if again.Name == old.Name || bytes.Equal(again.Data["curve.cert"], old.Data["curve.cert"]) {
		t.Errorf("the Secret %s is that of the deleted MiniCluster", again.Name)
	}
	if !metav1.IsControlledBy(again, get(w, &api.MiniCluster{}, "mc")) {
		t.Errorf("owners %+v", again.OwnerReferences)
	}
	mounted := slices.ContainsFunc(get(w, &batchv1.Job{}, "mc").Spec.Template.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Secret != nil && v.Secret.SecretName == again.Name
	})
	if !mounted {
		t.Errorf("the Job does not mount %s", again.Name)
	}
}

// TestKeysInConfigMaps: a Job of an earlier version of the operator, whose keys are in ConfigMaps, keeps
// running with these: no object of it changes, and no Secret is created.
func TestKeysInConfigMaps(t *testing.T) {
	w := newWorld(t, sample(t, "mc", withPassword))
	w.reconcile("mc")
	w.remove(keys(w, "mc", "flux-restful"))
	old := &corev1.ConfigMap{ObjectMeta: labelled("mc-flux-restful", "mc"),
		Data: map[string]string{"password.ada": "secret1"}}
	old.OwnerReferences = get(w, &batchv1.Job{}, "mc").OwnerReferences
	w.add(old)
	w.annotate(AnnotationObjects, "of the earlier version")
	w.annotate(AnnotationSpec, checksum(immutableSpec(get(w, &api.MiniCluster{}, "mc"))))
	template := get(w, &batchv1.Job{}, "mc").Spec.Template
	before := w.everything()
	if _, writes := w.reconcile("mc"); !slices.Equal(writes, []string{"patch Job mc"}) {
		t.Errorf("writes %q", writes)
	}
	if _, writes := w.reconcile("mc"); len(writes) > 0 {
		t.Errorf("writes %q", writes)
	}
	if d := cmp.Diff(before, w.everything()) + cmp.Diff(template, get(w, &batchv1.Job{}, "mc").Spec.Template) +
		cmp.Diff(old.Data, get(w, &corev1.ConfigMap{}, "mc-flux-restful").Data); d != "" {
		t.Error(d)
	}
	if c := w.ready("mc"); c.Status != metav1.ConditionTrue {
		t.Errorf("condition %+v", c)
	}
	w.edit("mc", func(s *api.MiniClusterSpec) { s.Size = 1 })
	if *get(w, &batchv1.Job{}, "mc").Spec.Completions != 1 {
		t.Error("the Job does not follow the size")
	}
}

// TestChecksum: no annotation depends on the value of a secret, but each does on whether there is one.
func TestChecksum(t *testing.T) {
	w := newWorld(t, sample(t, "mc", withPassword))
	w.reconcile("mc")
	before := get(w, &batchv1.Job{}, "mc").Annotations
	set := map[string]func(*api.MiniClusterSpec, string){
		"password":  func(s *api.MiniClusterSpec, value string) { s.Users[0].Password = value },
		"token":     func(s *api.MiniClusterSpec, value string) { s.FluxRestful.Token = value },
		"secretKey": func(s *api.MiniClusterSpec, value string) { s.FluxRestful.SecretKey = value },
	}
	for name, set := range set {
		mc := get(w, &api.MiniCluster{}, "mc")
		set(&mc.Spec, "other")
		other := newWorld(t, &api.MiniCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "mc", UID: mc.UID},
			Spec: mc.Spec})
		other.reconcile("mc")
		if d := cmp.Diff(before, get(other, &batchv1.Job{}, "mc").Annotations); d != "" {
			t.Errorf("another %s: %s", name, d)
		}
		set(&mc.Spec, "")
		w.edit("mc", func(s *api.MiniClusterSpec) { *s = mc.Spec })
		if c := w.ready("mc"); c.Reason != reasonSpecChanged {
			t.Errorf("without the %s: condition %+v", name, c)
		}
		w.edit("mc", func(s *api.MiniClusterSpec) { set(s, "other") })
		if c := w.ready("mc"); c.Status != metav1.ConditionTrue {
			t.Errorf("another %s: condition %+v", name, c)
		}
	}
}

// TestRejectedKeys: the API server may reject a Secret.
func TestRejectedKeys(t *testing.T) {
	w := newWorld(t, sample(t, "mc", plain))
	w.failing = func(verb string, o client.Object) error {
		if verb != "create" || kindOf(o) != "Secret" {
			return nil
		}
		return apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, o.GetName(), fmt.Errorf("exceeded quota"))
	}
	w.reconcile("mc")
	if c := w.ready("mc"); c.Reason != reasonRejected || !strings.Contains(c.Message, "Secret mc-curve-") {
		t.Errorf("condition %+v", c)
	}
	w.failing = nil
	w.reconcile("mc")
	if c := w.ready("mc"); c.Status != metav1.ConditionTrue {
		t.Errorf("condition %+v", c)
	}
}

// TestKeysLog: the client logs the requests of a reconciliation at a high verbosity, but not those that
// create Secrets.
func TestKeysLog(t *testing.T) {
	var log strings.Builder
	ctx := logr.NewContext(t.Context(), funcr.New(func(_, args string) { log.WriteString(args) },
		funcr.Options{Verbosity: 10}))
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer server.Close()
	w := newWorld(t, sample(t, "mc", plain))
	mc := get(w, &api.MiniCluster{}, "mc")
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	mapper.Add(batchv1.SchemeGroupVersion.WithKind("Job"), meta.RESTScopeNamespace)
	c, err := client.New(&rest.Config{Host: server.URL}, client.Options{Scheme: Scheme(), Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	desired, errs := w.NewDesired(mc)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	w.Client = c
	p, err := w.newPass(mc, nil, desired)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range p.objects.Keys {
		_ = p.createKeys(ctx, secret) // the server's answer is empty
	}
	if requests == 0 || log.Len() > 0 {
		t.Errorf("%d requests, the log is %s", requests, &log)
	}
	_, _ = p.create(ctx, p.objects.Job)
	if !strings.Contains(log.String(), "Request Body") {
		t.Errorf("the log does not have the body of another request: %s", &log)
	}
}
