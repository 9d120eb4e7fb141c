package artifact

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// LockName is the path of the lock of the configuration sdkgen.yaml.
const LockName = "sdkgen.lock"

const defaultConfig = "sdkgen.yaml"

// LockFile returns the path of a configuration's lock. It is in the root, wherever below the configuration is:
// NAME.lock of NAME.yaml, dir-NAME.lock of dir/NAME.yaml.
func LockFile(config string) string {
	return strings.ReplaceAll(strings.TrimSuffix(config, ".yaml"), "/", "-") + ".lock"
}

// lockHeader opens the file; its version is the format's.
const (
	lockMagic  = "# sdkgen.lock v1"
	lockHeader = lockMagic + ": the files sdkgen wrote and the keys of its stages; commit it, do not edit it\n"
)

// Lock is the content of sdkgen.lock: what the last run wrote. A nil Lock and
// the zero value are empty. A Lock does not change once it is made.
//
// The file has a header and three kinds of lines, sorted:
//
//	config PATH
//	file PATH sha256:HEX STAGE [+x]
//	stage STAGE SEAL
//
// The first names the configuration that the lock belongs to, if that is not sdkgen.yaml.
// SEAL is a hash of what the caller computed over the stage's inputs and of the stage's file lines, so that
// no such line can go unnoticed; - if the stage has no key.
type Lock struct {
	config string // "" for sdkgen.yaml
	files  map[string]Entry
	seals  map[string]string // by stage, "" for one without a key
}

// Entry is the line of one generated file.
type Entry struct {
	Path  string
	Sum   string // as Sum returns it
	Stage string
	Exec  bool
}

// String returns the line of the file.
func (e Entry) String() string {
	line := fmt.Sprintf("file %s %s %s", e.Path, e.Sum, e.Stage)
	if e.Exec {
		line += " +x"
	}
	return line
}

// Sum returns "sha256:" and the digest of data in hex: the spelling of a
// file's hash in the lock, and a good one for a stage's key.
func Sum(data []byte) string {
	h := sha256.Sum256(data)
	return sumPrefix + hex.EncodeToString(h[:])
}

const sumPrefix = "sha256:"

// NewLock returns the lock that says: these stages, with these keys, wrote set.
// Every stage of set needs a key; a stage may have a key and no file. An empty
// key is for a stage that must never be taken for clean.
func NewLock(set *Set, keys map[string]string) (*Lock, error) {
	l := &Lock{files: make(map[string]Entry, set.Len()), seals: make(map[string]string, len(keys))}
	for _, stage := range slices.Sorted(maps.Keys(keys)) {
		if err := checkStage(stage); err != nil {
			return nil, err
		}
	}
	for f := range set.All() {
		if _, ok := keys[f.Origin]; !ok {
			return nil, fmt.Errorf("recording %q: its stage %q is not part of this run", f.Path, f.Origin)
		}
		l.files[f.Path] = Entry{Path: f.Path, Sum: Sum(f.Data), Stage: f.Origin, Exec: f.Mode == execMode}
	}
	for stage, key := range keys {
		l.seals[stage] = l.seal(stage, key)
	}
	return l, nil
}

// seal is the hash of a stage's key and file lines; "" if there is no key.
func (l *Lock) seal(stage, key string) string {
	if key == "" {
		return ""
	}
	text := []byte(key)
	for e := range l.Files(stage) {
		text = fmt.Appendf(text, "\n%s", e)
	}
	return Sum(text)
}

// Path returns the path of the lock file.
func (l *Lock) Path() string {
	if l == nil || l.config == "" {
		return LockName
	}
	return LockFile(l.config)
}

// Lookup returns the line of the file at path.
func (l *Lock) Lookup(path string) (Entry, bool) {
	if l == nil {
		return Entry{}, false
	}
	e, ok := l.files[path]
	return e, ok
}

// All yields the lines of all files, sorted by path.
func (l *Lock) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		if l == nil {
			return
		}
		for _, p := range slices.Sorted(maps.Keys(l.files)) {
			if !yield(l.files[p]) {
				return
			}
		}
	}
}

// Files yields the lines of one stage's files, sorted by path.
func (l *Lock) Files(stage string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range l.All() {
			if e.Stage == stage && !yield(e) {
				return
			}
		}
	}
}

// Stages returns the names of the stages that have a line, sorted.
func (l *Lock) Stages() []string {
	if l == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(l.seals))
}

// Sealed tells if the lock was made with this key of the stage and still has the stage's file lines of then. A
// stage without a key is never sealed.
func (l *Lock) Sealed(stage, key string) bool {
	return l != nil && key != "" && l.seals[stage] == l.seal(stage, key)
}

// Encode returns the file's bytes. They depend on the content only.
func (l *Lock) Encode() []byte {
	var b strings.Builder
	b.WriteString(lockHeader)
	if l != nil && l.config != "" {
		fmt.Fprintf(&b, "config %s\n", l.config)
	}
	for e := range l.All() {
		fmt.Fprintf(&b, "%s\n", e)
	}
	for _, stage := range l.Stages() {
		fmt.Fprintf(&b, "stage %s %s\n", stage, cmp.Or(l.seals[stage], "-"))
	}
	return []byte(b.String())
}

// replace returns l with the lines of the given stages replaced by those of n.
func (l *Lock) replace(n *Lock, stages []string) *Lock {
	r := &Lock{config: l.config, files: maps.Clone(n.files), seals: maps.Clone(n.seals)}
	for e := range l.All() {
		if !slices.Contains(stages, e.Stage) {
			r.files[e.Path] = e
		}
	}
	for _, stage := range l.Stages() {
		if !slices.Contains(stages, stage) {
			r.seals[stage] = l.seals[stage]
		}
	}
	return r
}

// interim returns the lock that stands while a run changes the tree from what
// l lists to what final lists: the files of both, and no seal for the stages
// that run, so that none of them is clean until final is written.
func (l *Lock) interim(final *Lock, running []string) *Lock {
	u := &Lock{config: l.config, files: maps.Clone(final.files), seals: maps.Clone(final.seals)}
	for e := range l.All() {
		u.files[e.Path] = e
	}
	for _, stage := range running {
		delete(u.seals, stage)
	}
	return u
}
