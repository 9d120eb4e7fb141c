package minicluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// TestBatchSize: the batch script holds the option flags once, not once for each line of the command.
func TestBatchSize(t *testing.T) {
	mc := decode(t, "{metadata: {name: x, namespace: default}, spec: {containers: [{batch: true}]}}")
	mc.Spec.Containers[0].Command = strings.Repeat("a\n", 2000)
	mc.Spec.Flux = &api.FluxSpec{OptionFlags: strings.Repeat("-ofoo ", 600)}
	script := objects(t, mc).ConfigMaps[0].Data["x.batch.sh"]
	if n := strings.Count(script, "-ofoo"); n != 600 || len(script) > 30_000 {
		t.Errorf("the script has %d bytes, and the flags %d times, want 600", len(script), n)
	}
}

// TestTooLarge: an object that is too large is an error that names the field.
func TestTooLarge(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	entries := func(n int) map[string]string {
		all := map[string]string{}
		for i := range 100 {
			all[fmt.Sprintf("K%d", i)] = text(n)
		}
		return all
	}
	for want, change := range map[string]func(*api.MiniClusterSpec){
		"spec.containers[1].commands: Too long: the ConfigMap x-entrypoint would have ": func(spec *api.MiniClusterSpec) {
			wide := strings.Repeat("\U0001f680", 60000) // of four bytes
			spec.Containers[1].Commands = &api.Commands{Init: wide, Pre: wide, BrokerPre: wide, Post: wide}
			spec.Containers[2].Commands = &api.Commands{Init: text(60000)}
		},
		"spec.services: Too long: the ConfigMap x-entrypoint would have ": func(spec *api.MiniClusterSpec) {
			for i := range 20 {
				spec.Services = append(spec.Services, api.MiniClusterContainer{Name: fmt.Sprintf("s%d", i), Command: text(60000)})
			}
		},
		"spec.services[0].environment: Too long: the Pod x-services would have ": func(spec *api.MiniClusterSpec) {
			spec.Services = []api.MiniClusterContainer{{Name: "s", Environment: entries(10000)}}
		},
		"spec.pod.annotations: Too long: the Job x would have ": func(spec *api.MiniClusterSpec) {
			spec.Pod = &api.PodSpec{Annotations: entries(10000)}
		},
		"spec.volumes[v].annotations: Too long: the PersistentVolume default.x.v would have ": func(
			spec *api.MiniClusterSpec) {
			spec.Volumes = map[string]api.MiniClusterVolume{"v": {Path: "/v", Annotations: entries(10000)}, "w": {Path: "/w"}}
		},
	} {
		mc := decode(t,
			"{metadata: {name: x, namespace: default}, spec: {containers: [{runFlux: true}, {name: a, command: a}, {name: b, "+
				"command: b}]}}")
		change(&mc.Spec)
		_, err := build(mc)
		if _, ok := errors.AsType[*field.Error](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestManyErrors: the first 100 errors are reported. To join those of 64 containers took 90 s.
func TestManyErrors(t *testing.T) {
	mc := decode(t, "{metadata: {name: x, namespace: default}, spec: {containers: [{command: a}]}}")
	container := api.MiniClusterContainer{Name: "a", Environment: map[string]string{}}
	for i := range 512 {
		container.Environment[fmt.Sprintf("%d=", i)] = ""
	}
	mc.Spec.Services = []api.MiniClusterContainer{container}
	if _, errs := minicluster.NewDesired(mc); len(errs) != 100 {
		t.Errorf("%d errors", len(errs))
	}
}
