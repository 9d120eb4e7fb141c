package explain

import (
	"strings"
	"testing"
)

// TestForeign explains APIs of other modules: those that go.mod of test/apis requires, and a published version. What
// sdkgen refuses in another kind does not matter.
func TestForeign(t *testing.T) {
	sdkgen := build(t)
	const vpa = "k8s.io/autoscaler/vertical-pod-autoscaler/pkg/apis/autoscaling.k8s.io/v1"
	for _, c := range []struct {
		name, dir, api, path string
		want                 []string // of what is printed, or of the error
		refused              bool
	}{
		{"required", "../apis", "sigs.k8s.io/gateway-api/apis/v1", "httproute.spec.hostnames", []string{
			"FIELD: hostnames <[]string>", "    maxLength of each item: 253", "httproute_types.go:",
			": HTTPRouteSpec.Hostnames []Hostname",
			": Hostname\n               +kubebuilder:validation:MinLength=1",
			"    Python:    HTTPRouteSpec.hostnames: List[str]",
		}, false},
		{"published", "", "sigs.k8s.io/gateway-api/apis/v1@v1.6.0", "gateway.spec.gatewayClassName",
			[]string{"FIELD: gatewayClassName <string> -required-"}, false},
		{"one kind", "../apis", vpa, "verticalpodautoscalers.spec",
			[]string{"KIND:       VerticalPodAutoscaler", "targetRef <Object> -required-"}, false},
		{"refused kind", "../apis", vpa, "verticalpodautoscalercheckpoint", []string{"types.go:544:20: map keys of type int"},
			true},
		{"unknown field", "../apis", "sigs.k8s.io/jobset/api/jobset/v1alpha2", "jobset.spec.replicatedJob",
			[]string{"did you mean jobset.spec.replicatedJobs?"}, true},
		{"unknown kind", "../apis", "sigs.k8s.io/jobset/api/jobset/v1alpha2", "jobs", []string{"the kinds are jobset"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.dir
			if dir == "" {
				dir = t.TempDir()
			}
			out, err := output(t, dir, sdkgen, "explain", "--api", c.api, c.path)
			if (err != nil) != c.refused {
				t.Fatal(err)
			}
			text := string(out)
			if err != nil {
				text = err.Error()
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
		})
	}
}
