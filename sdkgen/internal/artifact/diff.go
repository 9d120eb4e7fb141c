package artifact

import (
	"bytes"
	"cmp"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// compareTree returns the changes that make the tree below root hold set, sorted by
// path: files that are missing, that differ in bytes or in the executable bit,
// and orphans, which are the files that old lists and set lacks. It only reads.
// Every path that cannot be written is a diagnostic: a hand-written file (one
// that old does not list and that differs), a symbolic link, a file where a
// directory must go or the reverse, and, in a partial run, a file of a stage
// outside the run.
func compareTree(root *os.Root, old *Lock, set *Set, stages []string, opts Options) ([]Change, error) {
	owners, err := owners(root, old.Path())
	if err != nil {
		return nil, err
	}
	d := &differ{
		owners: owners, tree: newTree(root), old: old, opts: opts, stages: stages,
		orphans: map[string]Entry{}, folded: map[string]string{}, homes: map[string]bool{},
	}
	for e := range old.All() {
		if _, ok := set.Lookup(e.Path); ok || !d.covers(e.Stage) || slices.Contains(opts.Released, e.Path) ||
			owners[fold(e.Path)] != "" {
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
	if err := d.blocked.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(d.changes, func(a, b Change) int { return cmp.Compare(a.Path, b.Path) })
	return d.changes, nil
}

type differ struct {
	*tree
	opts    Options
	stages  []string // of this run
	old     *Lock
	owners  map[string]string // see the function
	orphans map[string]Entry
	folded  map[string]string // folded path of an orphan -> its path
	homes   map[string]bool   // the directories that orphans are or were in
	changes []Change
	blocked diag.List // paths that cannot be written; one diagnostic each
}

// covers tells if a stage is part of the run.
func (d *differ) covers(stage string) bool {
	return !d.opts.Partial || slices.Contains(d.stages, stage)
}

// block reports a path that cannot be written or deleted, unless it is reported already.
func (d *differ) block(p, hint, format string, args ...any) {
	if !slices.ContainsFunc(d.blocked, func(b diag.Diagnostic) bool { return b.Pos.Filename == p }) {
		d.blocked.Add(token.Position{Filename: p}, "output", hint, format, args...)
	}
}

const (
	hintMove  = "move it away"
	hintAdopt = "move it away, or run `sdkgen generate --adopt` to overwrite it"
	hintLink  = "replace it with the file or directory that it points to, or remove it"
	hintOwner = "give each configuration output directories of its own"
	hintOnly  = "run `sdkgen generate` without --only"
)

// file compares one file of the set with the disk.
func (d *differ) file(f File) error {
	if owner := d.owners[fold(f.Path)]; owner != "" {
		d.block(f.Path, hintOwner, "the file is one of another configuration's: %s lists it", owner)
		return nil
	}
	if fold(f.Path) == fold(d.old.Path()) {
		d.block(f.Path, "rename the file, or the configuration", "the path is that of the lock file")
		return nil
	}
	listed, ours := d.old.Lookup(f.Path)
	if ours && !d.covers(listed.Stage) {
		d.block(f.Path, hintOnly, "stage %q makes the file that stage %q made before, and %[2]q is not part of this run",
			f.Origin, listed.Stage)
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
	case directory:
		return d.overDirectory(f)
	case blocked:
		if _, ok := d.orphans[n.at]; ok {
			d.add(f)
		} else {
			d.block(n.at, hintMove, "a file is where the directory of %q must go", f.Path)
		}
	default:
		d.block(n.at, hintLink, "cannot write %q: the path is a %s", f.Path, n.kind)
	}
	return nil
}

// generated matches what generated files say of themselves.
var generated = regexp.MustCompile(
	`(?i)do not edit|\bgenerated (by|from|with)\b|\b(auto|automatically|code)[ -]?generated\b|@generated|controller-gen\.kubebuilder\.io/version`)

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
	case !same && !ours && !d.opts.Adopt:
		if generated.Match(data) || path.Ext(f.Path) == ".json" { // JSON has no comments
			d.block(f.Path, hintAdopt, "the file exists and was not written by sdkgen")
		} else {
			d.block(f.Path, hintAdopt, "the file exists, was not written by sdkgen and looks hand-written")
		}
	default:
		d.changes = append(d.changes, Change{Path: f.Path, Kind: Modified, Old: data, New: f.Data, OldMode: mode,
			Mode: f.Mode, Origin: f.Origin})
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

// overDirectory handles a directory where the file f must go: it may go if all that
// is in it are orphans.
func (d *differ) overDirectory(f File) error {
	foreign, err := d.foreign(f.Path)
	switch {
	case err != nil:
		return err
	case foreign == f.Path:
		d.block(f.Path, hintMove, "an empty directory is where a file must go")
	case foreign != "":
		d.block(f.Path, hintMove, "a directory with %q in it is where a file must go", foreign)
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
		} else if n.kind == directory {
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
	case absent, directory, blocked: // the file is gone
	case regular:
		data, err := d.read(e.Path)
		if err != nil {
			return err
		}
		d.changes = append(d.changes, Change{Path: e.Path, Kind: Deleted, Old: data, OldMode: modeOf(n.info, e.mode()),
			Origin: e.Stage})
	default:
		d.block(n.at, hintLink, "cannot delete %q: the path is a %s", e.Path, n.kind)
	}
	return nil
}
