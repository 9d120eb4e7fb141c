package minicluster_test

import (
	"bytes"
	"cmp"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

const (
	input  = "minicluster.yaml"
	output = "objects.yaml"
)

// TestObjects compares the objects of each MiniCluster in testdata with its golden file, 20 times.
func TestObjects(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, input, output)
		mc := decode(t, c.Part(input))
		before := mc.DeepCopy()
		got := text(t, objects(t, mc))
		c.Want(t, output, got)
		if d := gocmp.Diff(before, mc); d != "" {
			t.Errorf("NewDesired changed the MiniCluster: %s", d)
		}
		for range 19 {
			if again := text(t, objects(t, mc)); again != got {
				t.Fatal(gocmp.Diff(got, again))
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
				t.Errorf("%q has no kind or no name, or is a duplicate", id)
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

// TestShell checks the syntax of the entrypoints with their shells.
func TestShell(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		set := objects(t, decode(t, c.Part(input)))
		scripts := set.ConfigMaps[0].Data
		if len(scripts) == 0 {
			t.Fatal("no entrypoints")
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

// TestExistingKeys: keys that exist do not change, and none is generated.
func TestExistingKeys(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		desired, errs := minicluster.NewDesired(mc)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		for _, configMap := range objects(t, mc).Keys {
			want := configMap.Data
			if err := desired.SetKeys(configMap, want, iotest.ErrReader(io.ErrUnexpectedEOF)); err != nil {
				t.Fatal(err)
			}
			if d := gocmp.Diff(want, configMap.Data); d != "" {
				t.Errorf("%s: %s", configMap.Name, d)
			}
		}
	})
}

// TestMaximumSize: neither the size nor the deadline changes the objects at the maximum size.
func TestMaximumSize(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		mc := decode(t, c.Part(input))
		mc.Status.MaximumSize = minicluster.MaximumSize(mc)
		var want string
		for size := int32(1); size <= mc.Status.MaximumSize+1; size++ {
			mc.Spec.Size, mc.Spec.DeadlineSeconds = size, int64(size)
			desired, errs := minicluster.NewDesired(mc)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			largest := desired.AtMaximumSize()
			if again := largest.AtMaximumSize(); again != largest {
				t.Error("AtMaximumSize() of itself is another one")
			}
			set, err := largest.Objects()
			if err != nil {
				t.Fatal(err)
			}
			if n := *set.Job.Spec.Completions; n != mc.Status.MaximumSize {
				t.Errorf("size %d: %d completions at the maximum size, want %d", size, n, mc.Status.MaximumSize)
			}
			got := text(t, set)
			if want = cmp.Or(want, got); got != want {
				t.Errorf("size %d: %s", size, gocmp.Diff(want, got))
			}
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

// objects builds the objects of a MiniCluster, with the same keys each time.
func objects(t *testing.T, mc *api.MiniCluster) *minicluster.Set {
	t.Helper()
	set, err := build(mc)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func build(mc *api.MiniCluster) (*minicluster.Set, error) {
	desired, errs := minicluster.NewDesired(mc)
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	set, err := desired.Objects()
	if err != nil {
		return nil, err
	}
	random := rand.NewChaCha8([32]byte{})
	for _, configMap := range set.Keys {
		if err := desired.SetKeys(configMap, nil, random); err != nil {
			return nil, err
		}
	}
	return set, nil
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
