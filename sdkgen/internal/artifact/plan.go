package artifact

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"slices"
)

// Plan is what one run would do to the repository. It holds for as long as the
// tree below root is not changed by others; Commit checks what it cheaply can.
type Plan struct {
	old, final *Lock
	running    []string // the stages of this run, sorted
	onDisk     []byte   // the lock file's bytes; nil if there is none
	changes    []Change // of files; the lock is none of them
}

// NewPlan compares set with the tree below root and works out the new lock. old
// is what ReadLock returned; keys has a key for every stage that ran (or was
// clean), even if it made no file. Paths that cannot be written are a diag.List.
func NewPlan(root *os.Root, old *Lock, set *Set, keys map[string]string, opts Options) (*Plan, error) {
	final, err := NewLock(set, keys)
	if err != nil {
		return nil, err
	}
	p := &Plan{old: old, final: final, running: slices.Sorted(maps.Keys(keys))}
	if opts.Partial {
		p.final = old.replace(final, p.running)
	}
	p.final.config = old.config
	if p.onDisk, err = readLockFile(root, old.Path()); err != nil {
		return nil, err
	}
	p.changes, err = compareTree(root, old, set, p.running, opts)
	return p, err
}

// Changes returns every file that the plan changes, the lock file included,
// sorted by path. It is empty if and only if Commit would write nothing.
func (p *Plan) Changes() []Change {
	changes := slices.Clone(p.changes)
	if c, ok := p.lockChange(p.final); ok {
		changes = append(changes, c)
		slices.SortFunc(changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	}
	return changes
}

// Lock returns what the lock holds once the plan is carried out.
func (p *Plan) Lock() *Lock { return p.final }

// lockChange returns the change that turns the lock on disk into l.
func (p *Plan) lockChange(l *Lock) (Change, bool) {
	c := Change{Path: l.Path(), Kind: Modified, Old: p.onDisk, OldMode: fileMode, New: l.Encode(), Mode: fileMode,
		Origin: "lock"}
	if p.onDisk == nil {
		c.Kind, c.OldMode = Added, 0
	}
	return c, !bytes.Equal(c.Old, c.New)
}

// dropped returns the paths that the old lock lists and the final one does
// not, whether or not they are on disk.
func (p *Plan) dropped() []string {
	var paths []string
	for e := range p.old.All() {
		if _, ok := p.final.Lookup(e.Path); !ok {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// grows tells if the plan lists a path that the old lock does not: then the
// interim lock has to be written before the file is.
func (p *Plan) grows() bool {
	for e := range p.final.All() {
		if _, ok := p.old.Lookup(e.Path); !ok {
			return true
		}
	}
	return false
}

// of returns the changes of the given kinds.
func (p *Plan) of(kinds ...ChangeKind) []Change {
	var changes []Change
	for _, c := range p.changes {
		if slices.Contains(kinds, c.Kind) {
			changes = append(changes, c)
		}
	}
	return changes
}
