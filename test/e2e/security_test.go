package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// enforced creates a namespace that enforces a Pod Security Standard.
func (s *suite) enforced(t *testing.T, standard string) string {
	t.Helper()
	ns := s.namespace(t)
	kubectl(t, "", "label", "namespace", ns, "pod-security.kubernetes.io/enforce="+standard)
	return ns
}

// podsOf returns the pods of a MiniCluster.
func podsOf(t *testing.T, mc *api.MiniCluster) []*corev1.Pod {
	t.Helper()
	var all []*corev1.Pod
	for _, object := range expected(t, mc) {
		switch object := object.(type) {
		case *corev1.Pod:
			all = append(all, object)
		case *batchv1.Job:
			pod := &corev1.Pod{ObjectMeta: object.Spec.Template.ObjectMeta, Spec: object.Spec.Template.Spec}
			pod.Namespace, pod.Name = object.Namespace, object.Name
			all = append(all, pod)
		}
	}
	return all
}

// TestPodSecurityStandards creates, as a dry run, the pods of all golden files in namespaces that enforce a
// standard. All meet baseline but the privileged ones; those with the annotation meet
// restricted.
func TestPodSecurityStandards(t *testing.T) {
	s := need(t)
	baseline, restricted := s.enforced(t, "baseline"), s.enforced(t, "restricted")
	files, err := filepath.Glob(root + "/pkg/minicluster/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	counts := map[string]int{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		mc := &api.MiniCluster{}
		if err := yaml.Unmarshal(archive.Files[0].Data, mc); err != nil {
			t.Fatal(err)
		}
		mc.Spec.Pod = orNew(mc.Spec.Pod)
		mc.Spec.Pod.ServiceAccountName = "" // does not exist
		for _, pod := range podsOf(t, mc) {
			for namespace, meets := range map[string]bool{
				baseline:   !privileged(pod),
				restricted: mc.Spec.Pod.Annotations[minicluster.AnnotationPodSecurity] == "restricted",
			} {
				pod.Namespace = namespace
				err := s.client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
				violates := apierrors.IsForbidden(err) && strings.Contains(err.Error(), "violates PodSecurity")
				if err != nil && !violates || violates == meets {
					t.Errorf("%s: pod %s meets the standard of %s: want %t, got %v", filepath.Base(file), pod.Name, namespace, meets,
						err)
				}
				counts[fmt.Sprint(namespace == baseline, meets)]++
			}
		}
	}
	for _, each := range []string{"true true", "true false", "false true", "false false"} {
		if counts[each] == 0 {
			t.Errorf("no pod for the case %s: %v", each, counts)
		}
	}
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// privileged reports whether a container of a pod has privileges that baseline forbids. In the golden files,
// all that add capabilities do.
func privileged(pod *corev1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c corev1.Container) bool {
		sc := c.SecurityContext
		return sc != nil && (sc.Privileged != nil && *sc.Privileged || sc.Capabilities != nil && len(sc.Capabilities.Add) > 0)
	})
}

// TestRestricted: MiniClusters run in namespaces that enforce a standard, unless their spec does not allow it.
func TestRestricted(t *testing.T) {
	s := need(t)
	s.manager(t, s.kubeconfig)
	const spec = `
size: 2
containers: [{image: any, runFlux: true, command: a, securityContext: {privileged: PRIVILEGED}}, {name: other, image: any, command: b}]
services: [{name: cache, image: any}]
pod: {annotations: {` + runFor + `: 24h, ANNOTATION}}
`
	for _, test := range []struct {
		standard, annotation string
		privileged, runs     bool
	}{
		{"baseline", "", false, true},
		{"baseline", "", true, false},
		{"restricted", minicluster.AnnotationPodSecurity + ": restricted", false, true},
		{"restricted", "", false, false},
	} {
		t.Run(fmt.Sprintf("%s, annotated %t, privileged %t", test.standard, test.annotation != "", test.privileged),
			func(t *testing.T) {
				ns := s.enforced(t, test.standard)
				text := strings.NewReplacer("PRIVILEGED", fmt.Sprint(test.privileged), "ANNOTATION", test.annotation).Replace(spec)
				mc := s.create(t, ns, "mc", text)
				if test.runs {
					s.await(t, mc, api.ConditionJobRunning)
					return
				}
				eventually(t, patience, func() string {
					events := kubectl(t, "", "get", "events", "--namespace", ns, "--output", "jsonpath={.items[*].message}")
					if !strings.Contains(events, "violates PodSecurity \""+test.standard) {
						return "no pod was rejected: " + events
					}
					return ""
				})
			})
	}
}
