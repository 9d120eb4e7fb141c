package realflux

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// working is a command that takes long enough to lose a pod under it, and needs all of its pods.
const working = `{size: 3, tasks: 3, containers: [{command: echo begin; sleep 8; echo end $(hostname)}]}`

// never is working without another try.
const never = `{size: 3, tasks: 3, restartPolicy: Never, containers: [{command: echo begin; sleep 8; echo end $(hostname)}]}`

// TestLost: pods that are lost, stopped or evicted. Nothing hangs.
func TestLost(t *testing.T) {
	again := func(lose func(r *run)) func(r *run) {
		return func(r *run) {
			r.start(working)
			r.wrote(usual, 0, `^begin$`)
			lose(r)
			r.completes(3 * usual)
			if n := r.logs.starts("fx", 0); n != 2 {
				r.Errorf("the lead broker was started %d times, want 2", n)
			}
			r.has(0, 3, `^end fx-\d$`)
		}
	}
	once := func(lose func(r *run)) func(r *run) {
		return func(r *run) {
			r.start(never)
			r.wrote(usual, 0, `^begin$`)
			lose(r)
			r.fails(usual, `.`)
			if n := r.logs.starts("fx", 0); n != 1 {
				r.Errorf("the lead broker was started %d times", n)
			}
		}
	}
	evictLead := func(r *run) { r.gone(25*time.Second, r.evict(0)) }
	killLead := func(r *run) { r.kill(0, syscall.SIGKILL) }
	killWorker := func(r *run) { r.kill(2, syscall.SIGKILL) }
	evictWorker := func(r *run) { r.gone(25*time.Second, r.evict(2)) }
	scenarios(t, "Lost pods", map[string]scenario{
		"evict-lead": {feature: "the lead is evicted while the command runs: the command runs again",
			run: again(evictLead)},
		"kill-lead": {feature: "the lead is killed while the command runs: the command runs again",
			run: again(killLead)},
		"kill-worker": {feature: "a worker is killed under the command: the command runs again",
			run: again(killWorker)},
		"evict-worker": {feature: "a worker is evicted under the command: the command runs again",
			run: again(evictWorker), newest: true},
		"evict-lead-never":  {feature: "`restartPolicy: Never`, the lead is evicted: the Job fails", run: once(evictLead)},
		"kill-worker-never": {feature: "`restartPolicy: Never`, a worker is killed: the Job fails", run: once(killWorker)},
		"evict-worker-never": {feature: "`restartPolicy: Never`, a worker is evicted: the Job fails", run: once(evictWorker),
			newest: true},
		"idle": {feature: "a worker, a broker and the lead are killed while no job runs: all come back",
			run: killIdle},
		"stop": {feature: "SIGTERM to all pods while a job runs on two of them: they end within 25 s",
			run: stopAll},
		"stop-early": {feature: "SIGTERM within the first seconds: the pod ends within 25 s", run: stopEarly},
		"stop-pre":   {feature: "SIGTERM while `commands.pre` runs: the pod ends within 10 s", run: stopPre},
		"stop-joining": {feature: "SIGTERM to workers whose lead does not start: they end within 25 s",
			run: stopJoining},
		"stop-services": {feature: "SIGTERM to the pod of `services`: it ends within 10 s", run: stopServices},
	})
}

func killIdle(r *run) {
	r.start(`{size: 3, interactive: true}`)
	r.online(usual, 3)
	r.kill(2, syscall.SIGKILL)
	time.Sleep(time.Second)
	r.online(2*usual, 3)
	if out, err := kubectl(r.Context(), "exec", "--namespace", r.namespace, r.running(1).Name, "--", "pkill", "-9", "-f",
		"flux-broker"); err != nil {
		r.Fatalf("killing a broker: %v\n%s", err, out)
	}
	time.Sleep(time.Second)
	r.online(2*usual, 3)
	r.kill(0, syscall.SIGKILL)
	time.Sleep(time.Second)
	r.online(3*usual, 3)
	if out := r.mustFlux("run", "-N3", "hostname"); strings.Count(out, "fx-") != 3 {
		r.Errorf("flux run -N3 hostname: %s", out)
	}
}

func stopAll(r *run) {
	r.start(`{size: 2, interactive: true}`)
	r.online(usual, 2)
	r.mustFlux("submit", "-N2", "sleep", "300")
	pods := []*corev1.Pod{r.pod(0), r.pod(1)}
	if err := r.client.Delete(r.Context(), r.mc); err != nil {
		r.Fatal(err)
	}
	began := time.Now()
	for _, pod := range pods {
		r.gone(usual, pod)
	}
	if took := time.Since(began); took > 25*time.Second {
		r.Errorf("the pods ended after %s", took)
	}
}

func stopEarly(r *run) {
	for i, after := range []time.Duration{0, 200, 400, 600, 800, 1000, 1300, 1600, 2500} {
		r.startNamed(fmt.Sprintf("fx%d", i), `{size: 2, interactive: true}`)
		worker, lead := r.running(1), r.running(0)
		time.Sleep(after * time.Millisecond)
		if err := r.client.Delete(r.Context(), r.mc); err != nil {
			r.Fatal(err)
		}
		for _, pod := range []*corev1.Pod{lead, worker} {
			if took := r.gone(usual, pod); took > 25*time.Second {
				r.Errorf("SIGTERM after %s: %s ended after %s", after*time.Millisecond, pod.Name, took)
			}
		}
	}
}

func stopPre(r *run) {
	r.start(`{interactive: true, containers: [{commands: {pre: echo begin; sleep 100}}]}`)
	r.wrote(usual, 0, `^begin$`)
	if took := r.gone(usual, r.remove(0, -1)); took > 10*time.Second {
		r.Errorf("the pod ended after %s", took)
	}
}

func stopJoining(r *run) {
	r.start(`{size: 3, interactive: true, containers: [{commands: {brokerPre: sleep 300}}]}`)
	worker := r.running(1)
	time.Sleep(3 * time.Second)
	if err := r.client.Delete(r.Context(), r.mc); err != nil {
		r.Fatal(err)
	}
	if took := r.gone(usual, worker); took > 25*time.Second {
		r.Errorf("the worker ended after %s", took)
	}
}

func stopServices(r *run) {
	r.start(`{interactive: true, services: [{name: db, command: python3 -m http.server 5432, ports: [5432]}]}`)
	r.online(usual, 1)
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = r.namespace, "fx-services"
	if err := r.client.Delete(r.Context(), r.mc); err != nil {
		r.Fatal(err)
	}
	began := time.Now()
	r.until(usual, "the pod of services is still there", func() bool {
		out, err := kubectl(r.Context(), "get", "pods", "--namespace", r.namespace, "--output=name")
		return err == nil && !strings.Contains(out, "services")
	})
	if took := time.Since(began); took > 10*time.Second {
		r.Errorf("the pod ended after %s", took)
	}
}

// TestSidecars: containers that do not run Flux.
func TestSidecars(t *testing.T) {
	const sidecar = `
size: 2
tasks: 2
shareProcessNamespace: true
containers:
- runFlux: true
  command: python3 -c "import socket; socket.create_connection(('localhost', 5000)); print('connected')"
- name: registry
  ports: [5000]
  command: python3 -m http.server 5000
  commands: {pre: echo pre}`
	const done = `
size: 2
containers:
- {runFlux: true, command: sleep 5; ls /data, volumes: {data: {path: /data}}}
- {name: prepare, command: touch /data/prepared, volumes: {data: {path: /data}}}
volumes: {data: {path: ` + hostPaths + `/sidecar}}`
	const services = `
size: 2
tasks: 2
services: [{name: db, command: python3 -m http.server 5432, ports: [5432]}]
containers:
- command: |
    python3 -c "import socket, time
    for _ in range(100):
        try:
            socket.create_connection(('fx-services.flux-service', 5432)); print('connected'); break
        except OSError:
            time.sleep(0.2)"`
	scenarios(t, "Sidecars and services", map[string]scenario{
		"sidecar": {feature: "a sidecar that does not end: the Job completes", spec: sidecar,
			log: map[string]int{`^connected$`: 2}},
		"sidecar-done": {feature: "a container whose command ends by itself", spec: done,
			log: map[string]int{`^prepared$`: 1}, newest: true},
		"services": {feature: "`services`: the pod has a name", spec: services,
			log: map[string]int{`^connected$`: 2}},
		"existing-volumes": {feature: "`existingVolumes`: ConfigMap with items, Secret", run: existingVolumes, newest: true},
	})
}

func existingVolumes(r *run) {
	r.secret("credentials", map[string]string{"key": "hush"})
	if err := r.client.Create(r.Context(), &corev1.ConfigMap{ObjectMeta: r.named("app-settings"),
		Data: map[string]string{"settings.toml": "x = 1\n"}}); err != nil {
		r.Fatal(err)
	}
	r.start(`
size: 2
tasks: 2
containers:
- command: cat /etc/app/app.toml
  commands: {pre: cat /etc/credentials/key; echo}
  existingVolumes:
    settings: {configMapName: app-settings, path: /etc/app, items: {settings.toml: app.toml}}
    credentials: {secretName: credentials, path: /etc/credentials, readOnly: true}`)
	r.completes(usual)
	r.has(0, 2, `^x = 1$`)
	r.has(0, 1, `^hush$`)
}

// TestKills: at a random moment, a random pod of four is killed, stopped or evicted, or its broker is killed. The Job
// completes, or fails with a reason; what it archived is there.
func TestKills(t *testing.T) {
	s := need(t)
	kills := 100
	if testing.Short() {
		kills = 8
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	outcomes := make(chan string, kills)
	t.Run("kills", func(t *testing.T) {
		for i := range kills {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				outcomes <- s.newRun(t, s.images[0]).randomKill(rand.New(rand.NewPCG(seed, uint64(i))))
			})
		}
	})
	close(outcomes)
	counts := map[string]int{}
	for outcome := range outcomes {
		counts[outcome]++
	}
	t.Logf("%d kills: %v", kills, counts)
	s.report.note(fmt.Sprintf("%d random kills of a MiniCluster of 4 pods: %v", kills, counts))
}

// randomKill loses something of a MiniCluster of four pods, and returns what happened.
func (r *run) randomKill(random *rand.Rand) string {
	r.start(`
size: 4
tasks: 4
archive: {path: /state/archive.tar.gz}
volumes: {data: {path: ` + hostPaths + "/" + r.namespace + `}}
containers: [{command: echo begin; sleep 5; echo end, volumes: {data: {path: /state}}, commands: {post: "tar -tf /state/archive.tar.gz >/dev/null && echo archived"}}]`)
	index := random.IntN(4)
	if random.IntN(3) > 0 {
		r.wrote(2*usual, 0, `^begin$`) // else before the command
	}
	r.running(index)
	time.Sleep(time.Duration(random.IntN(6000)) * time.Millisecond)
	how := []string{"SIGKILL", "SIGTERM", "eviction", "deletion", "force", "broker"}[random.IntN(6)]
	pod := r.find(index)
	if pod == nil || pod.Status.Phase != corev1.PodRunning {
		how = "too late"
	}
	// Each may fail, as the pod may have ended.
	switch how {
	case "SIGKILL":
		signalContainer(pod, syscall.SIGKILL)
	case "SIGTERM":
		signalContainer(pod, syscall.SIGTERM)
	case "eviction":
		r.tryEvict(pod)
	case "deletion":
		kubectl(r.Context(), "delete", "pod", "--namespace", r.namespace, "--wait=false", pod.Name)
	case "force":
		kubectl(r.Context(), "delete", "pod", "--namespace", r.namespace, "--force", "--grace-period=0", pod.Name)
	case "broker":
		kubectl(r.Context(), "exec", "--namespace", r.namespace, pod.Name, "--container=fx", "--", "pkill", "-9", "-f",
			"flux-broker")
	}
	completed, message := r.finish(5 * usual)
	if !completed && message == "" {
		r.Error("the Job failed without a reason")
	}
	if completed {
		r.has(0, -1, `^end$`)
		r.has(0, -1, `^archived$`)
	}
	outcome := map[bool]string{true: "completed", false: "failed"}[completed]
	return how + ", " + outcome
}

// signalContainer sends a signal to the first process of a pod's Flux container, if it runs.
func signalContainer(pod *corev1.Pod, signal syscall.Signal) {
	if pid, err := containerInit(pod.UID, "fx"); err == nil {
		syscall.Kill(pid, signal) // it has ended
	}
}
