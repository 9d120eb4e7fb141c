package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"

	"github.com/flux-framework/flux-operator/test/operator"
)

// policyLabel marks namespaces that the installed policy of volumes leaves to TestVolumesPolicy.
const policyLabel = "e2e-policy"

// TestVolumesPolicy: the admission policy rejects the same volumes as the operator, in the same words. A
// MiniCluster that exists keeps its volumes and can be changed otherwise.
func TestVolumesPolicy(t *testing.T) {
	s := need(t)
	for _, c := range testkit.Cases(t, "../../../pkg/minicluster/testdata/policy/*.txtar") {
		t.Run(c.Name, func(t *testing.T) {
			ns := s.namespace(t)
			s.label(t, ns)
			mc := &api.MiniCluster{}
			if err := yaml.UnmarshalStrict([]byte(strings.ReplaceAll(c.Part("minicluster.yaml"), "team-a", ns)),
				mc); err != nil {
				t.Fatal(err)
			}
			var policy minicluster.VolumePolicy
			if err := yaml.UnmarshalStrict([]byte(c.Part("policy.yaml")), &policy); err != nil {
				t.Fatal(err)
			}
			old := mc.DeepCopy()
			old.Name = "old"
			if err := s.client.Create(t.Context(), old); err != nil {
				t.Fatal(err)
			}
			s.policy(t, ns, policy)
			for key, volume := range mc.Spec.Volumes {
				one := mc.DeepCopy()
				one.Spec.Volumes = map[string]api.MiniClusterVolume{key: volume}
				s.agree(t, one, policy)
			}
			s.change(t, old, func(spec *api.MiniClusterSpec) { spec.Size = 2 })
			old.Spec.Volumes = map[string]api.MiniClusterVolume{"data": {Path: "/not/allowed",
				Annotations: map[string]string{"k8s.io/a": "b"}}}
			if err := s.client.Update(t.Context(), old); !apierrors.IsInvalid(err) {
				t.Errorf("changing the volumes: %v", err)
			}
		})
	}
}

// label marks a namespace.
func (s *suite) label(t *testing.T, namespace string) {
	t.Helper()
	kubectl(t, "", "label", "namespace", namespace, policyLabel+"="+namespace)
}

// policy installs the policy of volumes for a namespace, with the variables for p, and waits until it is used.
func (s *suite) policy(t *testing.T, namespace string, p minicluster.VolumePolicy) {
	t.Helper()
	policy := get(t, s, &admissionv1.ValidatingAdmissionPolicy{}, "", "flux-operator-volumes").DeepCopy()
	policy.ObjectMeta = metav1.ObjectMeta{Name: namespace}
	list := func(all []string) string {
		quoted := make([]string, len(all))
		for i, one := range all {
			quoted[i] = strconv.Quote(one)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	for i := range policy.Spec.Variables {
		switch v := &policy.Spec.Variables[i]; v.Name {
		case "allowVolumes":
			v.Expression = strconv.FormatBool(p.Allowed)
		case "hostPaths":
			v.Expression = list(p.HostPaths)
		case "csiDrivers":
			v.Expression = list(p.Drivers)
		}
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        namespace,
			ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			MatchResources:    &admissionv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{policyLabel: namespace}}},
		},
	}
	for _, o := range []client.Object{policy, binding} {
		if err := s.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { kubectl(t, "", "delete", strings.ToLower(fmt.Sprintf("%T", o)[len("*v1."):]), namespace) })
	}
	s.policyUsed(t, namespace)
}

// policyUsed waits until a policy of volumes is used in a namespace.
func (s *suite) policyUsed(t *testing.T, namespace string) {
	t.Helper()
	probe, err := cluster(namespace, "probe", `{containers: [{}], volumes: {a: {path: /a, annotations: {k8s.io/a: b}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, func() string {
		if err := s.client.Create(t.Context(), probe.DeepCopy(), client.DryRunAll); !apierrors.IsInvalid(err) {
			return fmt.Sprintf("the policy is not used: %v", err)
		}
		return ""
	})
}

// agree compares the answers of the admission policy and the operator to a MiniCluster.
func (s *suite) agree(t *testing.T, mc *api.MiniCluster, policy minicluster.VolumePolicy) {
	t.Helper()
	err := s.client.Create(t.Context(), mc.DeepCopy(), client.DryRunAll)
	desired, errs := minicluster.NewDesired(mc)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	errs = policy.Check(desired)
	if err == nil || len(errs) == 0 {
		if err != nil || len(errs) > 0 {
			t.Errorf("%v: admission: %v, operator: %v", mc.Spec.Volumes, err, errs)
		}
		return
	}
	_, admission, _ := strings.Cut(err.Error(), "denied request: ")
	operator := strings.Replace(errs[0].Error(), "Forbidden: ", "", 1)
	if _, _, reserved := strings.Cut(operator, "are reserved"); reserved || strings.Contains(operator, "keys of") {
		admission, _, _ = strings.Cut(admission, ": ")
	}
	if admission == "" || !strings.HasPrefix(operator, admission) {
		t.Errorf("admission: %q, operator: %q", admission, operator)
	}
}

// TestApplyRefused: kubectl apply prints why the volumes of a MiniCluster are not allowed.
func TestApplyRefused(t *testing.T) {
	s := need(t)
	for path, want := range map[string]string{
		"/etc":     "spec.volumes[v].path: must be in or below /mnt, /tmp/results (--allow-host-paths)",
		"/mnt/e2e": "minicluster.flux-framework.org/mc created",
	} {
		apply := exec.Command("kubectl", "apply", "--filename=-", "--namespace", s.namespace(t))
		apply.Stdin = strings.NewReader(`{apiVersion: flux-framework.org/v1alpha1, kind: MiniCluster, metadata: {name: mc},
			spec: {containers: [{command: a}], volumes: {v: {path: ` + path + `}}}}`)
		out, err := apply.CombinedOutput()
		t.Logf("%s", out)
		if !strings.Contains(string(out), want) || (err == nil) != strings.HasSuffix(want, "created") {
			t.Errorf("kubectl apply: %v\n%s", err, out)
		}
	}
}

// TestObjectsPolicy: whoever has the token of the operator can write only objects of MiniClusters, although
// RBAC allows more.
func TestObjectsPolicy(t *testing.T) {
	s := need(t)
	operator := s.as(t, operator.ServiceAccount(operator.Namespace, operator.Name))
	ns := s.namespace(t)
	meta := metav1.ObjectMeta{Namespace: ns, Name: "other"}
	pod := corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "any"}}}
	configMap := &corev1.ConfigMap{ObjectMeta: meta}
	authorization := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "aws-auth"}}
	forged := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "kube-system", Name: "forged", Labels: map[string]string{minicluster.LabelManagedBy: "flux-operator"},
	}}
	for _, o := range []client.Object{configMap, authorization, forged, &corev1.Pod{ObjectMeta: meta, Spec: pod},
		&corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: ns},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:               corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
				AccessModes:            []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/mnt/e2e"}},
			},
		}} {
		title := fmt.Sprintf("%T %s/%s", o, o.GetNamespace(), o.GetName())
		again, ok := o.DeepCopyObject().(client.Object)
		if !ok {
			t.Fatal(title)
		}
		if err := operator.Create(t.Context(), again); !denied(err) {
			t.Errorf("creating %s: %v", title, err)
		}
		if err := s.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.client.Delete(context.WithoutCancel(t.Context()), o); client.IgnoreNotFound(err) != nil {
				t.Log(err)
			}
		})
		mine := client.RawPatch("application/merge-patch+json",
			[]byte(`{"metadata":{"labels":{"`+minicluster.LabelManagedBy+`":"flux-operator"}}}`))
		if err := operator.Patch(t.Context(), again, mine); !denied(err) {
			t.Errorf("patching %s: %v", title, err)
		}
		if slices.Contains([]string{"*v1.Pod", "*v1.PersistentVolume"}, fmt.Sprintf("%T", o)) {
			if err := operator.Delete(t.Context(), again); !denied(err) {
				t.Errorf("deleting %s: %v", title, err)
			}
		}
	}
}

// denied reports whether an admission policy has denied a request.
func denied(err error) bool {
	return err != nil && strings.Contains(err.Error(), "'flux-operator-objects' denied request: the Flux Operator writes")
}
