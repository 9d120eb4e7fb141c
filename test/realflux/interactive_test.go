package realflux

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// TestInteractive: MiniClusters that wait for jobs.
func TestInteractive(t *testing.T) {
	scenarios(t, "Interactive", map[string]scenario{
		"client":  {feature: "the commands of the Python client, `flux proxy`, `flux shutdown`", run: interactive},
		"elastic": {feature: "`size` 2, 4, 2, 3 and 1 of `maxSize` 4", run: elastic},
		"elastic-command": {
			feature: "a command with `size` below `maxSize`",
			spec:    `{size: 2, maxSize: 4, tasks: 2, containers: [{command: hostname}]}`,
			log:     map[string]int{`^fx-\d$`: 2},
		},
		"late-worker": {
			feature: "a worker that starts 8 s late: the command waits", newest: true,
			spec: `{size: 2, maxSize: 4, tasks: 2, containers: [{command: hostname, commands: {workerPre: sleep 8}}]}`,
			log:  map[string]int{`^fx-\d$`: 2},
		},
		"late-lead": {
			feature: "a lead broker that starts 20 s late", newest: true,
			spec: `{size: 3, tasks: 3, containers: [{command: hostname, commands: {brokerPre: sleep 20}}]}`,
			log:  map[string]int{`^fx-\d$`: 3},
		},
		"users": {feature: "`users`: jobs of several users through munge and the IMP; guests cannot read " +
			"secrets", run: users},
		"restricted": {feature: "restricted pods, as the Pod Security Standard has them, with a user ID that " +
			"the image does not know", run: restrictedCommand},
		"restricted-interactive": {feature: "restricted pods that wait for jobs", run: restrictedInteractive, newest: true},
		"archive": {feature: "`archive`: the state of one MiniCluster is that of the next, on a volume of " +
			"root", run: archive},
		"archive-stop": {feature: "`archive` with `timed`: written when the pods are stopped", run: archiveStop},
		"lifecycle":    {feature: "`lifeCycle`: postStartExec, preStopExec", run: lifecycle},
	})
}

// secret creates a Secret in the run's namespace.
func (r *run) secret(name string, data map[string]string) {
	r.Helper()
	err := r.client.Create(r.Context(), &corev1.Secret{
		ObjectMeta: r.named(name), StringData: data,
	})
	if err != nil {
		r.Fatal(err)
	}
}

// named is the metadata of an object in the run's namespace.
func (r *run) named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: r.namespace, Name: name}
}

// mungeKey creates the Secret munge-key.
func (r *run) mungeKey() {
	r.Helper()
	key := make([]byte, 64)
	rand.Read(key) // it never fails
	r.secret("munge-key", map[string]string{"munge-key": hex.EncodeToString(key)})
}

// certificate returns a CURVE certificate that flux keygen has made.
func (r *run) certificate() string {
	r.Helper()
	r.startNamed("keygen",
		`{logging: {quiet: true}, containers: [{command: flux keygen /tmp/c.cert >/dev/null; cat /tmp/c.cert}]}`)
	r.completes(usual)
	return r.logs.text("keygen", 0)
}

func streams(r *run) {
	r.start(`{size: 2, containers: [{command: for i in 1 2 3 4; do echo line $i; sleep 1; done}]}`)
	r.completes(usual)
	var times []time.Time
	for _, l := range r.logs.lines("fx", 0) {
		if strings.HasPrefix(l.text, "line ") {
			times = append(times, l.at)
		}
	}
	if len(times) != 4 {
		r.Fatalf("the log has %d of 4 lines", len(times))
	}
	if took := times[3].Sub(times[0]); took < 2500*time.Millisecond {
		r.Errorf("four lines, a second apart, were written within %s", took)
	}
}

func interactive(r *run) {
	r.start(`{size: 3, interactive: true}`)
	r.online(usual, 3)
	id := strings.TrimSpace(r.mustFlux("submit", "-N3", "hostname"))
	if out := r.mustFlux("job", "attach", id); strings.Count(out, "fx-") != 3 {
		r.Errorf("flux job attach: %s", out)
	}
	if out, err := r.flux("flux", "run", "false"); err == nil {
		r.Errorf("flux run false succeeds: %s", out)
	}
	out, err := r.exec("sudo", "-u", "flux", "flux", "proxy", "local:///run/flux/local", "flux", "run", "-N3", "hostname")
	if err != nil || strings.Count(out, "fx-") < 3 {
		r.Errorf("flux proxy: %v\n%s", err, out)
	}
	r.flux("flux", "shutdown") // its connection ends with the broker
	r.completes(usual)
}

// scale sets the size, as kubectl scale does.
func (r *run) scale(size int32) {
	r.Helper()
	before := r.mc.DeepCopy()
	r.mc.Spec.Size = size
	if err := r.client.Patch(r.Context(), r.mc, client.MergeFrom(before)); err != nil {
		r.Fatal(err)
	}
}

func elastic(r *run) {
	r.start(`{size: 2, maxSize: 4, interactive: true}`)
	r.online(usual, 2)
	r.scale(4)
	r.online(usual, 4)
	if out := r.mustFlux("run", "-N4", "hostname"); strings.Count(out, "fx-") != 4 {
		r.Errorf("flux run -N4 hostname: %s", out)
	}
	leaving := r.pod(3)
	r.scale(2)
	if took := r.gone(20*time.Second, leaving); took > 15*time.Second {
		r.Errorf("a pod left after %s", took)
	}
	r.online(usual, 2)
	r.scale(3)
	r.online(usual, 3)
	if out := r.mustFlux("run", "-N3", "hostname"); strings.Count(out, "fx-") != 3 {
		r.Errorf("flux run -N3 hostname: %s", out)
	}
	// Below a running job.
	r.mustFlux("submit", "-N3", "sleep", "200")
	r.scale(1)
	r.online(usual, 1)
}

func bursts(r *run) {
	r.secret("curve", map[string]string{"curve.cert": r.certificate()})
	r.startNamed("first", `
size: 2
interactive: true
flux: {curveCertSecret: curve, bursting: {clusters: [{name: burst-0, size: 2}]}}`)
	r.online(usual, 2)
	first := r.mc
	r.startNamed("burst-0", `
size: 2
network: {headlessName: other}
flux: {curveCertSecret: curve, bursting: {leadBroker: {address: `+r.address(first)+`, name: first, size: 2}, clusters: [{name: burst-0, size: 2}]}}`)
	extension := r.mc
	r.mc = first
	r.online(usual, 4)
	if out := r.mustFlux("run", "-N4", "hostname"); strings.Count(out, "burst-0-") != 2 ||
		strings.Count(out, "first-") != 2 {
		r.Errorf("flux run -N4 hostname: %s", out)
	}
	r.flux("flux", "shutdown") // its connection ends with the broker
	r.completes(usual)
	r.mc = extension
	r.completes(usual)
}

// address returns the IP of the lead broker's pod.
func (r *run) address(mc *api.MiniCluster) string {
	r.Helper()
	r.mc = mc
	return r.running(0).Status.PodIP
}

func users(r *run) {
	r.start(`{size: 2, interactive: true, users: [{name: alice, password: changeme}, {name: bob}]}`)
	r.online(usual, 2)
	for _, user := range []string{"flux", "alice", "bob"} {
		out, err := r.flux(user, "run", "-N2", "sh", "-c", "id -un; hostname")
		if err != nil || strings.Count(out, user) != 2 || !strings.Contains(out, "fx-1") {
			r.Errorf("flux run as %s: %v\n%s", user, err, out)
		}
	}
	// Everything that is mounted or copied, as the root of the container finds it.
	out, err := r.exec("sh", "-c",
		"find -L /mnt/curve /mnt/munge /mnt/flux-restful /etc/curve /etc/munge /var/lib/flux -type f 2>/dev/null | sort -u")
	files := strings.Fields(out)
	if err != nil || len(files) < 4 {
		r.Fatalf("%d files of secrets are there, want 4 or more: %v\n%s", len(files), err, out)
	}
	for _, file := range files {
		if out, err := r.exec("sudo", "-u", "alice", "cat", file); err == nil {
			r.Errorf("a guest can read %s: %d bytes", file, len(out))
		}
	}
	// Nor in the memory of processes that a guest can see.
	out, err = r.exec("sudo", "-u", "alice", "sh", "-c",
		"cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'")
	if strings.Contains(out, "changeme") {
		r.Errorf("a guest can see a password: %v", err)
	}
}

// restricted labels the run's namespace, so that Kubernetes admits only restricted pods.
func (r *run) restricted() {
	r.Helper()
	if out, err := kubectl(r.Context(), "label", "namespace", r.namespace,
		"pod-security.kubernetes.io/enforce=restricted"); err != nil {
		r.Fatal(err, out)
	}
}

func restrictedCommand(r *run) {
	r.restricted()
	r.start(`
size: 2
tasks: 2
pod: {annotations: {flux-framework.org/pod-security: restricted}}
containers: [{command: id -u; grep NoNewPrivs /proc/self/status, fluxUser: {name: someone, uid: 4711}}]`)
	r.completes(usual)
	r.has(0, 2, `^4711$`)
	r.has(0, 2, `^NoNewPrivs:\s+1$`)
}

func restrictedInteractive(r *run) {
	r.restricted()
	r.start(`{size: 2, interactive: true, pod: {annotations: {flux-framework.org/pod-security: restricted}}}`)
	r.until(usual, "2 brokers are not online", func() bool {
		out, err := r.exec("sh", "-c", "FLUX_URI=local:///run/flux/local flux run -N2 hostname")
		return err == nil && strings.Count(out, "fx-") == 2
	})
}

// The volume of archives. The kubelet makes it as root, with mode 0755.
func (r *run) archiveSpec(extra string) string {
	return `
size: 2
interactive: true
archive: {path: /state/archive.tar.gz}
volumes: {data: {path: ` + hostPaths + "/" + r.namespace + `, delete: false}}
containers: [{volumes: {data: {path: /state}}}]
` + extra
}

func archive(r *run) {
	r.start(r.archiveSpec(""))
	r.online(usual, 2)
	r.mustFlux("run", "echo", "remember me")
	r.flux("flux", "shutdown") // its connection ends with the broker
	r.completes(usual)
	r.replace()
	r.start(r.archiveSpec(""))
	r.online(usual, 2)
	if out := r.mustFlux("jobs", "-a"); !strings.Contains(out, "echo") {
		r.Errorf("the jobs of before are lost: %s", out)
	}
}

// replace deletes the MiniCluster, and waits until its Job and its claims are gone.
func (r *run) replace() {
	r.Helper()
	if err := r.client.Delete(r.Context(), r.mc); err != nil {
		r.Fatal(err)
	}
	r.until(2*usual, "the MiniCluster's objects are still there", func() bool {
		out, err := kubectl(r.Context(), "get", "jobs,pods,pvc", "--namespace", r.namespace, "--output=name")
		return err == nil && strings.TrimSpace(out) == ""
	})
}

func archiveStop(r *run) {
	r.start(r.archiveSpec("logging: {timed: true}"))
	r.online(usual, 2)
	r.mustFlux("run", "echo", "remember me")
	lead := r.remove(0, -1)
	if took := r.gone(usual, lead); took > 25*time.Second {
		r.Errorf("the lead ended %s after SIGTERM", took)
	}
	r.online(2*usual, 2)
	if out := r.mustFlux("jobs", "-a"); !strings.Contains(out, "echo") {
		r.Errorf("the jobs of before are lost: %s", out)
	}
}

func lifecycle(r *run) {
	r.start(`{size: 2, interactive: true, containers: [{lifeCycle: {postStartExec: echo started >/tmp/started, preStopExec: cat /tmp/started >/proc/1/fd/1}}]}`)
	r.online(usual, 2)
	r.gone(usual, r.remove(0, -1))
	r.has(0, 1, `^started$`)
}
