package minicluster_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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
			if strings.HasSuffix(name, ".txt") {
				continue // the packages of the Flux RESTful API
			}
			line, _, _ := strings.Cut(script, "\n")
			check := []string{strings.TrimPrefix(line, "#!"), "-n"}
			if strings.HasSuffix(name, ".py") {
				check = []string{"python3", "-m", "py_compile"}
			}
			file := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(check[0], append(check[1:], file)...).CombinedOutput(); err != nil {
				t.Errorf("%s %s: %v\n%s", check, name, err, out)
			}
		}
	})
}

// TestKeyNames: the names of the Secrets differ between MiniClusters that have had the same name, and
// between sets of keys; without a UID they are plain.
func TestKeyNames(t *testing.T) {
	names := func(uid types.UID, users string) string {
		t.Helper()
		mc := decode(t, `{metadata: {name: x, namespace: lab}, spec: {containers: [{command: a}], users: `+users+`}}`)
		mc.UID = uid
		var all []string
		for _, secret := range objects(t, mc).Keys {
			all = append(all, secret.Name)
		}
		return strings.Join(all, " ")
	}
	if got, want := names("", "[{name: ada}]"), "x-curve x-munge x-flux-restful"; got != want {
		t.Errorf("without a UID the Secrets are %q, want %q", got, want)
	}
	seen := map[string]string{}
	for _, uid := range []types.UID{"1", "2"} {
		for _, users := range []string{"[{name: ada}]", "[{name: bob}]", "[{name: ada}, {name: bob}]"} {
			last := names(uid, users)
			last = last[strings.LastIndex(last, " "):]
			id := string(uid) + users
			if other, ok := seen[last]; ok {
				t.Errorf("%s has the Secret %s of %s", id, last, other)
			}
			seen[last] = id
			if again := names(uid, strings.ReplaceAll(users, "}", ", password: x}")); !strings.HasSuffix(again, last) {
				t.Errorf("%s: a password changes the name of its Secret: %s, %s", id, last, again)
			}
		}
	}
}

// TestPrivate: generated keys are in immutable Secrets, whose files only root can read, and nowhere else.
func TestPrivate(t *testing.T) {
	testkit.Each(t, "*.txtar", func(t *testing.T, c *testkit.Case) {
		set := objects(t, decode(t, c.Part(input)))
		var values []string
		for _, secret := range set.Keys {
			if secret.Type != corev1.SecretTypeOpaque || secret.Immutable == nil || !*secret.Immutable || len(secret.Data) == 0 {
				t.Errorf("%s: %+v", secret.Name, secret)
			}
			for _, value := range secret.Data {
				if !strings.Contains(c.Part(input), string(value)) { // it was generated
					values = append(values, string(value), base64.StdEncoding.EncodeToString(value))
				}
			}
		}
		set.Keys = nil
		all := text(t, set)
		for _, value := range values {
			if strings.Contains(all, value) {
				t.Errorf("%q is not only in a Secret", value)
			}
		}
		mounted := 0
		for _, volume := range set.Job.Spec.Template.Spec.Volumes {
			if volume.Secret == nil || !strings.HasPrefix(volume.Name, "flux-operator-") {
				continue
			}
			mounted++
			want := int32(0o400)
			if c.Name == "restricted" { // the entrypoint reads them as a member of the group of root
				want = 0o440
			}
			if mode := volume.Secret.DefaultMode; mode == nil || *mode != want {
				t.Errorf("%s: mode %v, want %#o", volume.Name, mode, want)
			}
		}
		if mounted == 0 {
			t.Error("no Secret is mounted")
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
	for _, secret := range set.Keys {
		if err := desired.SetKeys(secret, random); err != nil {
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
