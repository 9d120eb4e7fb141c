package minicluster_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

const (
	input  = "minicluster.yaml"
	output = "objects.yaml"
)

// TestObjects compares the objects of each MiniCluster in testdata with those beside it, and makes
// them 20 times.
func TestObjects(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, input, output)
		mc := decode(t, c.Part(input))
		before := mc.DeepCopy()
		got := text(t, objects(t, mc))
		c.Want(t, output, got)
		if d := cmp.Diff(before, mc); d != "" {
			t.Errorf("the MiniCluster has changed: %s", d)
		}
		for range 19 {
			if again := text(t, objects(t, mc)); again != got {
				t.Fatal(cmp.Diff(got, again))
			}
		}
	})
}

// TestObjectMeta wants what every object must have, and what none may have.
func TestObjectMeta(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		seen := map[string]bool{}
		for _, o := range objects(t, mc).All() {
			kind := o.GetObjectKind().GroupVersionKind()
			id := kind.String() + " " + o.GetName()
			if kind.Empty() || o.GetName() == "" || seen[id] {
				t.Errorf("%q: no kind, no name, or twice", id)
			}
			seen[id] = true
			want := mc.Namespace
			if kind.Kind == "PersistentVolume" {
				want = ""
			}
			if o.GetNamespace() != want {
				t.Errorf("%s: namespace %q, want %q", id, o.GetNamespace(), want)
			}
			if len(o.GetOwnerReferences()) > 0 {
				t.Errorf("%s has an owner", id)
			}
			if o.GetLabels()[minicluster.LabelManagedBy] != "flux-operator" {
				t.Errorf("%s: labels %v", id, o.GetLabels())
			}
		}
	})
}

// TestShell has the shells themselves check the scripts.
func TestShell(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		set := objects(t, decode(t, c.Part(input)))
		scripts := set.ConfigMaps[0].Data
		if len(scripts) == 0 {
			t.Fatal("there is no script")
		}
		for name, script := range scripts {
			line, _, _ := strings.Cut(script, "\n")
			shell := strings.TrimPrefix(line, "#!")
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(shell, "-n", file).CombinedOutput(); err != nil {
				t.Errorf("%s -n %s: %v\n%s", shell, name, err, out)
			}
		}
	})
}

// TestExisting wants that keys stay as they are in the ConfigMaps that exist, and that nothing has
// to be drawn then.
func TestExisting(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		first := objects(t, mc)
		var existing []corev1.ConfigMap
		for _, configMap := range first.ConfigMaps {
			for _, name := range minicluster.KeyConfigMaps(mc) {
				if configMap.Name == name {
					existing = append(existing, *configMap)
				}
			}
		}
		second, err := minicluster.Objects(mc, minicluster.Options{Existing: existing})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text(t, first), text(t, second)); d != "" {
			t.Error(d)
		}
	})
}

func decode(t *testing.T, text string) *api.MiniCluster {
	t.Helper()
	mc := &api.MiniCluster{}
	if err := yaml.UnmarshalStrict([]byte(text), mc); err != nil {
		t.Fatal(err)
	}
	return mc
}

// objects draws the same keys each time.
func objects(t *testing.T, mc *api.MiniCluster) *minicluster.Set {
	t.Helper()
	set, err := minicluster.Objects(mc, minicluster.Options{Rand: rand.NewChaCha8([32]byte{})})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func text(t *testing.T, set *minicluster.Set) string {
	t.Helper()
	var all bytes.Buffer
	for _, o := range set.All() {
		document, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("---\n")
		all.Write(document)
	}
	return all.String()
}
