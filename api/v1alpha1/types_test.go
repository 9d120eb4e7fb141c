package v1alpha1_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"MiniCluster", "MiniClusterList", "ListOptions"} {
		if gvk := api.SchemeGroupVersion.WithKind(kind); !scheme.Recognizes(gvk) {
			t.Errorf("the scheme does not know %v", gvk)
		}
	}
	if got, want := api.Resource("miniclusters").String(), "miniclusters.flux-framework.org"; got != want {
		t.Errorf("Resource() = %s, want %s", got, want)
	}
}

// TestJSON wants that nothing is invented on the way to JSON and nothing is lost on it,
// above all no zero value that means something else than the default.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		in   api.MiniCluster
		want string
	}{
		{"empty", api.MiniCluster{}, `{}`},
		{"required fields only", api.MiniCluster{
			Spec:   api.MiniClusterSpec{Containers: []api.MiniClusterContainer{{}}},
			Status: api.MiniClusterStatus{Size: 1},
		}, `{"spec":{"containers":[{}]},"status":{"size":1,"maximumSize":0,"selector":"","jobid":""}}`},
		{"empty objects", api.MiniCluster{
			Spec: api.MiniClusterSpec{
				Containers: []api.MiniClusterContainer{{Commands: &api.Commands{}}},
				Network:    &api.Network{},
			},
		}, `{"spec":{"containers":[{"commands":{}}],"network":{}}}`},
		{"zero values that are not the default", api.MiniCluster{
			Spec: api.MiniClusterSpec{
				Containers: []api.MiniClusterContainer{{FluxUser: &api.FluxUser{UID: new(int)}}},
				Flux:       &api.FluxSpec{ConnectTimeout: new(string), LogLevel: new(int32)},
				Volumes:    map[string]api.MiniClusterVolume{"data": {Path: "/data", Delete: new(bool)}},
				Logging:    &api.LoggingSpec{Strict: new(bool)},
			},
		}, `{"spec":{"containers":[{"fluxUser":{"uid":0}}],"flux":{"connectTimeout":"","logLevel":0},` +
			`"volumes":{"data":{"path":"/data","delete":false}},"logging":{"strict":false}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := json.Marshal(c.in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Error(d)
			}
			var out api.MiniCluster
			if err := json.Unmarshal(got, &out); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.in, out); d != "" {
				t.Error(d)
			}
		})
	}
}
