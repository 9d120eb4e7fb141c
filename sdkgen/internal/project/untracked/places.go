package untracked

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// The placeholders in the name of a directory, of an API's group and version.
const (
	groupMark   = "{group}"
	versionMark = "{version}"
)

var version = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// resolve returns the directories that a pattern with placeholders stands for: those that a stage made files
// in, and those of any other API version.
func (f *finder) resolve(pattern string) ([]string, error) {
	dirs := []string{"."}
	for segment := range strings.SplitSeq(pattern, "/") {
		var next []string
		for _, dir := range dirs {
			names, err := f.segment(dir, segment)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				next = append(next, path.Join(dir, name))
			}
		}
		dirs = next
	}
	return dirs, nil
}

// segment returns the names in a directory that part of a pattern stands for.
func (f *finder) segment(dir, pattern string) ([]string, error) {
	if !strings.Contains(pattern, groupMark) && !strings.Contains(pattern, versionMark) {
		return []string{pattern}, nil
	}
	name := strings.NewReplacer(`\{group\}`, ".+", `\{version\}`, "(.+)").Replace(regexp.QuoteMeta(pattern))
	fits, err := regexp.Compile("^" + name + "$")
	if err != nil {
		return nil, err
	}
	entries, err := f.list(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		found := fits.FindStringSubmatch(entry.Name())
		if len(found) > 0 && (f.homes[path.Join(dir, entry.Name())] ||
			len(found) == 2 && !strings.Contains(pattern, groupMark) && version.MatchString(found[1])) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
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
