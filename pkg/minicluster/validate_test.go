package minicluster_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// TestInvalid compares all that is wrong with each MiniCluster in testdata/invalid. Each is refused,
// with the same words, by Objects.
func TestInvalid(t *testing.T) {
	testkit.Each(t, "invalid/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, input, "errors")
		mc := decode(t, c.Part(input))
		var lines []string
		for _, err := range minicluster.Validate(mc) {
			lines = append(lines, err.Error())
		}
		if len(lines) == 0 {
			t.Fatal("nothing is wrong")
		}
		c.Want(t, "errors", strings.Join(lines, "\n")+"\n")
		_, err := minicluster.Objects(mc, minicluster.Options{})
		if err == nil || !strings.Contains(err.Error(), lines[0]) {
			t.Errorf("Objects() = %v", err)
		}
	})
}

// TestNoRand wants an error where a key has to be drawn from nothing.
func TestNoRand(t *testing.T) {
	mc := decode(t, `{metadata: {name: x, namespace: default}, spec: {containers: [{command: hostname}]}}`)
	if _, err := minicluster.Objects(mc, minicluster.Options{}); err == nil || !strings.Contains(err.Error(), "making keys") {
		t.Errorf("Objects() = %v", err)
	}
}
