package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"

	"github.com/flux-framework/flux-operator/test/operator"
)

// TestPermissions: the operator uses each of its permissions, and needs no other.
func TestPermissions(t *testing.T) {
	s := need(t)
	kubectl(t, "", "delete", "leases", "--all", "--namespace", operator.Namespace)
	p := s.proxy(t, operator.ServiceAccount(operator.Namespace, operator.Name))
	manager := s.manager(t, p.Kubeconfig, "--leader-elect", "--leader-election-namespace="+operator.Namespace)
	s.exercise(t)
	for line := range strings.Lines(manager.Tail(100000)) {
		if strings.Contains(line, "is forbidden: User ") { // by RBAC; admission has other messages
			t.Errorf("the operator lacks a permission: %s", line)
		}
	}
	granted := permissions(get(t, s, &rbacv1.ClusterRole{}, "", "flux-operator-manager-role").Rules)
	granted = append(granted, permissions(get(t, s, &rbacv1.ClusterRole{}, "", "flux-operator-volumes-role").Rules)...)
	granted = append(granted,
		permissions(get(t, s, &rbacv1.Role{}, operator.Namespace, "flux-operator-manager-role").Rules)...)
	var unused []string
	for _, permission := range granted {
		if !slices.Contains(p.Requests(), permission) && !rare(permission) {
			unused = append(unused, permission)
		}
	}
	if len(unused) > 0 {
		t.Errorf("the operator does not use %s; its requests are %s", strings.Join(unused, ", "),
			strings.Join(p.Requests(), ", "))
	}
}

// TestSecretPermissions: the operator can create Secrets, and do nothing else with them.
func TestSecretPermissions(t *testing.T) {
	s := need(t)
	user := operator.ServiceAccount(operator.Namespace, operator.Name)
	for _, verb := range []string{"create", "get", "list", "watch", "update", "patch", "delete", "deletecollection"} {
		for _, namespace := range []string{"", "default", operator.Namespace} {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: user.UserName, Groups: user.Groups,
				ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Version: "v1",
					Resource: "secrets"},
			}}
			if err := s.client.Create(t.Context(), review); err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != (verb == "create") {
				t.Errorf("%s secrets in namespace %q: allowed is %t", verb, namespace, review.Status.Allowed)
			}
		}
	}
}

// rare reports whether a permission is needed, but may not be used on this server.
func rare(permission string) bool {
	return strings.HasPrefix(permission, "list ") || // older servers do not support watch lists
		permission == "update flux-framework.org/miniclusters/finalizers" || // for an admission plugin
		permission == "patch events.k8s.io/events" // for repeated events
}

func permissions(rules []rbacv1.PolicyRule) []string {
	var found []string
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				found = append(found, verb+" "+rule.APIGroups[0]+"/"+resource)
			}
		}
	}
	return found
}

// exercise makes the operator do everything that it can do.
func (s *suite) exercise(t *testing.T) {
	t.Helper()
	ns := s.namespace(t)
	mc := s.create(t, ns, "mc", `
size: 2
containers: [{image: any, command: a, volumes: {v: {path: /a}}}]
services: [{name: cache, image: any, ports: [6379]}]
volumes: {v: {path: /mnt/e2e}}
pod: {annotations: {`+runFor+`: 24h}}
`)
	s.await(t, mc, api.ConditionJobReady)
	for _, object := range expected(t, mc) {
		if _, ok := object.(*corev1.Secret); !ok { // the operator does not see Secrets
			s.unlabel(t, object)
		}
	}
	pod := get(t, s, &corev1.Pod{}, ns, minicluster.ServicePodName(mc))
	failed := pod.DeepCopy()
	failed.Status.Phase = corev1.PodFailed
	if err := s.client.Status().Patch(t.Context(), failed, client.MergeFrom(pod)); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() string {
		var again corev1.Pod
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(pod), &again); err != nil || again.UID == pod.UID {
			return fmt.Sprintf("the pod of the services was not replaced: %v", err)
		}
		return ""
	})
	for _, size := range []int32{1, 2, 1, 2, 9} { // repeated events, and a size over the maximum
		s.change(t, mc, func(spec *api.MiniClusterSpec) { spec.Size = size })
		eventually(t, patience, func() string {
			if job := get(t, s, &batchv1.Job{}, ns, "mc"); *job.Spec.Parallelism != min(size, 2) {
				return fmt.Sprintf("the Job has %d pods, want %d", *job.Spec.Parallelism, size)
			}
			return ""
		})
	}
	if err := s.client.Delete(t.Context(), mc); err != nil {
		t.Fatal(err)
	}
	s.awaitEmpty(t, ns)
	brief := s.create(t, ns, "brief", `{cleanup: true, containers: [{image: any, command: a}]}`)
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(brief), brief); !apierrors.IsNotFound(err) {
			return "the MiniCluster with cleanup still exists"
		}
		return ""
	})
}

// unlabel removes the label that the operator's caches select an object by, and waits until it is back.
func (s *suite) unlabel(t *testing.T, object minicluster.Object) {
	t.Helper()
	live, ok := object.DeepCopyObject().(client.Object)
	if !ok {
		t.Fatalf("%T is not a client.Object", object)
	}
	live = get(t, s, live, object.GetNamespace(), object.GetName())
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"metadata":{"labels":{"`+minicluster.LabelManagedBy+`":null}}}`))
	if err := s.client.Patch(t.Context(), live, patch); err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(object), live); err != nil {
			return err.Error()
		}
		if live.GetLabels()[minicluster.LabelManagedBy] == "" {
			return fmt.Sprintf("%T %s is without its label", live, live.GetName())
		}
		return ""
	})
}

// TestTenants: two service accounts have a namespace each, and each namespace has an operator without
// permissions elsewhere.
func TestTenants(t *testing.T) {
	s := need(t)
	tenants := map[string]client.Client{}
	for _, name := range []string{"ada", "bob"} {
		ns := s.namespace(t)
		s.grant(t, ns, "minicluster-editor", "flux-operator-minicluster-editor-role", name)
		s.grant(t, ns, "manager", "flux-operator-manager-role", "operator")
		tenants[ns] = s.as(t, operator.ServiceAccount(ns, name))
		kubeconfig, err := operator.Impersonate(s.dir+"/"+ns+".kubeconfig", ns, "operator")
		if err != nil {
			t.Fatal(err)
		}
		p := s.manager(t, kubeconfig, "--watch-namespaces="+ns, "--allow-volumes=false")
		t.Cleanup(func() {
			if strings.Contains(p.Tail(100000), "forbidden") {
				t.Error("the operator of a namespace lacks a permission")
			}
		})
	}
	for own, tenant := range tenants {
		mc, err := cluster(own, "mc", endless)
		if err != nil {
			t.Fatal(err)
		}
		if err := tenant.Create(t.Context(), mc); err != nil {
			t.Errorf("creating a MiniCluster in the own namespace: %v", err)
		}
		s.await(t, mc, api.ConditionJobRunning)
		for other := range tenants {
			err := tenant.List(t.Context(), &api.MiniClusterList{}, client.InNamespace(other))
			if own == other && err != nil || own != other && !apierrors.IsForbidden(err) {
				t.Errorf("listing MiniClusters, own is %t: %v", own == other, err)
			}
			stray, err := cluster(other, "stray", endless)
			if err != nil {
				t.Fatal(err)
			}
			if err := tenant.Create(t.Context(), stray); own != other && !apierrors.IsForbidden(err) {
				t.Errorf("creating a MiniCluster in the other namespace: %v", err)
			}
		}
		if err := tenant.List(t.Context(), &api.MiniClusterList{}); !apierrors.IsForbidden(err) {
			t.Errorf("listing all MiniClusters: %v", err)
		}
		if err := tenant.Create(t.Context(), &corev1.Pod{}); err == nil {
			t.Error("the editor of MiniClusters can create pods")
		}
		with := s.create(t, own, "volumes", `{containers: [{image: any, command: a}], volumes: {v: {path: /mnt/e2e}}}`)
		s.awaitReason(t, with, api.ConditionJobReady, "False", "VolumesDisabled")
	}
}

// grant binds a ClusterRole to a service account in a namespace.
func (s *suite) grant(t *testing.T, namespace, name, role, account string) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: account}},
	}
	binding.Namespace, binding.Name = namespace, name
	if err := s.client.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
}

// as returns a client that impersonates a user.
func (s *suite) as(t *testing.T, user rest.ImpersonationConfig) client.Client {
	t.Helper()
	config := rest.CopyConfig(s.config)
	config.Impersonate = user
	c, err := client.New(config, client.Options{Scheme: s.client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
