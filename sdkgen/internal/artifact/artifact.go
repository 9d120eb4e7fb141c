package artifact

import (
	"bytes"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const (
	fileMode fs.FileMode = 0o644
	execMode fs.FileMode = 0o755
)

// File is one generated file.
type File struct {
	Path   string      // slash-separated, relative to the repository's root
	Data   []byte      // read-only once the file is in a Set
	Mode   fs.FileMode // 0 means 0o644; only the executable bit counts, as in git
	Origin string      // the stage that made it
}

// Set is a collection of files with unique paths. The zero value is an empty
// set, ready for use. It is not safe for concurrent use.
type Set struct {
	files map[string]File
	names map[string]string // folded path of a file or directory -> its spelling
	kinds map[string]string // directory's spelling -> a file in it; "" for a file
}

// Put adds a copy of f. It refuses a path that is in the set already (in any
// spelling that differs only in case), a path that makes one name a file and a
// directory, a path that does not stay below the root on every platform, and a
// stage name that sdkgen.lock cannot hold.
func (s *Set) Put(f File) error {
	if err := s.check(f); err != nil {
		return err
	}
	f.Data = bytes.Clone(f.Data)
	f.Mode = cleanMode(f.Mode)
	s.insert(f)
	return nil
}

// Merge adds every file of o, or none: a collision leaves s as it was, and the
// error is a diag.List of all collisions.
func (s *Set) Merge(o *Set) error {
	var list diag.List
	for f := range o.All() {
		if err := s.check(f); err != nil {
			list.Add(token.Position{Filename: f.Path}, "output", "give each output in sdkgen.yaml a directory of its own", "%v",
				err)
		}
	}
	if err := list.Err(); err != nil {
		return err
	}
	for f := range o.All() {
		s.insert(f)
	}
	return nil
}

// Lookup returns the file at path.
func (s *Set) Lookup(path string) (File, bool) {
	if s == nil {
		return File{}, false
	}
	f, ok := s.files[path]
	return f, ok
}

// All yields the files sorted by path.
func (s *Set) All() iter.Seq[File] {
	return func(yield func(File) bool) {
		if s == nil {
			return
		}
		for _, p := range slices.Sorted(maps.Keys(s.files)) {
			if !yield(s.files[p]) {
				return
			}
		}
	}
}

// Len returns the number of files.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.files)
}
