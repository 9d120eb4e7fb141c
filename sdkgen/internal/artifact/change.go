package artifact

import "io/fs"

// ChangeKind is what a plan does to a file.
type ChangeKind string

// The kinds of a Change.
const (
	Added    ChangeKind = "added"
	Modified ChangeKind = "modified"
	Deleted  ChangeKind = "deleted"
)

// Change is one file that differs between the disk and the set. Old and
// OldMode are unset if it is added, New and Mode if it is deleted.
type Change struct {
	Path          string
	Kind          ChangeKind
	Old, New      []byte
	OldMode, Mode fs.FileMode
	Origin        string // the stage; for a deleted file the one in the lock
}

// Options change what NewPlan compares.
type Options struct {
	// Adopt lets hand-written files at the paths of the set be overwritten.
	Adopt bool
	// Partial is for a run of some stages: only orphans of these are deleted, and the lock's other
	// lines stay as they are.
	Partial bool
	// Released are paths that the old lock lists and that are the user's from now on: where the set lacks them they stay
	// as they are.
	Released []string
}
