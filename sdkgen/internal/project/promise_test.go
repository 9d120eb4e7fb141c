package project

import (
	"io"
	"log/slog"
	"os"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project/order"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestForgedLock edits an output and writes the lock that goes with it, seals included: generate skips the stage and
// verify --lock is content, as documented, but the plan of verify has the difference.
func TestForgedLock(t *testing.T) {
	archive := &txtar.Archive{}
	for _, name := range []string{"sdkgen.yaml", "api/v1/doc.go", "api/v1/types.go", "api/v1/part.go",
		"api/v1/register.go"} {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: testkit.Read(t, "../cli/testdata/project/"+name)})
	}
	root := testkit.Project(t, archive)
	inProject(t, root, func(p *Project) {
		plan, err := p.Plan(t.Context(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Commit(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
	})
	const crd = "config/crd/example.org_widgets.yaml"
	testkit.Write(t, root, crd, append(testkit.Read(t, root+"/"+crd), "# edited\n"...))
	inProject(t, root, func(p *Project) { forge(t, p) })
	inProject(t, root, func(p *Project) {
		if list, err := p.Drift(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("verify --lock: %v, %v", list, err)
		}
		for force, want := range map[bool]int{false: 0, true: 2} { // the file and the lock
			plan, err := p.Plan(t.Context(), Options{Force: force})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(plan.Changes()); got != want {
				t.Errorf("force %t: %d changes, want %d", force, got, want)
			}
		}
	})
}

func inProject(t *testing.T, root string, do func(*Project)) {
	t.Helper()
	p, err := Open(stage.Environment{Root: root, Environ: testkit.Offline(), TempDir: t.TempDir(),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	do(p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

// forge writes the lock that would stand if the stages had made the files that are in the tree.
func forge(t *testing.T, p *Project) {
	t.Helper()
	set, keys, b := &artifact.Set{}, map[string]string{}, order.New(p.in, false, false)
	for _, s := range b.Enabled() {
		target := &artifact.Set{}
		for e := range p.in.Lock.Files(s.Name) {
			if err := target.Put(artifact.File{Path: e.Path, Data: testkit.Read(t, p.in.Env.Root+"/"+e.Path),
				Origin: e.Stage}); err != nil {
				t.Fatal(err)
			}
		}
		b.Run.Sets[s.Name] = target
		key, err := b.Run.KeyOf(s)
		if err != nil {
			t.Fatal(err)
		}
		keys[s.Name] = key
		if err := set.Merge(target); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := artifact.NewLock(set, keys)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.in.Env.Root+"/"+artifact.LockName, lock.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
}
