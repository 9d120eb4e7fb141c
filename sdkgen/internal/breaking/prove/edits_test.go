package prove_test

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/prove"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var (
	edits = flag.Int("edits", 0, "number of edits that TestEdits makes; by default 3, or 12 in make test-all")
	seed  = flag.Uint64("seed", 0, "seed of TestEdits; by default 1, or another in each run of make test-all")
)

// TestEdits edits the MiniCluster types at random. No random object that was valid may be refused, or lose a value,
// at a place of which the report tells no change that is risky or breaking, and whatever it calls breaking for
// objects has a witness.
func TestEdits(t *testing.T) {
	if *edits == 0 {
		*edits = 3
		if testkit.All() {
			*edits = 12
		}
	}
	if *seed == 0 {
		*seed = 1
		if testkit.All() {
			*seed = uint64(time.Now().UnixNano())
		}
	}
	t.Logf("-seed=%d", *seed)
	random := rand.New(rand.NewPCG(*seed, *seed))
	sources := types(t)
	root := testkit.Project(t, txtar.Parse([]byte("-- sdkgen.yaml --\nversion: 0.1.0\napis:\n  - path: api/v1alpha1\n"+
		"python:\n  dir: python\n  package: minicluster\n")))
	old, err := surfaceOf(t, root, sources)
	if err != nil {
		t.Fatal(err)
	}
	var refused, changed, undecided, objects int
	for range *edits {
		edited, what := edit(random, sources)
		now, err := surfaceOf(t, root, edited)
		if err != nil {
			t.Logf("refused: %s: %.300v", what, err)
			refused++
			continue
		}
		changes, err := report.New("before", old, now, false)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		changed += len(changes.Changes)
		for _, change := range changes.Changes {
			worst := max(change.Effects[compare.Stored].Verdict, change.Effects[compare.Manifests].Verdict)
			if worst == compare.Breaking && change.Witness == nil {
				t.Errorf("%s: %s is breaking, and has no witness", what, change.Place.Path)
			}
			if worst == compare.Risky {
				undecided++
			}
		}
		valid, unreported, err := prove.Unreported(changes.Changes, old, now, 150, *seed)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		objects += valid
		for _, found := range unreported {
			t.Errorf("%s: not told: %s", what, found)
		}
	}
	t.Logf("%d edits, of which sdkgen refuses %d; %d changes, %d of them risky for objects; %d valid objects", *edits,
		refused, changed, undecided, objects)
	if objects == 0 && *edits > refused {
		t.Error("no object was valid")
	}
}

// types returns the MiniCluster types by file name, without what is generated.
func types(t *testing.T) map[string]string {
	t.Helper()
	dir := filepath.Join(testkit.Repository, "api", "v1alpha1")
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no types in %s: %v", dir, err)
	}
	sources := map[string]string{}
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_types.go") || name == "doc.go" {
			sources[name] = string(testkit.Read(t, file))
		}
	}
	return sources
}

// surfaceOf writes the types into the project and returns their surface.
func surfaceOf(t *testing.T, root string, sources map[string]string) (_ *surface.Surface, err error) {
	t.Helper()
	for name, data := range sources {
		testkit.Write(t, root, "api/v1alpha1/"+name, []byte(data))
	}
	project, err := project.Open(stage.Environment{Root: root, Environ: testkit.Offline(), TempDir: t.TempDir(),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := project.Close(); err != nil {
			t.Error(err)
		}
	}()
	return project.Surface(context.Background())
}
