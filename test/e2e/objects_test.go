package e2e

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// runFor is the annotation that tells the simulated node how long a pod runs.
const runFor = "cluster.flux-framework.org/run-for"

// namespace creates a namespace in which pods can be created, and deletes it after the test.
func (s *suite) namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	if err := s.client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.checkLeaks(t, ns.Name)
		for _, args := range [][]string{
			// The deletion of the namespace would skip kinds that are missing from discovery, as they
			// are for seconds after the server has started.
			{"miniclusters", "--all", "--namespace", ns.Name},
			{"namespace", ns.Name},
			{"pv", "--selector", minicluster.LabelNamespace + "=" + ns.Name}, // retained ones
		} {
			out, err := exec.Command("kubectl", append([]string{"delete", "--wait=false"}, args...)...).CombinedOutput()
			if err != nil {
				t.Logf("%v\n%s", err, out)
			}
		}
	})
	account := types.NamespacedName{Namespace: ns.Name, Name: "default"}
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), account, &corev1.ServiceAccount{}); err != nil {
			return err.Error()
		}
		return ""
	})
	return ns.Name
}

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// cluster returns a MiniCluster with a spec in YAML.
func cluster(namespace, name, spec string) (*api.MiniCluster, error) {
	mc := &api.MiniCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	return mc, yaml.UnmarshalStrict([]byte(spec), &mc.Spec)
}

// create creates a MiniCluster on the server.
func (s *suite) create(t *testing.T, namespace, name, spec string) *api.MiniCluster {
	t.Helper()
	mc, err := cluster(namespace, name, spec)
	if err == nil {
		err = s.client.Create(t.Context(), mc)
	}
	if err != nil {
		t.Fatal(err)
	}
	return mc
}

// get reads an object from the server.
func get[T client.Object](t *testing.T, s *suite, into T, namespace, name string) T {
	t.Helper()
	if err := s.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, into); err != nil {
		t.Fatal(err)
	}
	return into
}

// await waits until a condition of a MiniCluster is true.
func (s *suite) await(t *testing.T, mc *api.MiniCluster, condition string) {
	t.Helper()
	s.awaitReason(t, mc, condition, metav1.ConditionTrue, "")
}

// awaitReason waits until a condition has a status and a reason, or any reason if that is empty.
func (s *suite) awaitReason(
	t *testing.T, mc *api.MiniCluster, condition string, status metav1.ConditionStatus, reason string,
) {
	t.Helper()
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(mc), mc); err != nil {
			return err.Error()
		}
		c := meta.FindStatusCondition(mc.Status.Conditions, condition)
		if c == nil || c.Status != status || reason != "" && c.Reason != reason || c.ObservedGeneration != mc.Generation {
			return fmt.Sprintf("%s: want %s %s %s, status is %+v", mc.Name, condition, status, reason, mc.Status)
		}
		return ""
	})
}

// change updates the spec of a MiniCluster, and retries on conflicts.
func (s *suite) change(t *testing.T, mc *api.MiniCluster, edit func(*api.MiniClusterSpec)) {
	t.Helper()
	eventually(t, patience, func() string {
		if err := s.client.Get(t.Context(), client.ObjectKeyFromObject(mc), mc); err != nil {
			t.Fatal(err)
		}
		edit(&mc.Spec)
		err := s.client.Update(t.Context(), mc)
		if err != nil && !apierrors.IsConflict(err) {
			t.Fatal(err)
		}
		if err != nil {
			return err.Error()
		}
		return ""
	})
}

// kinds are those of the namespaced objects of a MiniCluster.
func kinds() []client.ObjectList {
	return []client.ObjectList{
		&corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceList{}, &corev1.PersistentVolumeClaimList{},
		&corev1.PodList{}, &batchv1.JobList{},
	}
}

// objects returns the operator's objects in a namespace, and the volumes of its MiniClusters.
func (s *suite) objects(t *testing.T, namespace string) []client.Object {
	t.Helper()
	var found []client.Object
	collect := func(list client.ObjectList, options ...client.ListOption) {
		if err := s.client.List(t.Context(), list, options...); err != nil {
			t.Fatal(err)
		}
		items, err := meta.ExtractList(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if o, ok := item.(client.Object); ok && o.GetLabels()["batch.kubernetes.io/job-name"] == "" {
				found = append(found, o)
			}
		}
	}
	ours := client.MatchingLabels{minicluster.LabelManagedBy: "flux-operator"}
	for _, list := range kinds() {
		collect(list, client.InNamespace(namespace), ours)
	}
	collect(&corev1.PersistentVolumeList{}, client.MatchingLabels{minicluster.LabelNamespace: namespace})
	return found
}

// awaitEmpty waits until only retained volumes are left of the MiniClusters of a namespace.
func (s *suite) awaitEmpty(t *testing.T, namespace string) {
	t.Helper()
	eventually(t, patience, func() string {
		left := slices.DeleteFunc(s.objects(t, namespace), func(o client.Object) bool {
			volume, ok := o.(*corev1.PersistentVolume)
			return ok && volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain
		})
		if len(left) > 0 {
			return strings.Join(titles(left), ", ") + " are left"
		}
		return ""
	})
}

func titles(objects []client.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", o), "*")+" "+o.GetName())
	}
	return out
}

// expected returns the objects that the operator should create for a MiniCluster.
func expected(t *testing.T, mc *api.MiniCluster) []minicluster.Object {
	t.Helper()
	desired, errs := minicluster.NewDesired(mc)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	set, err := desired.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return set.All()
}

// kubectl runs kubectl and returns its output.
func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := kubectlOutput(stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func kubectlOutput(stdin string, args ...string) (string, error) {
	cmd := exec.Command("kubectl", args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
