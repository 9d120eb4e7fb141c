package artifact

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// ChangeKind is what would happen to a file.
type ChangeKind int

// The kinds of a Change.
const (
	Added ChangeKind = iota + 1
	Modified
	Deleted
)

func (k ChangeKind) String() string {
	switch k {
	case Added:
		return "added"
	case Modified:
		return "modified"
	case Deleted:
		return "deleted"
	}
	return fmt.Sprintf("ChangeKind(%d)", int(k))
}

// Change is one file that differs between the disk and the set. Old and
// OldMode are unset if it is added, New and Mode if it is deleted.
type Change struct {
	Path          string
	Kind          ChangeKind
	Old, New      []byte
	OldMode, Mode fs.FileMode
	Origin        string // the stage; for a deleted file the one that the lock names
}

// Refusal is one path that sdkgen will not touch, and why.
type Refusal struct{ Path, Reason, Hint string }

// RefusedError lists, sorted by path, all that stands in the way of a plan.
type RefusedError struct{ Refusals []Refusal }

const maxRefusals = 10

func (e *RefusedError) Error() string {
	var lines []string
	for i, r := range e.Refusals {
		if i == maxRefusals {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Refusals)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("%q %s; %s", r.Path, r.Reason, r.Hint))
	}
	return strings.Join(lines, "\n")
}

// Option changes what Diff and NewPlan look at.
type Option func(*options)

type options struct {
	adopt   bool
	partial bool
	stages  []string
}

// Adopt lets hand-written files at the paths of the set be overwritten.
func Adopt() Option { return func(o *options) { o.adopt = true } }

// Only makes a partial run: the set has files of the given stages alone, only
// their orphans are deleted, and the lock's other lines stay as they are.
func Only(stages ...string) Option {
	return func(o *options) {
		o.partial = true
		o.stages = append(o.stages, stages...)
	}
}

// covers tells if a stage is part of the run.
func (o *options) covers(stage string) bool { return !o.partial || slices.Contains(o.stages, stage) }
