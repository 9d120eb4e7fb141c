package e2e

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"

	"github.com/flux-framework/flux-operator/test/operator"
)

// rich is a MiniCluster with objects of all kinds.
const rich = `
size: 2
maxSize: 4
containers: [{image: any, volumes: {v: {path: /v}}}]
services: [{name: NAME-cache, image: any, ports: [6379]}]
users: [{name: ada}]
volumes: {v: {path: /mnt/e2e}}
pod: {annotations: {"` + runFor + `": 24h}}
`

// crowd is the MiniClusters of a namespace, and those of their properties that must not change.
type crowd struct {
	*suite
	namespace string
	all       []*api.MiniCluster
	jobs      map[string]types.UID // by MiniCluster
	keys      map[string]string
	dice      *rand.Rand
}

func (s *suite) crowd(t *testing.T) *crowd {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return &crowd{s, s.namespace(t), nil, map[string]types.UID{}, map[string]string{}, rand.New(rand.NewPCG(seed, seed))}
}

func (c *crowd) add(t *testing.T) *api.MiniCluster {
	t.Helper()
	name := fmt.Sprintf("mc-%d", len(c.jobs)+len(c.all)+c.dice.IntN(1000)*1000)
	mc := c.create(t, c.namespace, name, strings.ReplaceAll(rich, "NAME", name))
	c.all = append(c.all, mc)
	return mc
}

// checkUnchanged checks that Jobs and keys are those of the last call, and records new ones.
func (c *crowd) checkUnchanged(t *testing.T) {
	t.Helper()
	for _, mc := range c.all {
		var job batchv1.Job
		if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(mc), &job); err == nil {
			if before, ok := c.jobs[mc.Name]; ok && before != job.UID {
				t.Errorf("%s has another Job than before", mc.Name)
			}
			c.jobs[mc.Name] = job.UID
		}
		var all []string
		secrets := expectedKeys(t, mc)
		for _, secret := range secrets {
			if err := c.client.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err == nil {
				all = append(all, fmt.Sprint(secret.Data))
			}
		}
		if before, ok := c.keys[mc.Name]; ok && before != strings.Join(all, "\n") {
			t.Errorf("%s has other keys than before", mc.Name)
		}
		if len(all) == len(secrets) {
			c.keys[mc.Name] = strings.Join(all, "\n")
		}
	}
}

// settle waits until all MiniClusters are ready, have their sizes and all of their objects, and nothing
// else exists.
func (c *crowd) settle(t *testing.T) {
	t.Helper()
	want := map[string]bool{}
	for _, mc := range c.all {
		c.await(t, mc, api.ConditionJobReady)
		for _, object := range expected(t, mc) {
			want[fmt.Sprintf("%T %s", object, object.GetName())] = true
		}
	}
	eventually(t, 2*patience, func() string {
		got := map[string]bool{}
		for _, object := range c.objects(t, c.namespace) {
			got[fmt.Sprintf("%T %s", object, object.GetName())] = true
		}
		return cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	})
	for _, mc := range c.all {
		job := get(t, c.suite, &batchv1.Job{}, c.namespace, mc.Name)
		if *job.Spec.Completions != mc.Spec.Size || *job.Spec.Parallelism != mc.Spec.Size || mc.Status.Size != mc.Spec.Size {
			t.Errorf("%s: size %d, status %d, Job %d of %d", mc.Name, mc.Spec.Size, mc.Status.Size, *job.Spec.Parallelism,
				*job.Spec.Completions)
		}
		c.checkOwned(t, mc)
	}
	c.checkUnchanged(t)
}

// TestFaultKill kills the operator 50 times while MiniClusters are created, scaled and deleted.
func TestFaultKill(t *testing.T) {
	long(t)
	s := need(t)
	c := s.crowd(t)
	const kills = 50
	partial := 0
	for range kills {
		p, err := s.launch(s.kubeconfig)
		if err != nil {
			t.Fatal(err)
		}
		mc := c.add(t)
		c.disturb(t)
		c.awaitSeen(t, mc)
		time.Sleep(time.Duration(c.dice.IntN(250)) * time.Millisecond)
		p.Kill()
		if n := c.countObjects(t, mc); n > 0 && n < len(expected(t, mc)) {
			partial++
		}
		c.checkUnchanged(t)
	}
	began := time.Now()
	s.manager(t, s.kubeconfig)
	c.settle(t)
	s.fault(t, fmt.Sprintf("operator killed %d times at random, while MiniClusters are created, scaled and deleted",
		kills),
		"all MiniClusters ready, each object exists once, same Jobs and keys as before, nothing left of deleted MiniClusters",
		fmt.Sprintf(
			"%d of %d kills left a MiniCluster with some of its objects; %d MiniClusters correct %s after the last start",
			partial, kills, len(c.all), seconds(time.Since(began))))
	if partial == 0 {
		t.Error("no kill interrupted the creation of objects")
	}
}

// awaitSeen waits until the operator has written the status of a MiniCluster.
func (c *crowd) awaitSeen(t *testing.T, mc *api.MiniCluster) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for mc.Status.MaximumSize == 0 {
		if err := c.client.Get(ctx, client.ObjectKeyFromObject(mc), mc); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// countObjects counts the existing objects of a MiniCluster.
func (c *crowd) countObjects(t *testing.T, mc *api.MiniCluster) int {
	t.Helper()
	n := 0
	for _, object := range expected(t, mc) {
		if live, ok := object.DeepCopyObject().(client.Object); ok &&
			c.client.Get(t.Context(), client.ObjectKeyFromObject(object), live) == nil {
			n++
		}
	}
	return n
}

// disturb scales one of the MiniClusters, and deletes another.
func (c *crowd) disturb(t *testing.T) {
	t.Helper()
	if len(c.all) < 5 {
		return
	}
	c.change(t, c.all[c.dice.IntN(3)], func(spec *api.MiniClusterSpec) { spec.Size = 1 + c.dice.Int32N(4) })
	if c.dice.IntN(3) == 0 {
		i := 3 + c.dice.IntN(len(c.all)-4) // not the newest
		if err := c.client.Delete(t.Context(), c.all[i]); err != nil {
			t.Fatal(err)
		}
		c.all = slices.Delete(c.all, i, i+1)
	}
}

// TestFaultServer restarts the API server, and then etcd, while the operator runs.
func TestFaultServer(t *testing.T) {
	long(t)
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	c := s.crowd(t)
	restarts := 0
	for _, component := range []string{"kube-apiserver", "kube-apiserver", "etcd", "kube-apiserver"} {
		for range 5 {
			c.add(t)
		}
		time.Sleep(time.Duration(c.dice.IntN(300)) * time.Millisecond)
		restart(t, component)
		restarts++
		c.checkUnchanged(t)
	}
	began := time.Now()
	c.settle(t)
	select {
	case err := <-p.Ended:
		p.Ended <- err
		t.Errorf("the operator has exited: %v", err)
	default:
	}
	s.fault(t, fmt.Sprintf("kube-apiserver and etcd killed and restarted %d times, just after MiniClusters were created",
		restarts),
		"as above; the operator does not exit", fmt.Sprintf("%d MiniClusters correct %s after the last restart", len(c.all),
			seconds(time.Since(began))))
}

// restart kills a component of the control plane and starts it again.
func restart(t *testing.T, component string) {
	t.Helper()
	cmd := exec.Command("go", "run", ".", "restart", component, "--kill", "--pause=1s")
	cmd.Dir = root + "/test/cluster"
	cmd.Env = append(cmd.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("restarting %s: %v\n%s", component, err, out)
	}
}

// TestFaultConflict edits MiniClusters and their objects from several clients at once.
func TestFaultConflict(t *testing.T) {
	long(t)
	s := need(t)
	p := s.manager(t, s.kubeconfig)
	c := s.crowd(t)
	for range 3 {
		c.add(t)
	}
	c.settle(t)
	scripts := map[string]string{}
	for _, mc := range c.all {
		scripts[mc.Name] = fmt.Sprint(get(t, s, &corev1.ConfigMap{}, c.namespace, minicluster.EntrypointConfigMap(mc)).Data)
	}
	edits := c.fight(t, 20)
	c.settle(t)
	for _, mc := range c.all {
		if now := fmt.Sprint(get(t, s, &corev1.ConfigMap{}, c.namespace,
			minicluster.EntrypointConfigMap(mc)).Data); mc.Spec.Size == 2 && now != scripts[mc.Name] {
			t.Errorf("%s has another script: %s", mc.Name, cmp.Diff(scripts[mc.Name], now))
		}
		if selector := get(t, s, &corev1.Service{}, c.namespace, mc.Name+"-cache").Spec.Selector["drift"]; selector != "" {
			t.Errorf("the drift of the Service of %s was not corrected", mc.Name)
		}
	}
	quiet := c.quiet(t, p)
	s.fault(t,
		fmt.Sprintf("%d concurrent edits: sizes from two clients; Jobs, ConfigMaps, Services and volumes modified or deleted",
			edits),
		"as above; all drift corrected; no requests afterwards", fmt.Sprintf("no request for %s", quiet))
}

// fight sends concurrent edits, and returns their number.
func (c *crowd) fight(t *testing.T, rounds int) int {
	t.Helper()
	patches := func(mc *api.MiniCluster, round int) map[client.Object]string {
		return map[client.Object]string{
			&batchv1.Job{ObjectMeta: named(c.namespace,
				mc.Name)}: fmt.Sprintf(`{"spec":{"parallelism":%d}}`, 1+round%2),
			&corev1.ConfigMap{ObjectMeta: named(c.namespace,
				minicluster.EntrypointConfigMap(mc))}: `{"data":{"mc.sh":"drift","more":"x"}}`,
			&corev1.Service{ObjectMeta: named(c.namespace,
				mc.Name+"-cache")}: `{"spec":{"selector":{"drift":"x"}}}`,
			&api.MiniCluster{ObjectMeta: named(c.namespace,
				mc.Name)}: fmt.Sprintf(`{"spec":{"size":%d}}`, 1+round%4),
			&corev1.ConfigMap{ObjectMeta: named(c.namespace, minicluster.FluxConfigMap(mc))}: "",
			&corev1.PersistentVolume{ObjectMeta: named("",
				minicluster.VolumeName(mc, "v"))}: `{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}`,
			&corev1.PersistentVolumeClaim{ObjectMeta: named(c.namespace,
				minicluster.ClaimName(mc, "v"))}: `{"metadata":{"labels":{"app.kubernetes.io/instance":"other"}}}`,
		}
	}
	failures := make(chan error)
	for _, mc := range c.all {
		go func() {
			for round := range rounds {
				for object, patch := range patches(mc, round) {
					var err error
					if patch == "" {
						err = c.client.Delete(t.Context(), object)
					} else {
						err = c.client.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)))
					}
					failures <- client.IgnoreNotFound(err)
				}
			}
		}()
	}
	edits := len(c.all) * rounds * len(patches(c.all[0], 0))
	for range edits {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	return edits
}

// quiet waits for a period without requests of the operator, and returns its length.
func (c *crowd) quiet(t *testing.T, p *operator.Process) time.Duration {
	t.Helper()
	const window = 3 * time.Second
	requests := func() float64 {
		sums, err := p.Measure("rest_client_requests_total", "none")
		if err != nil {
			t.Fatal(err)
		}
		return sums[""]
	}
	deadline := time.Now().Add(patience)
	for before := requests(); ; {
		time.Sleep(window)
		now := requests()
		if now == before {
			return window
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s the operator still sends requests", patience)
		}
		before = now
	}
}

// TestFaultLeader kills the leader of two replicas, and stops the next leader.
func TestFaultLeader(t *testing.T) {
	long(t)
	s := need(t)
	kubectl(t, "", "delete", "leases", "--all", "--namespace", operator.Namespace)
	args := []string{"--leader-elect", "--leader-election-namespace=" + operator.Namespace}
	first := s.manager(t, s.kubeconfig, args...)
	c := s.crowd(t)
	c.add(t)
	c.settle(t)
	second := s.manager(t, s.kubeconfig, args...)
	first.Kill()
	began := time.Now()
	c.add(t)
	c.settle(t)
	killed := time.Since(began)
	s.manager(t, s.kubeconfig, args...)
	began = time.Now()
	if err := second.Stop(); err != nil {
		t.Errorf("the second replica exited: %v", err)
	}
	c.add(t)
	c.settle(t)
	s.fault(t, "leader of two replicas killed, then the next leader stopped", "as above; the other replica takes over",
		fmt.Sprintf("next MiniCluster correct %s after the kill, %s after the stop", seconds(killed),
			seconds(time.Since(began))))
}

// TestFaultUnseen: a Job that starts and finishes while the operator cannot watch Jobs is reported. It is
// new to the informer then, and does not change any more.
func TestFaultUnseen(t *testing.T) {
	s := need(t)
	p := s.proxy(t, operator.ServiceAccount(operator.Namespace, operator.Name))
	s.manager(t, p.Kubeconfig)
	ns := s.namespace(t)
	p.Hide("jobs")
	mc := s.create(t, ns, "unseen", `{containers: [{image: any, command: "true"}]}`)
	s.await(t, mc, api.ConditionJobReady)
	eventually(t, patience, func() string {
		if job := get(t, s, &batchv1.Job{}, ns, "unseen"); !completed(job) {
			return fmt.Sprintf("the Job has not ended: %+v", job.Status)
		}
		return ""
	})
	if get(t, s, mc, ns, "unseen"); meta.IsStatusConditionTrue(mc.Status.Conditions, api.ConditionJobFinished) {
		t.Fatal("the operator has seen the hidden Job")
	}
	began := time.Now()
	p.Hide("")
	s.await(t, mc, api.ConditionJobFinished)
	s.fault(t, "Job that starts and finishes while the operator cannot watch Jobs", "the status reports that it finished",
		fmt.Sprintf("%s after the watch was restored", seconds(time.Since(began))))
}

// completed reports whether a Job has completed.
func completed(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue
	})
}
