package artifact

import (
	"maps"
	"path"
	"slices"
)

// sweep removes the leftovers of killed runs: temporary files in the root and
// in every directory that the old or the new lock has a file in. An interim lock
// lists the new paths of the run that was killed, so no directory is missed.
func (c *commit) sweep() error {
	dirs := map[string]bool{".": true}
	for e := range c.plan.old.All() {
		dirs[path.Dir(e.Path)] = true
	}
	for e := range c.plan.final.All() {
		dirs[path.Dir(e.Path)] = true
	}
	t := newTree(c.root)
	for _, d := range slices.Sorted(maps.Keys(dirs)) {
		n, err := t.look(d)
		if err != nil {
			return err
		}
		if n.kind != directory {
			continue
		}
		names, err := t.list(d)
		if err != nil {
			return err
		}
		for _, name := range names {
			if !isTemp(name) {
				continue
			}
			if err := c.sweepFile(t, path.Join(d, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// sweepFile leaves a directory of such a name alone: sdkgen makes none.
func (c *commit) sweepFile(t *tree, p string) error {
	n, err := t.look(p)
	if err != nil || n.kind == directory {
		return err
	}
	return c.remove(p)
}

// delete removes orphans; those that are gone already are fine.
func (c *commit) delete(paths []string) error {
	for _, p := range paths {
		if err := c.remove(p); err != nil {
			return err
		}
		c.deleted[p] = true
		c.touched[path.Dir(p)] = true
	}
	return nil
}

// prune removes the directories of the given paths, and theirs in turn, that are
// empty. The root stays.
func (c *commit) prune(paths []string) error {
	dirs := map[string]bool{}
	for _, p := range paths {
		for d := range parents(p) {
			dirs[d] = true
		}
	}
	t := newTree(c.root)
	// A directory sorts before what is in it.
	for _, d := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		n, err := t.look(d)
		if err != nil {
			return err
		}
		if n.kind != directory {
			continue
		}
		if empty, err := t.empty(d); err != nil {
			return err
		} else if !empty {
			continue
		}
		if err := c.remove(d); err != nil {
			return err
		}
		c.touched[path.Dir(d)] = true
	}
	return nil
}
