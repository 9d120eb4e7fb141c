package prove_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/report"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
	"github.com/flux-framework/flux-operator/sdkgen/internal/project"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// callersProject is what the cases of TestCallers have in common.
const callersProject = `
-- sdkgen.yaml --
version: 1.0.0
apis:
  - path: api/v1
python:
  dir: sdk/python
  package: widget
go:
  dir: sdk/go
  package: widget
-- api/v1/doc.go --
// Package v1 is an API.
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=example.org
package v1
`

// TestCallers changes the types of a project, api/v1/types.go, from "old" to "now", and other files from "old/FILE" to
// "now/FILE". "want" is the report, as far as it is for callers. Each program in it works with the
// SDKs of the old types, which are generated, and fails with those of the new ones; and each verdict "breaking" for
// Python or Go has such a program.
func TestCallers(t *testing.T) {
	universe := testkit.NewUniverse(testkit.Project(t, txtar.Parse([]byte(callersProject))))
	testkit.Each(t, "callers/*.txtar", func(t *testing.T, c *testkit.Case) {
		root := testkit.Project(t, txtar.Parse([]byte(callersProject)))
		old, now := surfaceAt(t, root, c, "old"), surfaceAt(t, root, c, "now")
		changes, err := report.New("before", old, now, true)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := changes.Text(&b, true, true); err != nil {
			t.Fatal(err)
		}
		c.Want(t, "want", forCallers(b.String()))
		programs := callersOf(t, changes)
		for _, side := range []string{"old", "now"} {
			write(t, root, c, side)
			generate(t, root)
			failed := run(t, universe, root, programs)
			for n, program := range programs {
				if message, failed := failed[n]; failed != (side == "now") {
					t.Errorf("%s: a program for %s fails: %v: %s\n%s", side, program.Audience, failed, message, program.Program)
				}
			}
		}
	})
}

// forCallers leaves out of a report what it tells of objects.
func forCallers(text string) string {
	var b strings.Builder
	witness := false
	for line := range strings.Lines(text) {
		witness = line == "    witness:\n" || witness && strings.HasPrefix(line, "      ")
		if !witness && !strings.HasPrefix(line, "    stored objects: ") && !strings.HasPrefix(line, "    manifests: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// callersOf returns the programs of a report, and tells of those that are missing.
func callersOf(t *testing.T, changes *report.Report) []compare.Caller {
	t.Helper()
	var all []compare.Caller
	for _, change := range changes.Changes {
		for _, who := range []compare.Audience{compare.Python, compare.Go} {
			found := false
			for _, caller := range change.Callers {
				if caller.Audience == who.String() {
					all, found = append(all, caller), true
				}
			}
			if change.Effects[who].Verdict == compare.Breaking && !found {
				t.Errorf("%s (%s): no program shows that it is breaking for %s", change.Place.Path, change.Rule, who)
			}
		}
		if !change.Pos.IsValid() {
			t.Errorf("%s (%s) has no position", change.Place.Path, change.Rule)
		}
	}
	if len(all) == 0 {
		t.Error("the report has no program")
	}
	return all
}

func open(t *testing.T, root string) *project.Project {
	t.Helper()
	p, err := project.Open(stage.Environment{Root: root, Environ: testkit.Offline(), TempDir: t.TempDir(),
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// write writes one side of a case into the project, in the place of the other.
func write(t *testing.T, root string, c *testkit.Case, side string) {
	t.Helper()
	for _, f := range c.Files {
		name, mine := strings.CutPrefix(f.Name, side+"/")
		switch {
		case f.Name == side:
			name, mine = "api/v1/types.go", true
		case !mine && strings.Contains(f.Name, "/"):
			_, name, _ = strings.Cut(f.Name, "/")
			if c.Has(side + "/" + name) {
				continue
			}
			if err := os.RemoveAll(filepath.Join(root, filepath.FromSlash(path.Dir(name)))); err != nil {
				t.Fatal(err)
			}
		}
		if mine {
			testkit.Write(t, root, name, f.Data)
		}
	}
}

func surfaceAt(t *testing.T, root string, c *testkit.Case, side string) *surface.Surface {
	t.Helper()
	write(t, root, c, side)
	p := open(t, root)
	surface, err := p.Surface(context.Background())
	if err := errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
	return surface
}

func generate(t *testing.T, root string) {
	t.Helper()
	p := open(t, root)
	plan, err := p.Plan(t.Context(), project.Options{})
	if err == nil {
		err = p.Commit(t.Context(), plan)
	}
	if err := errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
}

// run returns why programs fail, by their index.
func run(t *testing.T, universe *testkit.Universe, root string, programs []compare.Caller) map[int]string {
	t.Helper()
	packages := universe.Project(root)
	packages.CheckAll(t, "api", "sdk")
	failed := map[int]string{}
	for i, program := range programs {
		failure := ""
		if program.Audience == compare.Python.String() {
			failure = testkit.Python(t, filepath.Join(root, "sdk", "python"), program.Program)
		} else if _, err := packages.Check("caller", map[string][]byte{"caller.go": []byte(program.Program)}); err != nil {
			failure = err.Error()
		}
		if failure != "" {
			failed[i] = failure
		}
	}
	return failed
}
