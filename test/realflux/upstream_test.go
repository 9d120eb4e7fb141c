package realflux

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// upstreamCommit is the last commit of flux-framework/flux-operator whose examples are v1alpha1.
const upstreamCommit = "4e8955a25d8f89d4633605a6e65c25a99e7869d0"

// example is an example of upstream. Its applications are stubs, which print their arguments.
type example struct {
	path   string
	log    map[string]int // patterns of the lead broker's log
	output bool           // the log is upstream's test.out.correct
	files  []string       // of its volume
}

var examples = map[string]example{
	"hello-world":        {path: "tests/hello-world", output: true},
	"minimal-service":    {path: "tests/minimal-service", output: true},
	"post":               {path: "tests/post", output: true},
	"volumes":            {path: "tests/volumes", output: true, files: []string{"pancakes.txt"}},
	"existing-volumes":   {path: "tests/existing-volumes", output: true, files: []string{"pancakes.txt"}},
	"flux-resource-list": {path: "tests/flux-resource-list", log: map[string]int{`(free|allocated)`: -1}},
	"lammps": {path: "tests/lammps",
		log: map[string]int{`^STUB lmp -v x 2 .* in /home/flux/examples/reaxff/HNS as flux`: 2}},
	"batch":         {path: "tests/batch", log: map[string]int{`CD`: -1}},
	"timed":         {path: "tests/timed", log: map[string]int{`^hello world$`: 1}},
	"debug":         {path: "tests/debug", log: map[string]int{`^hello world$`: 1}},
	"custom-config": {path: "tests/custom-config", log: map[string]int{`^hello world$`: 1}},
	"pokemon":       {path: "tests/pokemon", log: map[string]int{`^STUB pokemon --avatar`: 1}},
	"snakemake": {path: "tests/snakemake",
		log: map[string]int{`^STUB snakemake --cores 1 --flux --jobs 1 .* as flux`: 1}},
	"singularity":   {path: "tests/singularity", log: map[string]int{`^STUB singularity exec .* as fluxuser`: 1}},
	"nginx-sidecar": {path: "tests/nginx-sidecar-service", log: map[string]int{`^STUB curl -s localhost`: 1}},
	"nginx-service": {path: "tests/nginx-service", log: map[string]int{`^STUB curl`: -1}},
	"state":         {path: "state/basic-job-completion"},
}

// TestUpstream runs examples of flux-framework/flux-operator as they are, but for their images, namespaces and host
// paths.
func TestUpstream(t *testing.T) {
	need(t)
	clone := os.Getenv("FLUX_OPERATOR_CLONE")
	if clone == "" {
		t.Skip("FLUX_OPERATOR_CLONE is not set: it names a git clone of flux-framework/flux-operator with the commit " +
			upstreamCommit)
	}
	all := map[string]scenario{}
	for name, e := range examples {
		all[name] = scenario{feature: "`examples/" + e.path + "`", run: func(r *run) { r.example(clone, e) }, newest: true}
	}
	scenarios(t, "Upstream's examples", all)
}

// file reads a file of upstream's examples.
func (r *run) file(clone string, elements ...string) []byte {
	r.Helper()
	name := upstreamCommit + ":" + path.Join(append([]string{"examples"}, elements...)...)
	out, err := exec.CommandContext(r.Context(), "git", "-C", clone, "show", name).Output()
	if err != nil {
		r.Fatalf("git show %s: %v", name, err)
	}
	return out
}

func (r *run) example(clone string, e example) {
	data := hostPaths + "/" + r.namespace
	content := strings.NewReplacer("/tmp/data", data, ".flux-operator.svc", "."+r.namespace+".svc",
		"apt-get update > /dev/null && apt-get install -y curl > /dev/null", "true").
		Replace(string(r.file(clone, e.path, "minicluster.yaml")))
	mc := &api.MiniCluster{}
	if err := yaml.UnmarshalStrict([]byte(content), mc); err != nil {
		r.Fatal(err)
	}
	mc.Namespace = r.namespace
	for i := range mc.Spec.Containers {
		mc.Spec.Containers[i].Image = ""
	}
	for i := range mc.Spec.Services {
		mc.Spec.Services[i].Image = ""
	}
	if len(e.files) > 0 {
		r.fill(data, e.files)
	}
	if strings.Contains(content, "claimName: data") {
		r.claim(data)
	}
	r.startObject(mc)
	if mc.Spec.Interactive {
		r.online(usual, int(mc.Spec.Size))
		r.flux("flux", "shutdown") // its connection ends with the broker
	}
	r.completes(2 * usual)
	if e.output {
		got := strings.TrimSpace(r.logs.text(mc.Name, 0))
		// Upstream's test reads a terminal, whose lines end with \r\n.
		want := strings.TrimSpace(strings.ReplaceAll(string(r.file(clone, e.path, "test.out.correct")), "\r", ""))
		if got != want {
			r.Errorf("the log is %q, upstream's test wants %q", got, want)
		}
	}
	for pattern, count := range e.log {
		r.has(0, count, pattern)
	}
}

// fill makes files in a directory of the node, by a pod.
func (r *run) fill(directory string, files []string) {
	r.Helper()
	pod := &corev1.Pod{ObjectMeta: r.named("fill"), Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: "fill", Image: r.image, Command: append([]string{"touch"}, files...), WorkingDir: "/data",
			VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
		}},
		Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
			HostPath: &corev1.HostPathVolumeSource{Path: directory, Type: new(corev1.HostPathDirectoryOrCreate)},
		}}},
	}}
	if err := r.client.Create(r.Context(), pod); err != nil {
		r.Fatal(err)
	}
	r.gone(usual, pod)
}

// claim creates the claim data, bound to a directory of the node.
func (r *run) claim(directory string) {
	r.Helper()
	name := r.namespace + "-data"
	capacity := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	volume := &corev1.PersistentVolume{}
	volume.Name = name
	volume.Spec = corev1.PersistentVolumeSpec{
		Capacity: capacity, AccessModes: modes, StorageClassName: "none",
		PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: directory}},
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: r.named("data"), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: modes, StorageClassName: new("none"), VolumeName: name,
		Resources: corev1.VolumeResourceRequirements{Requests: capacity},
	}}
	if err := r.client.Create(r.Context(), volume); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { kubectl(r.Context(), "delete", "--wait=false", "pv", name) }) // the node ends soon
	if err := r.client.Create(r.Context(), claim); err != nil {
		r.Fatal(err)
	}
}
