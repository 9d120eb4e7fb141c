package stray

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// versionMark stands for an API version in the name of a directory.
const versionMark = "{version}"

var version = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// versions returns the directories that a pattern with versionMark stands for: those that a stage made files
// in, and those of any other API version.
func (f *finder) versions(pattern string) ([]string, error) {
	before, after, marked := strings.Cut(pattern, versionMark)
	if !marked {
		return []string{pattern}, nil
	}
	parent, prefix := path.Split(before)
	parent = path.Clean(parent)
	suffix, _, _ := strings.Cut(after, "/")
	entries, err := f.list(parent)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, entry := range entries {
		middle, fits := strings.CutPrefix(entry.Name(), prefix)
		middle, ends := strings.CutSuffix(middle, suffix)
		dir := strings.ReplaceAll(pattern, versionMark, middle)
		if fits && ends && (version.MatchString(middle) || middle != "" && f.homes[dir]) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// twins adds what has the name of dir, or of a directory that it is in, in another case: on a file system that
// ignores case its files would be in dir.
func (f *finder) twins(dir string) error {
	for ; dir != "."; dir = path.Dir(dir) {
		entries, err := f.list(path.Dir(dir))
		if err != nil {
			return err
		}
		for _, entry := range entries {
			name := path.Join(path.Dir(dir), entry.Name())
			if name == dir || !strings.EqualFold(name, dir) || f.homes[name] {
				continue
			}
			if one, err := f.root.Lstat(name); err == nil {
				if other, err := f.root.Lstat(dir); err != nil || !os.SameFile(one, other) {
					f.add(name, whyCase)
				}
			}
		}
	}
	return nil
}

// generated is the line by which a Go file says that it is generated, see `go help generate`; a file may begin with a
// byte order mark.
var generated = regexp.MustCompile(`(?m)^\x{FEFF}?// Code generated .* DO NOT EDIT\.\r?$`)

// searchPackage adds the files of an API package that call themselves generated, be they Go or what it is
// built with, such as assembly. The line counts anywhere in
// the file: tools that hide generated files from a reviewer do not agree on where it must be.
func (f *finder) searchPackage(dir string) error {
	entries, err := f.list(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if entry.IsDir() || f.made[name] {
			continue
		}
		if strings.HasPrefix(entry.Name(), "zz_generated.") {
			f.add(name, whyPackage)
			continue
		}
		data, err := f.root.ReadFile(name)
		if err != nil && missing(err) != nil || generated.Match(data) { // a link out of the project hides what it is
			f.add(name, whyPackage)
		}
	}
	return nil
}

// searchCRDs adds the files that are named as the CRDs of a group are.
func (f *finder) searchCRDs() error {
	if f.places.CRDs == "" {
		return nil
	}
	groups := map[string]bool{}
	for name := range f.made {
		if group, _, ok := strings.Cut(path.Base(name), "_"); ok && path.Dir(name) == f.places.CRDs {
			groups[group] = true
		}
	}
	entries, err := f.list(f.places.CRDs)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := path.Join(f.places.CRDs, entry.Name())
		group, _, named := strings.Cut(strings.ToLower(entry.Name()), "_")
		switch path.Ext(strings.ToLower(name)) {
		case ".yaml", ".yml", ".json":
			if named && groups[group] && !f.made[name] {
				f.add(name, whyCRD)
			}
		}
	}
	return nil
}

// missing is err, but nil for what is not there, or is no directory.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
