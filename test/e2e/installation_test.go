package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"

	"github.com/flux-framework/flux-operator/test/operator"
)

// installation is an operator that is installed, and the process that stands for the pod of its Deployment.
type installation struct {
	*suite
	namespace, deployment string
	process               *operator.Process
	proxy                 *operator.Proxy
}

// start starts a manager as the Deployment says. The process before it, if any, is stopped as soon as the new one is
// ready, as in a rolling update. It returns how long it took until the new one was the leader.
func (i *installation) start(t *testing.T, programs string) time.Duration {
	t.Helper()
	deployment := get(t, i.suite, &appsv1.Deployment{}, i.namespace, i.deployment)
	pod := deployment.Spec.Template.Spec
	args := slices.DeleteFunc(slices.Clone(pod.Containers[0].Args), func(arg string) bool {
		return strings.Contains(arg, "-bind-address=")
	})
	i.proxy = i.suite.proxy(t, operator.ServiceAccount(i.namespace, pod.ServiceAccountName))
	began := time.Now()
	before := i.process
	var err error
	i.process, err = operator.Start(programs, i.proxy.Kubeconfig,
		append(args, "--leader-election-namespace="+i.namespace)...)
	if err != nil {
		t.Fatal(err)
	}
	i.processes = append(i.processes, i.process)
	eventually(t, patience, i.process.Unready)
	if before != nil {
		if err := before.Stop(); err != nil {
			t.Errorf("the operator exited: %v\n%s", err, before.Tail(10))
		}
	}
	eventually(t, patience, func() string {
		if i.measure(t, "leader_election_master_status") == 1 {
			return ""
		}
		return "the operator is not the leader:\n" + i.process.Tail(5)
	})
	return time.Since(began)
}

// measure returns the sum of a metric.
func (i *installation) measure(t *testing.T, metric string) float64 {
	t.Helper()
	sums, err := i.process.Measure(metric, "none")
	if err != nil {
		t.Fatal(err)
	}
	return sums[""]
}

// quiet is how long an operator must not have reconciled anything to have settled.
const quiet = 4 * time.Second

// settle waits until the operator has reconciled the MiniClusters of a namespace and does nothing more. It returns when
// it was done.
func (i *installation) settle(t *testing.T, namespace string) time.Time {
	t.Helper()
	last, since := -1.0, time.Now()
	eventually(t, 2*patience, func() string {
		var all api.MiniClusterList
		if err := i.client.List(t.Context(), &all, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
		done, waiting := i.measure(t, "controller_runtime_reconcile_total"), i.measure(t, "workqueue_depth")
		if done != last {
			last, since = done, time.Now()
		}
		if done >= float64(len(all.Items)) && waiting == 0 && time.Since(since) > quiet {
			return ""
		}
		return fmt.Sprintf("%v reconciliations of %d MiniClusters, %v of which wait", done, len(all.Items), waiting)
	})
	return since
}

// writes counts the writes of the process, without those of leader election, by verb and resource.
func (i *installation) writes() map[string]int {
	counts := map[string]int{}
	for _, w := range i.proxy.Writes() {
		if w.Resource != "coordination.k8s.io/leases" {
			counts[w.Verb+" "+strings.TrimPrefix(w.Resource, "/")]++
		}
	}
	return counts
}

// populate creates MiniClusters with specs, and waits until they run.
func (i *installation) populate(t *testing.T, namespace string, specs []string) []*api.MiniCluster {
	t.Helper()
	var all []*api.MiniCluster
	for n := range upgradeCount {
		name := fmt.Sprintf("mc-%d", n)
		spec := strings.ReplaceAll(specs[n%len(specs)], "NAME", name)
		all = append(all, i.create(t, namespace, name,
			strings.ReplaceAll(spec, "PODS", `pod: {annotations: {"`+runFor+`": 24h}}`)))
	}
	for n := range 3 {
		all = append(all, i.create(t, namespace, fmt.Sprintf("done-%d", n), `{containers: [{image: any, command: "true"}]}`))
	}
	for _, mc := range all {
		condition := api.ConditionJobRunning
		if strings.HasPrefix(mc.Name, "done-") {
			condition = api.ConditionJobFinished
		}
		i.await(t, mc, condition)
	}
	i.settle(t, namespace)
	return all
}

// operates checks that MiniClusters can be created, scaled and deleted, in two versions.
func (i *installation) operates(t *testing.T, namespace, name string, elastic, old *api.MiniCluster, size int32) {
	t.Helper()
	mc := i.create(t, namespace, name, endless)
	i.await(t, mc, api.ConditionJobRunning)
	i.change(t, elastic, func(spec *api.MiniClusterSpec) { spec.Size = size })
	eventually(t, patience, func() string {
		got := kubectl(t, "", "get", "job/"+elastic.Name, "--namespace", namespace,
			"--output=jsonpath={.spec.parallelism} {.status.ready}")
		if want := fmt.Sprint(size, " ", size); got != want {
			return elastic.Name + " has the size " + got + ", want " + want
		}
		return ""
	})
	for _, gone := range []*api.MiniCluster{old, mc} {
		if err := i.client.Delete(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		eventually(t, patience, func() string {
			for title := range i.snapshot(t, namespace) {
				if strings.HasSuffix(title, " "+gone.Name) || strings.Contains(title, " "+gone.Name+"-") {
					return title + " is left"
				}
			}
			return ""
		})
	}
}
