package artifact

import (
	"io/fs"
	"os"
	"slices"
)

// StageClean tells if every file that l lists for stage is on disk with the
// bytes and the executable bit the last run gave it, and returns these files.
// A stage without a seal is never clean. It is for the caller to ask Sealed with
// the key of its present inputs. An error means that a file
// could not be read, not that it differs.
func (l *Lock) StageClean(root *os.Root, stage string) (*Set, bool, error) {
	if l == nil || l.seals[stage] == "" {
		return nil, false, nil
	}
	t, set := newTree(root), &Set{}
	for e := range l.Files(stage) {
		f, ok, err := t.match(e)
		if !ok || err != nil {
			return nil, false, err
		}
		if set.check(f) != nil {
			return nil, false, nil // two spellings of one name, left by an interrupted run
		}
		set.insert(f)
	}
	return set, true, nil
}

// Drift compares the files that l lists for the given stages, or for all if
// none is given, with the disk, by hash alone. It returns a Change for each
// that is missing (Added) or differs (Modified), as Diff would for the lost
// bytes, but without Old and New.
func (l *Lock) Drift(root *os.Root, stages ...string) ([]Change, error) {
	t, changes := newTree(root), []Change{}
	for e := range l.All() {
		if len(stages) > 0 && !slices.Contains(stages, e.Stage) {
			continue
		}
		n, err := t.look(e.Path)
		if err != nil {
			return nil, err
		}
		c := Change{Path: e.Path, Kind: Modified, Origin: e.Stage, Mode: e.mode()}
		if n.kind != regular {
			c.Kind = Added
		} else if _, ok, err := t.match(e); err != nil {
			return nil, err
		} else if ok {
			continue
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func (e Entry) mode() fs.FileMode {
	if e.Exec {
		return execMode
	}
	return fileMode
}

// match reads the file of e and tells if it is as e says.
func (t *tree) match(e Entry) (File, bool, error) {
	n, err := t.look(e.Path)
	if err != nil || n.kind != regular || modeOf(n.info, e.mode()) != e.mode() {
		return File{}, false, err
	}
	data, err := t.read(e.Path)
	if err != nil || Sum(data) != e.Sum {
		return File{}, false, err
	}
	return File{Path: e.Path, Data: data, Mode: e.mode(), Origin: e.Stage}, true, nil
}
