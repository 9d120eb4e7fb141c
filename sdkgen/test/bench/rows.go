package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// row is one thing that is measured: what sdkgen does, and what the classic recipe does for it.
type row struct {
	table   string
	name    string
	rounds  int                   // at most so many; 0 is all
	cold    bool                  // not run once before the clock starts
	prepare func(round int) error // comes before each run, and is not measured
	ours    []step                // sdkgen
	classic []step                // the other side: the classic recipe, but in the table of others
	like    string                // where there is no other side: the row whose other side has to do the same
	size    func() (int, error)   // how large what sdkgen works on is, once it is measured; nil where it is no matter
}

// The tables, in the order in which they are measured.
const (
	warmTable     = "warm"
	coldTable     = "cold"
	typesTable    = "types"
	packagesTable = "packages"
	othersTable   = "others"
)

// Rows that others, or limits, are held against.
const (
	fullRow      = "everything but code-generator's clients"
	clientsRow   = "everything, with clientset, listers, informers, applyconfiguration"
	jarRow       = fullRow + ", by openapi-generator's jar"
	allJarRow    = clientsRow + ", by openapi-generator's jar"
	unchangedRow = "nothing changed"
	copyRow      = "nothing changed, in a fresh copy of the project"
	commentRow   = "one comment changed"
	fieldRow     = "one field added"
	verifyRow    = "verify"
	lockRow      = "verify --lock"
)

// warm are the runs of every day, with all caches filled. The two edits are made on both sides.
func (p *place) warm() []row {
	both := func(edit func(string, int) error) func(int) error {
		return func(round int) error {
			return errors.Join(edit(filepath.Join(p.ours, apiDir), round), edit(filepath.Join(p.old, apiDir), round))
		}
	}
	all := slices.Concat(p.recipe(), p.clients())
	sdkgen := func(args ...string) []step { return []step{p.sdkgen(p.ours, args...)} }
	fresh := filepath.Join(p.tmp, "fresh")
	copied := func(int) error { return errors.Join(os.RemoveAll(fresh), os.CopyFS(fresh, os.DirFS(p.ours))) }
	return []row{
		{name: fullRow, ours: sdkgen("generate", "--force", "--only", "deepcopy,crd,openapi,swagger,python,go"),
			classic: p.recipe()},
		{name: clientsRow, ours: sdkgen("generate", "--force"), classic: all},
		{name: jarRow, ours: sdkgen("generate", "--force", "--engine=openapi-generator", "--only",
			"deepcopy,crd,openapi,swagger,python,go"), like: fullRow},
		{name: allJarRow, ours: sdkgen("generate", "--force", "--engine=openapi-generator"), like: clientsRow},
		{name: unchangedRow, ours: sdkgen("generate"), like: clientsRow},
		{name: copyRow, prepare: copied, ours: []step{p.sdkgen(fresh, "generate")}, like: clientsRow},
		{name: verifyRow, ours: sdkgen("verify"), like: clientsRow},
		{name: lockRow, ours: sdkgen("verify", "--lock"), like: clientsRow},
		{name: commentRow, rounds: 3, prepare: both(changeComment), ours: sdkgen("generate"), classic: all},
		{name: fieldRow, rounds: 3, prepare: both(addField), ours: sdkgen("generate"), classic: all},
	}
}

// cold are runs with the modules there, but with an empty build cache on each side.
func (p *place) cold() []row {
	caches := [2]string{filepath.Join(p.tmp, "cache-a"), filepath.Join(p.tmp, "cache-b")}
	empty := func(int) error { return errors.Join(os.RemoveAll(caches[0]), os.RemoveAll(caches[1])) }
	in := func(cache string, steps ...step) []step {
		for i := range steps {
			steps[i].env = []string{"GOCACHE=" + cache}
		}
		return steps
	}
	elsewhere := filepath.Join(p.tmp, "cold")
	generate := p.sdkgen(p.ours, "generate", "--force")
	all := slices.Concat(p.recipe(), p.clients())
	return []row{
		{name: "the programs are there", rounds: 2, cold: true, prepare: empty, ours: in(caches[0], generate),
			classic: in(caches[1], slices.Clone(all)...)},
		{
			name: "the programs are built too", rounds: 1, cold: true, prepare: empty,
			ours:    in(caches[0], p.build(elsewhere, sdkgenPrograms), generate),
			classic: in(caches[1], append([]step{p.build(elsewhere, classicPrograms)}, all...)...),
		},
	}
}
