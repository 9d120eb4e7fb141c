package testkit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// etcdLimit is about the size of a MiniCluster in JSON that etcd stores.
const etcdLimit = 1_400_000

// Large returns a valid MiniCluster with random parts at the limits of the schema, and its size in JSON.
func Large(random *rand.Rand, limits map[string]Limit) (*api.MiniCluster, int) {
	for {
		g := &generator{Rand: random, limits: limits}
		mc := &api.MiniCluster{
			TypeMeta:   metav1.TypeMeta{APIVersion: api.SchemeGroupVersion.String(), Kind: "MiniCluster"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "mc", UID: "uid"},
			Spec:       g.spec(),
		}
		if data, err := json.Marshal(mc); err == nil && len(data) <= etcdLimit {
			return mc, len(data)
		}
	}
}

func (g *generator) spec() api.MiniClusterSpec {
	spec := api.MiniClusterSpec{Size: 2, MaxSize: int32(2 + g.IntN(2)), Interactive: g.IntN(8) == 0}
	g.budget(1)
	spec.Volumes = volumes(g)
	g.budget(1)
	spec.Flux = g.flux()
	g.budget(1)
	for range g.count("users") {
		spec.Users = append(spec.Users, api.MiniClusterUser{Name: g.name("users[].name"),
			Password: g.text("users[].password", "x")})
	}
	g.budget(1)
	spec.Pod = &api.PodSpec{
		Labels: g.values("pod.labels", "x"), Annotations: g.values("pod.annotations", script(g)),
		NodeSelector: g.values("pod.nodeSelector", "x"),
		Resources:    g.quantities("pod.resources"),
	}
	spec.JobLabels = g.values("jobLabels", "x")
	keys := slices.Sorted(maps.Keys(spec.Volumes))
	containers, services := max(1, g.count("containers")), g.count("services")
	for i := range containers {
		g.budget(containers)
		c := g.container(keys)
		c.RunFlux = i == 0
		c.Batch, c.BatchRaw, c.Launcher = g.kind(i)
		spec.Containers = append(spec.Containers, c)
	}
	for range services {
		g.budget(services)
		c := g.container(keys)
		c.Commands.Pre, c.Commands.BrokerPre, c.Commands.WorkerPre = "", "", ""
		spec.Services = append(spec.Services, c)
	}
	return spec
}

// budget sets how many bytes the next of n parts may use: none, some, or most of them.
func (g *generator) budget(n int) {
	g.left = []int{500, g.IntN(etcdLimit) / n, g.IntN(etcdLimit) / n / 10}[g.IntN(3)]
}

// generator makes parts of a MiniCluster.
type generator struct {
	*rand.Rand
	limits map[string]Limit
	left   int // number of bytes that it may still use
	names  int // number of names so far
}

// length returns none, few or as many as the limit.
func (g *generator) length(limit int) int {
	n := min([]int{0, min(limit, 3), limit}[g.IntN(3)], max(g.left, 0))
	g.left -= n
	return n
}

func (g *generator) count(path string) int { return g.length(g.limits[path].Entries) }

// text returns a string of the characters of an alphabet.
func (g *generator) text(path, alphabet string) string {
	return g.repeat(g.limits[path].Characters, alphabet)
}

func (g *generator) repeat(limit int, alphabet string) string {
	n := g.length(limit)
	characters := []rune(strings.Repeat(alphabet, n/len([]rune(alphabet))+1))
	text := string(characters[:n])
	g.left -= len(text) - n
	return text
}

// script returns an alphabet for scripts.
func script(g *generator) string {
	return []string{"a\n", "'", "\U0001f680", "x", "\"\\", "<&>"}[g.IntN(6)]
}

// name returns a unique DNS label.
func (g *generator) name(path string) string { return g.unique(g.limits[path].Characters) }

func (g *generator) unique(limit int) string {
	g.names++
	name := fmt.Sprintf("n%d", g.names)
	return name + strings.Repeat("x", g.length(limit-len(name)))
}

// path returns a unique path.
func (g *generator) path(path string) string { return "/" + g.unique(g.limits[path].Characters-1) }

// values returns a map of strings, whose keys are at most as long as a label.
func (g *generator) values(path, alphabet string) map[string]string {
	all := map[string]string{}
	for range g.count(path) {
		all[g.unique(min(g.limits[path].Keys, 63))] = g.text(path, alphabet)
	}
	return all
}

func (g *generator) quantities(path string) map[string]intstr.IntOrString {
	all := map[string]intstr.IntOrString{}
	for range g.count(path) {
		all["example.com/"+g.unique(60)] = intstr.FromString("1" + g.repeat(15, "0"))
	}
	return all
}

// kind returns how the container that runs Flux runs its command.
func (g *generator) kind(i int) (batch, raw, launcher bool) {
	if i > 0 {
		return false, false, false
	}
	n := g.IntN(4)
	return n == 1 || n == 2, n == 2, n == 3
}

func (g *generator) flux() *api.FluxSpec {
	flux := &api.FluxSpec{
		OptionFlags:  g.text("flux.optionFlags", []string{"x", "-o ", "' "}[g.IntN(3)]),
		Wrap:         g.text("flux.wrap", "'"),
		InstallRoot:  g.path("flux.installRoot"),
		BrokerConfig: g.text("flux.brokerConfig", script(g)),
		Bursting:     &api.Bursting{},
	}
	if g.IntN(2) == 0 {
		flux.Bursting.Hostlist = g.text("flux.bursting.hostlist", "x'")
		return flux
	}
	for range g.count("flux.bursting.clusters") {
		flux.Bursting.Clusters = append(flux.Bursting.Clusters,
			api.BurstedCluster{Name: g.name("flux.bursting.clusters[].name"), Size: 2})
	}
	return flux
}

func volumes(g *generator) map[string]api.MiniClusterVolume {
	all := map[string]api.MiniClusterVolume{}
	for range g.count("volumes") {
		all[g.unique(g.limits["volumes"].Keys)] = api.MiniClusterVolume{
			Path: g.path("volumes{}.path"), StorageClass: "csi", Driver: "csi", Secret: "s",
			Attributes: g.values("volumes{}.attributes", "'"),
			Labels:     g.values("volumes{}.labels", "x"), Annotations: g.values("volumes{}.annotations", script(g)),
		}
	}
	return all
}

// container returns a container that mounts some of the volumes.
func (g *generator) container(volumes []string) api.MiniClusterContainer {
	const at = "containers[]"
	text := func(field string) string { return g.text(at+"."+field, script(g)) }
	c := api.MiniClusterContainer{
		Name: g.name(at + ".name"), Command: "a" + g.repeat(g.limits[at+".command"].Characters-1, script(g)),
		Commands: &api.Commands{
			Init: text("commands.init"), Pre: text("commands.pre"), BrokerPre: text("commands.brokerPre"),
			WorkerPre: text("commands.workerPre"), Post: text("commands.post"), Prefix: g.text(at+".commands.prefix", "x"),
		},
		Environment:     g.values(at+".environment", script(g)),
		Secrets:         map[string]api.Secret{},
		Volumes:         map[string]api.ContainerVolume{},
		ExistingVolumes: map[string]api.MiniClusterExistingVolume{},
		Resources:       &api.ContainerResources{Limits: g.quantities(at + ".resources.limits")},
		LifeCycle:       &api.LifeCycle{PostStartExec: text("lifeCycle.postStartExec")},
	}
	for i := range g.count(at + ".ports") {
		c.Ports = append(c.Ports, int32(10000+i))
	}
	for range g.count(at + ".secrets") {
		c.Secrets[g.unique(g.limits[at+".secrets"].Keys)] = api.Secret{Name: g.unique(60), Key: g.unique(60)}
	}
	for _, key := range volumes[:min(g.count(at+".volumes"), len(volumes))] {
		c.Volumes[key] = api.ContainerVolume{Path: g.path(at + ".volumes{}.path")}
	}
	for range g.count(at + ".existingVolumes") {
		c.ExistingVolumes[g.unique(g.limits[at+".existingVolumes"].Keys)] = api.MiniClusterExistingVolume{
			Path: g.path(at + ".existingVolumes{}.path"), ConfigMapName: g.unique(60),
			Items: g.values(at+".existingVolumes{}.items", "x"),
		}
	}
	return c
}
