// Package testkit holds what tests share: txtar cases with -update, a project in a temporary
// module, the pinned jar. Only tests import it.
package testkit

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// Update reports whether -update asks to rewrite what tests expect.
func Update() bool { return *update }

// Case is a txtar file of testdata. Its comment says what it shows, and may have lines
// "FIELD: value".
type Case struct {
	Name string // of the file, without .txtar
	*txtar.Archive
	file string
}

// Cases reads testdata/GLOB. That there is none is an error.
func Cases(t *testing.T, glob string) []*Case {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(glob)))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s: %v", glob, err)
	}
	var all []*Case
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &Case{strings.TrimSuffix(filepath.Base(file), ".txtar"), archive, file})
	}
	return all
}

// Each runs f as a subtest on each case of testdata/GLOB.
func Each(t *testing.T, glob string, f func(t *testing.T, c *Case)) {
	t.Helper()
	for _, c := range Cases(t, glob) {
		t.Run(c.Name, func(t *testing.T) { f(t, c) })
	}
}

// Field returns the rest of the comment's line that starts with name and a colon.
func (c *Case) Field(name string) string { return field(c.Archive, name) }

// Has says whether there is a part of that name.
func (c *Case) Has(name string) bool { return index(c.Archive, name) >= 0 }

// Part returns a part's text, "" if there is no such part.
func (c *Case) Part(name string) string { return string(part(c.Archive, name)) }

// Only fails for a part that is not one of names, or is there twice.
func (c *Case) Only(t *testing.T, names ...string) {
	t.Helper()
	for i, f := range c.Files {
		if !slices.Contains(names, f.Name) || index(c.Archive, f.Name) != i {
			t.Fatalf("%s: unknown or repeated file %q", c.file, f.Name)
		}
	}
}

// Want compares got with a part. A part that is not there wants nothing. With -update it
// rewrites the part, or removes it if got is empty.
func (c *Case) Want(t *testing.T, name, got string) {
	t.Helper()
	want := c.Part(name)
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
		return
	}
	switch i := index(c.Archive, name); {
	case i < 0:
		c.Files = append(c.Files, txtar.File{Name: name, Data: []byte(got)})
	case got == "":
		c.Files = slices.Delete(c.Files, i, i+1)
	default:
		c.Files[i].Data = []byte(got)
	}
	if err := os.WriteFile(c.file, txtar.Format(c.Archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func index(archive *txtar.Archive, name string) int {
	return slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
}

func part(archive *txtar.Archive, name string) []byte {
	if i := index(archive, name); i >= 0 {
		return archive.Files[i].Data
	}
	return nil
}

func field(archive *txtar.Archive, name string) string {
	for line := range bytes.Lines(archive.Comment) {
		if rest, ok := strings.CutPrefix(string(line), name+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
