package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// stagers is how many files are written and synced at a time: a disk does many
// syncs together about as fast as one.
const stagers = 8

// Commit makes the tree below root what plan says; see the package comment for
// the order and for what a killed run leaves. Files that are right already are
// not touched. If it fails, or ctx is done, before the first file is replaced,
// the tree is put back as it was; afterwards ctx is not looked at, and an error
// leaves each file old or new, for the next run to finish. Every error names
// the path.
func Commit(ctx context.Context, root *os.Root, plan *Plan) error {
	c := &commit{disk: disk{root: root}, plan: plan, workers: stagers}
	return c.run(ctx)
}

type commit struct {
	disk
	plan    *Plan
	workers int

	lock     []byte   // the lock file's bytes as they are by now
	made     []string // directories made, parents first
	writing  []Change // whose temporary files may be there
	replaced bool     // a file has its new bytes
	deleted  map[string]bool
	touched  map[string]bool // directories to sync
}

func (c *commit) run(ctx context.Context) error {
	c.lock, c.deleted, c.touched = c.plan.onDisk, map[string]bool{}, map[string]bool{}
	if err := c.current(); err != nil {
		return err
	}
	if err := c.sweep(); err != nil {
		return err
	}
	if len(c.plan.Changes()) == 0 {
		return nil
	}
	err := c.prepare(ctx)
	if err == nil {
		err = c.apply()
	}
	if err != nil {
		return c.fail(err)
	}
	return c.finish()
}

// fail cleans up after err as far as that can be done.
func (c *commit) fail(err error) error {
	err = errors.Join(err, c.discard())
	if c.replaced || len(c.deleted) > 0 {
		return fmt.Errorf("%w; some files are new and some are old, run `sdkgen generate` again", err)
	}
	return errors.Join(err, c.undo())
}

// current checks that the plan was made for the lock that is on disk.
func (c *commit) current() error {
	data, err := readLockFile(c.root, c.plan.final.Path())
	if err == nil && !bytes.Equal(data, c.plan.onDisk) {
		err = moved(c.plan.final.Path(), "the file has changed since sdkgen read it")
	}
	return err
}

// moved reports what others did to the tree while sdkgen was running.
func moved(p, format string, args ...any) error {
	return diag.Errorf(token.Position{Filename: p}, "output", "run sdkgen again", format, args...)
}

// prepare does all that can be undone: steps 2 to 4 of the package comment.
func (c *commit) prepare(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("writing below %q: %w", c.root.Name(), err)
	}
	if c.plan.grows() {
		if err := c.setLock(c.plan.old.interim(c.plan.final, c.plan.running)); err != nil {
			return err
		}
	}
	if err := c.unblock(); err != nil {
		return err
	}
	writes := c.plan.of(Added, Modified)
	if err := c.mkdirs(writes); err != nil {
		return err
	}
	c.writing = writes
	if err := c.stage(ctx); err != nil {
		return err
	}
	return c.recheck()
}

// setLock writes l, unless its bytes are there already, and makes it durable.
func (c *commit) setLock(l *Lock) error {
	change, _ := c.plan.lockChange(l)
	if c.lock != nil && bytes.Equal(c.lock, change.New) {
		return nil
	}
	if err := c.replace(change); err != nil {
		return err
	}
	c.lock = change.New
	return c.syncDir(".")
}

// unblock deletes the orphans that are in the way of new files: one whose path
// becomes a directory, one in a directory whose path becomes a file, and one that
// differs from a new path only in case. Empty directories that orphans were in go
// too, for a killed run may have got no further than that.
func (c *commit) unblock() error {
	files, dirs := map[string]bool{}, map[string]bool{}
	for _, w := range c.plan.of(Added) {
		files[fold(w.Path)] = true
		for d := range parents(w.Path) {
			dirs[fold(d)] = true
		}
	}
	var blockers []string
	for _, d := range c.plan.of(Deleted) {
		blocks := files[fold(d.Path)] || dirs[fold(d.Path)]
		for up := range parents(d.Path) {
			blocks = blocks || files[fold(up)]
		}
		if blocks {
			blockers = append(blockers, d.Path)
		}
	}
	if err := c.delete(blockers); err != nil {
		return err
	}
	return c.prune(c.plan.dropped())
}

func (c *commit) mkdirs(writes []Change) error {
	t := newTree(c.root)
	for _, w := range writes {
		up := slices.Collect(parents(w.Path))
		for _, d := range slices.Backward(up) {
			n, err := t.look(d)
			switch {
			case err != nil:
				return err
			case n.kind == directory:
				continue
			case n.kind != absent:
				return moved(n.at, "a %s is where the directory of %q must go", n.kind, w.Path)
			}
			if err := c.mkdir(d); err != nil {
				return fmt.Errorf("writing %q: %w", w.Path, err)
			}
			t.dirs[d] = node{kind: directory, at: d}
			c.made = append(c.made, d)
			c.touched[path.Dir(d)] = true
		}
	}
	return nil
}

// stage writes the temporary files, several at a time, and stops at the first
// that fails.
func (c *commit) stage(ctx context.Context) error {
	var (
		wg     sync.WaitGroup
		next   atomic.Int64
		failed atomic.Bool
		errs   = make([]error, len(c.writing))
	)
	for range c.workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(errs) && !failed.Load(); i = next.Add(1) - 1 {
				w := c.writing[i]
				if errs[i] = ctx.Err(); errs[i] != nil {
					errs[i] = fmt.Errorf("writing %q: %w", w.Path, errs[i])
				} else {
					errs[i] = c.writeTemp(w)
				}
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// recheck catches what others did to the targets since the plan was made. Where
// a new path differs only in case from one that was deleted, there may still be
// a file: a hard link under both names looked like one file under either.
func (c *commit) recheck() error {
	t, twins := newTree(c.root), map[string]bool{}
	for p := range c.deleted {
		twins[fold(p)] = true
	}
	for _, w := range c.writing {
		n, err := t.look(w.Path)
		if err != nil {
			return err
		}
		free := n.kind == absent || n.kind == regular && (w.Kind == Modified || twins[fold(w.Path)])
		if !free {
			return moved(w.Path, "a %s was created while sdkgen was running", n.kind)
		}
	}
	return nil
}

// undo puts the tree back as it was, while no file is replaced or deleted.
func (c *commit) undo() error {
	var errs []error
	for _, d := range slices.Backward(c.made) {
		errs = append(errs, c.remove(d))
	}
	switch onDisk := c.plan.onDisk; {
	case bytes.Equal(c.lock, onDisk):
	case onDisk == nil:
		errs = append(errs, c.remove(c.plan.final.Path()))
	default:
		errs = append(errs, c.replace(Change{Path: c.plan.final.Path(), New: onDisk, Mode: fileMode}))
	}
	return errors.Join(errs...)
}

// discard removes the temporary files.
func (c *commit) discard() error {
	var errs []error
	for _, w := range c.writing {
		errs = append(errs, c.removeTemp(w.Path))
	}
	return errors.Join(errs...)
}

// apply replaces and deletes: steps 5 and 6.
func (c *commit) apply() error {
	for _, w := range c.writing {
		if err := c.rename(w.Path); err != nil {
			return err
		}
		c.replaced = true
		c.touched[path.Dir(w.Path)] = true
	}
	c.writing = nil
	var orphans []string
	for _, d := range c.plan.of(Deleted) {
		if !c.deleted[d.Path] { // by unblock; something else has the name now
			orphans = append(orphans, d.Path)
		}
	}
	if err := c.delete(orphans); err != nil {
		return err
	}
	return c.prune(c.plan.dropped())
}

// finish is step 7. That a directory cannot be synced is reported, but does not
// keep the lock from saying what is there.
func (c *commit) finish() error {
	var errs []error
	t := newTree(c.root)
	for _, d := range slices.Sorted(maps.Keys(c.touched)) {
		n, err := t.look(d)
		if err == nil && n.kind == directory {
			err = c.syncDir(d)
		}
		errs = append(errs, err)
	}
	errs = append(errs, c.setLock(c.plan.final))
	return errors.Join(errs...)
}
