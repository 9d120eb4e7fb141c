package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

const workload = `
apiVersion: batch/v1
kind: Job
metadata: {name: quick}
spec:
  completions: 3
  parallelism: 3
  completionMode: Indexed
  template:
    metadata: {annotations: {cluster.flux-framework.org/run-for: 10ms}}
    spec:
      restartPolicy: Never
      initContainers: [{name: prepare, image: any}]
      containers: [{name: main, image: any}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: failing}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {cluster.flux-framework.org/run-for: 10ms, cluster.flux-framework.org/exit-code: "7"}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: any}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: endless}
spec:
  template:
    metadata: {annotations: {cluster.flux-framework.org/run-for: 24h}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: any}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: any}, {name: side, image: any}]
---
apiVersion: v1
kind: Pod
metadata: {name: alone}
spec:
  containers: [{name: main, image: any}]
`

// TestControlPlane checks one control plane from up to down; starting one for each check is too slow.
func TestControlPlane(t *testing.T) {
	w := newWorld(t)
	w.up()
	for name, test := range map[string]func(*testing.T){
		"status": func(t *testing.T) {
			status := w.must("status")
			for _, name := range []string{
				"keeper", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
			} {
				if !regexp.MustCompile(`(?m)^` + name + ` +running`).MatchString(status) {
					t.Errorf("%s does not run", name)
				}
			}
		},
		"a second up changes nothing": func(t *testing.T) {
			before := w.component(w.directory(), "keeper")
			if out := w.must("up"); !strings.Contains(out, "export KUBECONFIG='"+w.variable("KUBECONFIG")+"'") {
				t.Errorf("it printed %q", out)
			}
			if after := w.component(w.directory(), "keeper"); after != before {
				t.Error("another control plane runs")
			}
		},
		"versions": func(t *testing.T) {
			versions := decode[struct{ ClientVersion, ServerVersion struct{ GitVersion string } }](
				t, w.kubectl("version", "-o", "json").stdout)
			if versions.ClientVersion != versions.ServerVersion || versions.ServerVersion.GitVersion != "v1.36.3" {
				t.Errorf("got %+v", versions)
			}
		},
		"nodes": func(t *testing.T) {
			if got := w.kubectl("get", "nodes", "--no-headers").stdout; strings.Count(got, " Ready ") != 2 {
				t.Error("want two nodes that are ready")
			}
		},
		"only the loopback address is listened on": w.listens,
		"what users must not reach":                w.doors,
		"users":                                    w.users,
		"workload":                                 w.workload,
	} {
		t.Run(name, func(t *testing.T) { test(t) })
	}
	w.restarts()
	w.must("down")
	w.nothingLeft()
	if code := w.run("status").code; code != notRuns {
		t.Errorf("status after down: exit code %d, want %d", code, notRuns)
	}
	w.must("down")
}

func (w *world) listens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which process listens where without a tool")
	}
	known, err := w.directory().Load()
	if err != nil {
		t.Fatal(err)
	}
	sockets := map[string]string{}
	for _, component := range known.Components {
		descriptors, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", component.Process.PID))
		if err != nil {
			t.Fatal(err)
		}
		for _, descriptor := range descriptors {
			if target, err := os.Readlink(descriptor); err == nil {
				sockets[strings.TrimSuffix(strings.TrimPrefix(target, "socket:["), "]")] = component.Name
			}
		}
	}
	listening := 0
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		content, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			// The second is the address, in hexadecimal and backwards; the fourth the state; the tenth the socket.
			fields := strings.Fields(line)
			name, found := sockets[fields[9]]
			if !found || fields[3] != "0A" {
				continue
			}
			listening++
			if !strings.HasPrefix(fields[1], "0100007F:") {
				t.Errorf("%s listens on %s", name, fields[1])
			}
		}
	}
	if listening != 6 {
		t.Errorf("%d sockets listen, want 6", listening)
	}
}

// doors checks that etcd and the nodes refuse an anonymous client and a user of the cluster.
func (w *world) doors(t *testing.T) {
	alice := decode[struct {
		Users []struct {
			User struct {
				Certificate []byte `json:"client-certificate-data"`
				Key         []byte `json:"client-key-data"`
			}
		}
	}](t, w.must("kubeconfig", "--user", "alice", "--raw")).Users[0].User
	login, err := tls.X509KeyPair(alice.Certificate, alice.Key)
	if err != nil {
		t.Fatal(err)
	}
	node := w.kubectl("get", "node", "node-0", "-o", "jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}").stdout
	args, err := exec.Command("ps", "-o", "args=", "-p",
		strconv.Itoa(w.component(w.directory(), "kube-apiserver").PID)).Output()
	if err != nil {
		t.Fatal(err)
	}
	etcd := regexp.MustCompile(`--etcd-servers=https://127.0.0.1:(\d+)`).FindSubmatch(args)
	for _, address := range []string{"127.0.0.1:" + node + "/healthz", "127.0.0.1:" + string(etcd[1]) + "/health"} {
		for name, certificates := range map[string][]tls.Certificate{"anybody": nil, "alice": {login}} {
			client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
				InsecureSkipVerify: true, // the test is about client certificates
				GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
					if len(certificates) == 0 {
						return &tls.Certificate{}, nil
					}
					return &certificates[0], nil
				},
			}}}
			if response, err := client.Get("https://" + address); err == nil {
				t.Errorf("%s was let in at %s: %s", name, address, response.Status)
			} else if !strings.Contains(err.Error(), "tls:") {
				t.Errorf("%s at %s: %v", name, address, err)
			}
		}
	}
}

func (w *world) users(t *testing.T) {
	alice := strings.TrimSpace(w.must("kubeconfig", "--user", "alice", "--group", "dev"))
	bob := strings.TrimSpace(w.must("kubeconfig", "--user", "bob"))
	pods := func(kubeconfig string) result {
		return w.kubectl("get", "pods", "-n", "team", "--kubeconfig", kubeconfig)
	}
	if got := pods(alice); !strings.Contains(got.stderr, `User "alice" cannot list resource "pods"`) {
		t.Errorf("without a role, alice got %+v", got)
	}
	w.applied(`
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: dev, namespace: team}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: dev}]
`)
	w.eventually("alice may see pods by her group", func() bool { return pods(alice).code == 0 })
	if got := pods(bob); !strings.Contains(got.stderr, "Forbidden") {
		t.Errorf("bob got %+v", got)
	}
	if raw := w.must("kubeconfig", "--user", "alice", "--raw"); !strings.Contains(raw, `"current-context": "alice"`) {
		t.Errorf("got %q", raw)
	}
}

func (w *world) workload(t *testing.T) {
	w.applied(workload)
	wait := func(condition, object string) {
		t.Helper()
		if w.kubectl("wait", "--for="+condition, "--timeout=120s", object).code != 0 {
			t.Errorf("%s: never %s", object, condition)
		}
	}
	wait("condition=Complete", "job/quick")
	wait("condition=Failed", "job/failing")
	wait("condition=Available", "deployment/web")
	wait("condition=Ready", "pod/alone")
	wait("jsonpath={.status.ready}=1", "job/endless")
	codes := w.kubectl("get", "pods", "-l", "job-name=failing",
		"-o", "jsonpath={.items[*].status.containerStatuses[*].state.terminated.exitCode}").stdout
	if codes != "7" {
		t.Errorf("the failing pod has the exit code %q, want 7", codes)
	}
	t.Run("logs", w.logs)
	t.Run("exec", w.exec)
	t.Run("port-forward", w.portForward)
	if w.kubectl("delete", "job,deployment,pod", "--all", "--timeout=120s").code != 0 {
		t.Error("the objects were not deleted")
	}
	w.eventually("no pods are left", func() bool { return w.kubectl("get", "pods", "-o", "name").stdout == "" })
}

func (w *world) logs(t *testing.T) {
	if got := w.kubectl("logs", "alone", "--tail=1").stdout; got != "default/alone/main line 10 of 10\n" {
		t.Errorf("got %q", got)
	}
	if got := w.kubectl("logs", "alone", "--follow").stdout; strings.Count(got, "\n") != 10 {
		t.Errorf("followed: got %q", got)
	}
	if got := w.kubectl("logs", "deployment/web", "-c", "side").stdout; !strings.Contains(got, "/side line 1 of 10\n") {
		t.Errorf("of another container: got %q", got)
	}
}

func (w *world) exec(t *testing.T) {
	got := w.kubectlWith("input", "exec", "-i", "alone", "--", "sh", "-c", "cat; echo bad >&2; exit 3")
	if got.stdout != "input" || !strings.HasPrefix(got.stderr, "bad\n") || got.code != 3 {
		t.Errorf("got %+v", got)
	}
	if got := w.kubectl("exec", "alone", "--", "hostname"); got.stdout != "alone\n" || got.code != 0 {
		t.Errorf("got %+v", got)
	}
}

func (w *world) portForward(t *testing.T) {
	known, err := w.directory().Load()
	if err != nil {
		t.Fatal(err)
	}
	command := w.command(known.Bin+"/kubectl", "port-forward", "pod/alone", ":8080", "--address=127.0.0.1")
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		command.Process.Kill()
		command.Wait()
	}()
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.Fields(strings.TrimPrefix(line, "Forwarding from "))[0]
	response, err := http.Get("http://" + address + "/v1/jobs")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := decode[struct {
		Pod, Path string
		Port      int
	}](t, string(content))
	if got.Pod != "alone" || got.Port != 8080 || got.Path != "/v1/jobs" {
		t.Errorf("got %s", content)
	}
}

// restarts restarts each component, once with SIGTERM and once with SIGKILL.
func (w *world) restarts() {
	w.applied("{apiVersion: v1, kind: ConfigMap, metadata: {name: kept}}")
	directory := w.directory()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"} {
		for _, flags := range [][]string{nil, {"--kill", "--pause=200ms"}} {
			before := w.component(directory, name)
			w.must(append([]string{"restart", name}, flags...)...)
			if after := w.component(directory, name); after == before || before.Alive() || !after.Alive() {
				w.t.Errorf("%s: process %v after %v", name, after, before)
			}
		}
	}
	if got := w.run("restart", "kube-proxy"); got.code != undecided ||
		!strings.Contains(got.stderr, "the components are etcd, kube-apiserver") {
		w.t.Errorf("restarting an unknown component: got %+v", got)
	}
	w.eventually("the data is there", func() bool { return w.kubectl("get", "configmap", "kept").code == 0 })
	w.applied(`
apiVersion: batch/v1
kind: Job
metadata: {name: after}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: any}]}}}
`)
	if w.kubectl("wait", "--for=condition=Complete", "--timeout=120s", "job/after").code != 0 {
		w.t.Error("no Job completes after the restarts")
	}
}
