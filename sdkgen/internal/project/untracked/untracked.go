// Package untracked finds files that no stage made in the places of a project where every file is a generated one.
//
// What git ignores and does not track is not part of the project: a build leaves such files there.
package untracked

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Places are where generated files are. Paths are relative to the project's root.
type Places struct {
	// Dirs are directories in which every file is generated; "{group}" and "{version}" in one stand for any API's.
	Dirs []string
	// Packages are directories of API packages. A file there that calls itself generated is to be one of ours.
	Packages []string
	// CRDs is the directory of the CRDs, "" for none. A file of a group that a stage made a CRD of is to be one of ours.
	CRDs string
	// Keep says which files may be there all the same; the name of a directory ends in a slash.
	Keep func(name string) bool
}

// File is a file that no stage made.
type File struct {
	Path string
	Why  string // what is wrong with it
}

const (
	whyDir     = "no stage made the file, and its directory holds generated files only"
	whyPackage = "no stage made the file, but its name or header says that it is generated"
	whyCRD     = "no stage made the file, but its name is that of a CRD of this API's group"
	whyCase    = "the name differs only in case from that of a directory of generated files"
)

// Find returns the files in the places that made does not list, sorted by path. Git is asked, with the variables
// in environ, only if there is something to ask about. If it has no answer, every file counts, but for those
// in __pycache__, and unasked says why.
func Find(
	ctx context.Context, root *os.Root, environ []string, places Places, built []string,
) (files []File, unasked, err error) {
	f := &finder{root: root, places: places, made: map[string]bool{}, homes: map[string]bool{},
		lists: map[string][]fs.DirEntry{}, why: map[string]string{}}
	for _, name := range built {
		f.made[name] = true
		for dir := path.Dir(name); dir != "." && !f.homes[dir]; dir = path.Dir(dir) {
			f.homes[dir] = true
		}
	}
	if err := f.search(); err != nil || len(f.why) == 0 {
		return nil, nil, err
	}
	tracked, unasked := listed(ctx, root.Name(), environ, f.repositories())
	found := map[string]string{}
	for _, name := range f.candidates() {
		if unasked != nil {
			err = f.expand(name, f.why[name], found)
		} else {
			f.intersect(name, tracked, found)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	for name, why := range found {
		files = append(files, File{name, why})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, unasked, nil
}

// finder searches the places. It goes into directories that stages made files in; what else it meets is a
// candidate: a file, or a directory with all that is in it.
type finder struct {
	root   *os.Root
	places Places
	made   map[string]bool
	homes  map[string]bool          // the directories of the files in made
	lists  map[string][]fs.DirEntry // see list
	why    map[string]string        // by candidate
}

// list returns the entries of a directory, none if it does not exist. It reads each directory once.
func (f *finder) list(dir string) ([]fs.DirEntry, error) {
	if entries, ok := f.lists[dir]; ok {
		return entries, nil
	}
	entries, err := os.ReadDir(filepath.Join(f.root.Name(), filepath.FromSlash(dir)))
	f.lists[dir] = entries
	return entries, missing(err)
}

func (f *finder) candidates() []string {
	names := make([]string, 0, len(f.why))
	for name := range f.why {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// add adds a candidate; that of a directory ends in a slash.
func (f *finder) add(name, why string) {
	if f.places.Keep(name) {
		return
	}
	name = path.Clean(name)
	if _, known := f.why[name]; !known {
		f.why[name] = why
	}
}

// search collects the candidates.
func (f *finder) search() error {
	for _, pattern := range f.places.Dirs {
		dirs, err := f.resolve(pattern)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			if err := f.twins(dir); err != nil {
				return err
			}
			if err := f.walk(dir); err != nil {
				return err
			}
		}
	}
	for _, dir := range f.places.Packages {
		if err := f.searchPackage(dir); err != nil {
			return err
		}
	}
	return f.searchCRDs()
}

// walk adds the files below dir that no stage made.
func (f *finder) walk(dir string) error {
	if f.places.Keep(dir + "/") {
		return nil
	}
	info, err := f.root.Lstat(dir)
	if err != nil {
		return missing(err)
	}
	if !info.IsDir() {
		if !f.made[dir] {
			f.add(dir, whyDir)
		}
		return nil
	}
	entries, err := f.list(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		switch {
		case entry.IsDir() && f.homes[name]:
			if err := f.walk(name); err != nil {
				return err
			}
		case entry.IsDir():
			f.add(name+"/", whyDir)
		case !f.made[name]:
			f.add(name, whyDir)
		}
	}
	return nil
}

// intersect finds what git lists of a candidate: the file itself, the files in it if it is a directory, or, if it
// is in another repository, that repository's directory.
func (f *finder) intersect(name string, tracked []string, found map[string]string) {
	for _, file := range tracked {
		switch {
		case file == name, strings.HasPrefix(file, name+"/"):
			if _, err := f.root.Lstat(file); err == nil && !f.made[file] && !f.places.Keep(file) {
				found[file] = f.why[name]
			}
		case strings.HasPrefix(name, file+"/"):
			found[name] = f.why[name]
		}
	}
}

// expand finds every file of a candidate.
func (f *finder) expand(name, why string, found map[string]string) error {
	if info, err := f.root.Lstat(name); err == nil && !info.IsDir() { // maybe a link, which WalkDir would follow
		found[name] = why
		return nil
	}
	return fs.WalkDir(f.root.FS(), name, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return missing(err)
		case entry.IsDir() && entry.Name() == "__pycache__":
			return fs.SkipDir
		case !entry.IsDir() && !f.made[file] && !f.places.Keep(file):
			found[file] = why
		}
		return nil
	})
}
