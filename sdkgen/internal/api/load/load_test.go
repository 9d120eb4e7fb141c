package load_test

import (
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestLoad loads the projects in testdata/load/*.txtar. The first line says what the case
// shows, "apis:" names the packages, api/v1 where it is missing, and "env:" adds to the
// environment; "foreign:" names packages of other modules. "want" is the error, or what was found.
func TestLoad(t *testing.T) {
	eachCase(t, "load/*.txtar", func(t *testing.T, root string, c *testkit.Case) string {
		res, err := load.Load(context.Background(), load.Options{Root: root,
			Env: append(testkit.Offline(), strings.Fields(c.Field("env"))...), Dirs: dirs(c), Foreign: foreign(c)})
		if err == nil {
			err = res.Problems()
		}
		if err != nil {
			text := err.Error() + "\n"
			if strings.Contains(text, root) {
				t.Errorf("the message has the project's absolute path:\n%s", text)
			}
			return text
		}
		var b strings.Builder
		for _, pkg := range res.Packages {
			fmt.Fprintf(&b, "%s: package %s %q, group %q %q, version %q\n", pkg.Dir, pkg.Name, pkg.Path, pkg.Group,
				pkg.GroupGoName, pkg.Version)
			if pkg.Foreign {
				fmt.Fprintf(&b, "\tin %s\n", pkg.SourceDir)
			}
			for _, kind := range pkg.Kinds {
				fmt.Fprintf(&b, "\tkind %s list=%t\n", kind.Name, kind.List)
			}
		}
		for _, d := range res.Warnings {
			b.WriteString(d.String() + "\n")
		}
		return b.String()
	})
}

// TestPos loads the projects in testdata/pos/*.txtar and asks for the positions that the
// comments "// @ QUERY …" in them name: Type, Type.Field, Type#property, or ? and one of these
// for what must not be found. Each must be the line of its comment.
func TestPos(t *testing.T) {
	eachCase(t, "pos/*.txtar", func(t *testing.T, root string, c *testkit.Case) string {
		res, err := load.Load(context.Background(), load.Options{Root: root, Env: testkit.Offline(), Dirs: dirs(c)})
		if err != nil {
			t.Fatal(err)
		}
		pkg := res.Packages[0].Path
		var b strings.Builder
		for _, f := range c.Files {
			for i, line := range strings.Split(string(f.Data), "\n") {
				_, queries, _ := strings.Cut(line, "// @ ")
				for _, query := range strings.Fields(queries) {
					pos := ask(res, pkg, strings.TrimPrefix(query, "?"))
					fmt.Fprintf(&b, "%s %s\n", query, pos)
					if strings.HasPrefix(query, "?") == pos.IsValid() || pos.IsValid() && (pos.Filename != f.Name || pos.Line != i+1) {
						t.Errorf("%s:%d: %s is at %v", f.Name, i+1, query, pos)
					}
				}
			}
		}
		return b.String()
	})
}

func ask(res *load.Result, pkg, query string) token.Position {
	if typeName, property, ok := strings.Cut(query, "#"); ok {
		return res.PropertyPos(pkg, typeName, property)
	}
	typeName, field, _ := strings.Cut(query, ".")
	return res.Pos(pkg, typeName, field)
}

func TestByPath(t *testing.T) {
	var res load.Result
	if pkg := res.ByPath("example.org/none"); pkg != nil {
		t.Errorf("ByPath = %v", pkg)
	}
	if pos := res.Pos("example.org/none", "T", "F"); pos.IsValid() {
		t.Errorf("Pos = %v", pos)
	}
}

// TestLoadLink loads a project whose root is reached through a symbolic link.
func TestLoadLink(t *testing.T) {
	c := testkit.Cases(t, "load/undefined-type.txtar")[0]
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(testkit.Project(t, c.Archive), link); err != nil {
		t.Skip(err)
	}
	_, err := load.Load(context.Background(), load.Options{Root: link, Env: testkit.Offline(), Dirs: dirs(c)})
	if want := c.Part("want"); err == nil || err.Error()+"\n" != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLoadCanceled: a run that is stopped says so.
func TestLoadCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := testkit.Cases(t, "load/ok.txtar")[0]
	_, err := load.Load(ctx, load.Options{Root: testkit.Project(t, c.Archive), Env: testkit.Offline(), Dirs: dirs(c)})
	if err == nil || !strings.Contains(err.Error(), "context canceled") {
		t.Errorf("error %v", err)
	}
}
