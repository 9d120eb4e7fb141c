package minicluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

func TestSize(t *testing.T) {
	for _, c := range []struct {
		name                    string
		size, maxSize, recorded int32
		want, wantMax           int32
	}{
		{"nothing is set", 0, 0, 0, 1, 1},
		{"only a size", 4, 0, 0, 4, 4},
		{"room to grow", 2, 5, 0, 2, 5},
		{"grown", 5, 5, 5, 5, 5},
		{"grown too far", 6, 5, 5, 5, 5},
		{"the recorded maximum stays when maxSize is raised", 2, 9, 5, 2, 5},
		{"shrunk from the first size", 1, 0, 4, 1, 4},
		{"shrunk to nothing", 0, 0, 4, 1, 4},
		{"below nothing", -3, 0, 4, 1, 4},
	} {
		mc := &api.MiniCluster{
			Spec:   api.MiniClusterSpec{Size: c.size, MaxSize: c.maxSize},
			Status: api.MiniClusterStatus{MaximumSize: c.recorded},
		}
		if got, gotMax := minicluster.Size(mc), minicluster.MaximumSize(mc); got != c.want || gotMax != c.wantMax {
			t.Errorf("%s: size %d of %d, want %d of %d", c.name, got, gotMax, c.want, c.wantMax)
		}
	}
}

// TestScale: another size changes only what is mutable in the Job, and no configuration that running
// brokers have read.
func TestScale(t *testing.T) {
	testkit.Each(t, "elastic.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		before := objects(t, mc)
		mc.Spec.Size++
		after := objects(t, mc)
		if *after.Job.Spec.Completions != mc.Spec.Size || *after.Job.Spec.Parallelism != mc.Spec.Size {
			t.Errorf("the Job was not scaled")
		}
		after.Job.Spec.Completions, after.Job.Spec.Parallelism = before.Job.Spec.Completions, before.Job.Spec.Parallelism
		if d := cmp.Diff(before.Job, after.Job); d != "" {
			t.Error(d)
		}
		for i := range before.ConfigMaps {
			if name := before.ConfigMaps[i].Name; name != minicluster.EntrypointConfigMap(mc) {
				if d := cmp.Diff(before.ConfigMaps[i], after.ConfigMaps[i]); d != "" {
					t.Error(d)
				}
			}
		}
	})
}

// TestSelectors compares the selectors with the labels of the pods.
func TestSelectors(t *testing.T) {
	testkit.Each(t, "services.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		set := objects(t, mc)
		worker, lead := labels.Set(set.Job.Spec.Template.Labels), labels.Set{}
		for k, v := range worker {
			lead[k] = v
		}
		worker["batch.kubernetes.io/job-completion-index"] = "1" // as the Job controller does
		lead["batch.kubernetes.io/job-completion-index"] = "0"
		services := labels.Set(set.ServicePod.Labels)
		for _, s := range []struct {
			name, selector         string
			worker, lead, services bool
		}{
			{"pods", minicluster.Selector(mc), true, true, false},
			{"lead broker", minicluster.LeadSelector(mc), false, true, false},
			{"headless Service", selector(set.Services[0]), true, true, true},
			{"Service of a service", selector(set.Services[1]), false, false, true},
		} {
			parsed, err := labels.Parse(s.selector)
			if err != nil {
				t.Fatal(err)
			}
			got := []bool{parsed.Matches(worker), parsed.Matches(lead), parsed.Matches(services)}
			if d := cmp.Diff([]bool{s.worker, s.lead, s.services}, got); d != "" {
				t.Errorf("%s: %s: %s", s.name, s.selector, d)
			}
		}
	})
}

// TestSharedService: two MiniClusters of one namespace have the same headless Service.
func TestSharedService(t *testing.T) {
	first := decode(t, `{metadata: {name: a, namespace: default}, spec: {containers: [{command: hostname}]}}`)
	second := decode(t, `{metadata: {name: b, namespace: default}, spec: {size: 4, containers: [{command: hostname}]}}`)
	if d := cmp.Diff(objects(t, first).Services[0], objects(t, second).Services[0]); d != "" {
		t.Error(d)
	}
}

func TestVolumeNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range [][3]string{{"a", "b-c", "d"}, {"a-b", "c", "d"}, {"a", "b", "c-d"}, {"a-b-c", "d", "d"}} {
		mc := &api.MiniCluster{}
		mc.Namespace, mc.Name = c[0], c[1]
		name := minicluster.VolumeName(mc, c[2])
		if seen[name] {
			t.Errorf("%s twice", name)
		}
		seen[name] = true
	}
}

func selector(s *corev1.Service) string { return labels.Set(s.Spec.Selector).String() }
