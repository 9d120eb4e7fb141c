package artifact

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
)

// Diff returns what would have to change below root to make it hold set, in
// the order of the paths: files that are missing, that differ in bytes or in
// the executable bit, and orphans, which are the files that old lists and set
// lacks. It reads only. What stands in the way is a *RefusedError with all of
// it: a hand-written file (one that old does not list and that differs), a
// symbolic link, a file where a directory must go or the reverse, and, in a
// partial run, a file of a stage outside the run.
func Diff(root *os.Root, old *Lock, set *Set, opts ...Option) ([]Change, error) {
	d := &differ{
		tree: newTree(root), old: old,
		orphans: map[string]Entry{}, folded: map[string]string{}, homes: map[string]bool{},
	}
	for _, opt := range opts {
		opt(&d.options)
	}
	for e := range old.All() {
		if _, ok := set.Lookup(e.Path); ok || !d.covers(e.Stage) {
			continue
		}
		d.orphans[e.Path] = e
		d.folded[fold(e.Path)] = e.Path
		for up := range parents(e.Path) {
			d.homes[up] = true
		}
	}
	for f := range set.All() {
		if err := d.file(f); err != nil {
			return nil, err
		}
	}
	for e := range old.All() {
		if _, ok := d.orphans[e.Path]; !ok {
			continue
		}
		if err := d.orphan(e); err != nil {
			return nil, err
		}
	}
	if len(d.refused) > 0 {
		slices.SortStableFunc(d.refused, func(a, b Refusal) int { return cmp.Compare(a.Path, b.Path) })
		same := func(a, b Refusal) bool { return a.Path == b.Path }
		return nil, &RefusedError{Refusals: slices.CompactFunc(d.refused, same)}
	}
	slices.SortFunc(d.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return d.changes, nil
}

type differ struct {
	*tree
	options
	old     *Lock
	orphans map[string]Entry
	folded  map[string]string // folded path of an orphan -> its path
	homes   map[string]bool   // the directories that orphans are or were in
	changes []Change
	refused []Refusal
}

func (d *differ) refuse(p, hint, reason string, args ...any) {
	d.refused = append(d.refused, Refusal{Path: p, Reason: fmt.Sprintf(reason, args...), Hint: hint})
}

const (
	hintMove  = "move it away"
	hintAdopt = "move it away or run `sdkgen generate --adopt`"
	hintLink  = "replace it by what it points to, or remove it"
	hintOnly  = "run all stages together"
)

// file compares one file of the set with the disk.
func (d *differ) file(f File) error {
	listed, ours := d.old.Lookup(f.Path)
	switch {
	case !d.covers(f.Origin):
		return fmt.Errorf("comparing %q: its stage %q is none of this run", f.Path, f.Origin)
	case ours && !d.covers(listed.Stage):
		d.refuse(f.Path, hintOnly, "is made by stage %q now and was by stage %q, which is not part of this run", f.Origin, listed.Stage)
		return nil
	}
	n, err := d.look(f.Path)
	if err != nil {
		return err
	}
	switch n.kind {
	case absent:
		d.add(f)
	case regular:
		return d.compare(f, n, ours)
	case folder:
		return d.overFolder(f)
	case blocked:
		if _, ok := d.orphans[n.at]; ok {
			d.add(f)
		} else {
			d.refuse(n.at, hintMove, "is a file where the directory of %q must go", f.Path)
		}
	default:
		d.refuse(n.at, hintLink, "is a %s, and sdkgen writes %q there", n.kind, f.Path)
	}
	return nil
}

func (d *differ) add(f File) {
	d.changes = append(d.changes, Change{Path: f.Path, Kind: Added, New: f.Data, Mode: f.Mode, Origin: f.Origin})
}

func (d *differ) compare(f File, n node, ours bool) error {
	renamed, err := d.renamed(f.Path, n)
	if err != nil {
		return err
	}
	if renamed {
		d.add(f)
		return nil
	}
	data, err := d.read(f.Path)
	if err != nil {
		return err
	}
	same, mode := bytes.Equal(data, f.Data), modeOf(n.info, f.Mode)
	switch {
	case same && mode == f.Mode:
	case !same && !ours && !d.adopt:
		d.refuse(f.Path, hintAdopt, "exists and was not written by sdkgen")
	default:
		d.changes = append(d.changes, Change{Path: f.Path, Kind: Modified, Old: data, New: f.Data, OldMode: mode, Mode: f.Mode, Origin: f.Origin})
	}
	return nil
}

// renamed tells if p, found on disk as n, is really an orphan of which only the
// case changes, on a file system that ignores case. Such an orphan is deleted
// before p is written; the other order would delete p.
func (d *differ) renamed(p string, n node) (bool, error) {
	orphan, ok := d.folded[fold(p)]
	if !ok {
		return false, nil
	}
	o, err := d.look(orphan)
	return err == nil && o.kind == regular && os.SameFile(n.info, o.info), err
}

// overFolder handles a directory where the file f must go: it may go if all that
// is in it are orphans.
func (d *differ) overFolder(f File) error {
	foreign, err := d.foreign(f.Path)
	switch {
	case err != nil:
		return err
	case foreign == f.Path:
		d.refuse(f.Path, hintMove, "is an empty directory where a file must go")
	case foreign != "":
		d.refuse(f.Path, hintMove, "is a directory where a file must go, with %q in it", foreign)
	default:
		d.add(f)
	}
	return nil
}

// foreign returns something in the directory dir that is neither an orphan nor a
// leftover: dir itself if it is empty and never had an orphan in it.
func (d *differ) foreign(dir string) (string, error) {
	names, err := d.list(dir)
	if err != nil || !d.homes[dir] && len(names) == 0 {
		return dir, err
	}
	for _, name := range names {
		p := path.Join(dir, name)
		n, err := d.look(p)
		if err != nil {
			return "", err
		}
		found := p
		if _, ok := d.orphans[p]; ok && n.kind == regular || n.kind == regular && isTemp(name) {
			continue
		} else if n.kind == folder {
			found, err = d.foreign(p)
		}
		if found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// orphan records that a file is to be deleted, if it is there.
func (d *differ) orphan(e Entry) error {
	n, err := d.look(e.Path)
	if err != nil {
		return err
	}
	switch n.kind {
	case absent, folder, blocked: // the file is gone
	case regular:
		data, err := d.read(e.Path)
		if err != nil {
			return err
		}
		d.changes = append(d.changes, Change{Path: e.Path, Kind: Deleted, Old: data, OldMode: modeOf(n.info, e.mode()), Origin: e.Stage})
	default:
		d.refuse(n.at, hintLink, "is a %s, and sdkgen deletes %q there", n.kind, e.Path)
	}
	return nil
}
