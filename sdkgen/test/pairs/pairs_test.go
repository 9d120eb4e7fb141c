// Package pairs compares published versions of other people's APIs: with `sdkgen breaking`, whose witnesses are checked
// again here, and with crdify. The tables in docs/use/breaking.md hold what is found.
package pairs

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var (
	slow = flag.Bool("slow", false, "compare the large APIs, too, and run crdify")
)

// pair is two versions of an API; testdata/pairs.yaml has all.
type pair struct {
	Name, Module, Old, Now string
	// Packages are the import paths of the API packages by their directories. Before are those of the old version, if
	// they were others.
	Packages, Before map[string]string
	Names            map[string]string // swagger.names of sdkgen.yaml
	Embedded         bool              // crd.generateEmbeddedObjectMeta of sdkgen.yaml, as in the API's own Makefile
	Slow             string            // the reason why the pair is only compared with -slow
	Note             string            // for the table
	Wants            []want
}

// want is a change that must be found.
type want struct {
	Path, Rule string
	// Breaking and Risky are the audiences for whom it is that.
	Breaking, Risky []string
}

// change is one of the JSON that sdkgen prints.
type change struct {
	File                string
	Line                int
	Rule, Version, Path string
	Others              []string
	Verdict, Change     string
	Effects             []struct{ Audience, Verdict, Reason string }
	Witness             *struct {
		Object map[string]any
		Now    []string
	}
}

// verdict is that of an audience.
func (c *change) verdict(audience string) string {
	for _, effect := range c.Effects {
		if effect.Audience == audience {
			return effect.Verdict
		}
	}
	return ""
}

// objects is the worse of the verdicts for stored objects and manifests.
func (c *change) objects() string {
	for _, verdict := range []string{"breaking", "risky"} {
		if c.verdict("stored objects") == verdict || c.verdict("manifests") == verdict {
			return verdict
		}
	}
	return "compatible"
}

// paths are all at which the change is.
func (c *change) paths() []string { return append([]string{c.Path}, c.Others...) }

func (c *change) String() string {
	return fmt.Sprintf("%s (%s): %s (%s)", c.Path, c.Version, c.Change, c.Rule)
}

// row is what the tables say of a pair.
type row struct {
	*pair
	changes   []*change
	witnesses int // that were checked
	seconds   seconds
	crdify    *overlap
}

// TestPairs compares each pair.
func TestPairs(t *testing.T) {
	testkit.NeedAll(t)
	sdkgen := filepath.Join(t.TempDir(), "sdkgen")
	run(t, "../..", "go", "build", "-o", sdkgen, ".")
	crdify := ""
	if *slow {
		crdify = buildCrdify(t)
	}
	var rows []row
	for _, p := range pairs(t) {
		t.Run(p.Name+"_"+p.Now, func(t *testing.T) {
			if p.Slow != "" && !*slow {
				t.Skipf("only with -slow, as in `make test-all ONLY=pairs`: %s", p.Slow)
			}
			rows = append(rows, p.test(t, sdkgen, crdify))
		})
	}
	t.Log("\n" + countTable(rows) + timeTable(rows) + crdifyTable(rows))
	if !t.Failed() {
		publish(t, rows)
	}
}

func pairs(t *testing.T) []*pair {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "pairs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*pair
	if err := yaml.UnmarshalStrict(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// test compares a pair in scratch projects.
func (p *pair) test(t *testing.T, sdkgen, crdify string) row {
	now, old := p.project(t, p.Now, p.Packages), p.project(t, p.Old, p.Packages)
	against := p.Module + "@" + p.Old
	if p.Before != nil {
		old = p.project(t, p.Old, p.Before)
		against = old
	}
	got := row{pair: p}
	run(t, old, sdkgen, "generate", "--only", "crd")
	run(t, now, sdkgen, "generate", "--force")
	before := files(t, now)
	got.seconds = p.measure(t, now, sdkgen, against, &got.changes)
	if after := files(t, now); !slices.Equal(before, after) {
		t.Errorf("the project had the files %q, and has %q", before, after)
	}
	got.witnesses = checkWitnesses(t, got.changes, readCRDs(t, old), readCRDs(t, now))
	p.check(t, got.changes)
	if crdify != "" {
		got.crdify = compareCrdify(t, crdify, old, now, got.changes)
	}
	return got
}

// check holds the changes against what must be found, and asks for a position of each that is not compatible.
func (p *pair) check(t *testing.T, changes []*change) {
	t.Helper()
	for _, c := range changes {
		if c.Verdict != "compatible" && (c.File == "" || c.Line == 0) {
			t.Errorf("no position: %s", c)
		}
	}
	for _, w := range p.Wants {
		i := slices.IndexFunc(changes, func(c *change) bool { return c.Rule == w.Rule && slices.Contains(c.paths(), w.Path) })
		if i < 0 {
			t.Errorf("not found: %s (%s)", w.Path, w.Rule)
			continue
		}
		for verdict, audiences := range map[string][]string{"breaking": w.Breaking, "risky": w.Risky} {
			for _, audience := range audiences {
				if got := changes[i].verdict(audience); got != verdict {
					t.Errorf("%s for %s, not %s: %s", got, audience, verdict, changes[i])
				}
			}
		}
	}
}

// decode reads what sdkgen prints.
func decode(t *testing.T, data []byte) []*change {
	t.Helper()
	var out struct{ Changes []*change }
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v\n%.500s", err, data)
	}
	return out.Changes
}

// files lists the files of a directory.
func files(t *testing.T, root string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(name string, _ os.DirEntry, err error) error {
		names = append(names, strings.TrimPrefix(name, root))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
