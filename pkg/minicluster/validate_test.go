package minicluster_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// TestInvalid compares all errors of each MiniCluster in testdata/invalid.
func TestInvalid(t *testing.T) {
	testkit.Each(t, "invalid/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, input, "errors")
		_, errs := minicluster.NewDesired(decode(t, c.Part(input)))
		var lines []string
		for _, err := range errs {
			lines = append(lines, err.Error())
		}
		if len(lines) == 0 {
			t.Fatal("the MiniCluster is valid")
		}
		c.Want(t, "errors", strings.Join(lines, "\n")+"\n")
	})
}

// TestNoRandom: a key that cannot be generated is an error that names it.
func TestNoRandom(t *testing.T) {
	desired, errs := minicluster.NewDesired(decode(t,
		`{metadata: {name: x, namespace: default}, spec: {containers: [{}], users: [{name: ada}]}}`))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	set, err := desired.Objects()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"curve.cert of Secret x-curve", "munge.key of Secret x-munge",
		"secret-key of Secret x-flux-restful"} {
		err := desired.SetKeys(set.Keys[i], iotest.ErrReader(io.ErrClosedPipe))
		if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), want) || set.Keys[i].Data != nil {
			t.Errorf("SetKeys() = %v, want %q; data %v", err, want, set.Keys[i].Data)
		}
	}
}

// TestVolumePolicy compares what each policy in testdata/policy does not allow.
func TestVolumePolicy(t *testing.T) {
	testkit.Each(t, "policy/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, "policy.yaml", input, "errors")
		var policy minicluster.VolumePolicy
		if err := yaml.UnmarshalStrict([]byte(c.Part("policy.yaml")), &policy); err != nil {
			t.Fatal(err)
		}
		desired, errs := minicluster.NewDesired(decode(t, c.Part(input)))
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		var lines strings.Builder
		for _, err := range policy.Check(desired) {
			lines.WriteString(err.Error() + "\n")
		}
		c.Want(t, "errors", lines.String())
	})
}
