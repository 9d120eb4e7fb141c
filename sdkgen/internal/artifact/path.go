package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tempPrefix = "."
	tempSuffix = ".sdkgen-tmp"
	// maxName leaves room for the temporary name: file systems allow 255 bytes.
	maxName = 255 - len(tempPrefix) - len(tempSuffix)
)

// checkPath reports why p cannot be a generated file's path. What it accepts
// stays below the root, can be checked out on Linux, macOS and Windows, and is
// a single field of a line of sdkgen.lock. Only the reserved device names
// (NUL, COM1) depend on the platform: an API may well have a type called Con.
func checkPath(p string) error {
	switch {
	case p == "":
		return errors.New("the path is empty")
	case !utf8.ValidString(p):
		return errors.New("the path is not UTF-8")
	case path.IsAbs(p):
		return errors.New("the path is absolute; paths are relative to the repository's root")
	case !fs.ValidPath(p) || p == ".":
		return fmt.Errorf("the path is not clean or climbs out of the repository (cleaned: %q)", path.Clean(p))
	case strings.EqualFold(p, LockName):
		return errors.New("the path is that of the lock file")
	}
	for elem := range strings.SplitSeq(p, "/") {
		if err := checkElem(elem); err != nil {
			return err
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(p)) {
		return errors.New("the path is reserved on this platform")
	}
	return nil
}

func checkElem(elem string) error {
	for _, r := range elem {
		if !unicode.IsPrint(r) || strings.ContainsRune(`\<>:"|?*`, r) {
			return fmt.Errorf("the path holds %q, which not every platform allows in a file name", r)
		}
	}
	switch {
	case strings.HasSuffix(elem, " "), strings.HasSuffix(elem, "."):
		return fmt.Errorf("%q ends in a space or a dot, which Windows drops", elem)
	case strings.EqualFold(elem, ".git"):
		return errors.New("the path is inside git's own directory")
	case isTemp(elem):
		return fmt.Errorf("%q is a name of sdkgen's temporary files", elem)
	case len(elem) > maxName:
		return fmt.Errorf("%q is longer than %d bytes", elem, maxName)
	}
	return nil
}

// checkStage reports why name cannot be a stage's name in sdkgen.lock.
func checkStage(name string) error {
	ok := name != "" && name[0] != '-' && name[0] != '.'
	for _, r := range name {
		ok = ok && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	if !ok {
		return fmt.Errorf("%q is not a stage's name (lower-case letters, digits, - _ and .)", name)
	}
	return nil
}

// tempName returns where the bytes of p are staged: the same directory, so that
// the rename is atomic, and always the same name, so that a next run finds it.
func tempName(p string) string {
	dir, base := path.Split(p)
	return dir + tempPrefix + base + tempSuffix
}

func isTemp(base string) bool {
	return len(base) > len(tempPrefix)+len(tempSuffix) &&
		strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

// parents yields the directories of p from the nearest up, without the root.
func parents(p string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if !yield(d) {
				return
			}
		}
	}
}

// fold maps spellings that a case-insensitive file system holds for one name
// to one string.
func fold(p string) string { return strings.ToLower(strings.ToUpper(p)) }

// check reports why f cannot be added.
func (s *Set) check(f File) error {
	if err := checkPath(f.Path); err != nil {
		return fmt.Errorf("adding %q of stage %q: %w", f.Path, f.Origin, err)
	}
	if err := checkStage(f.Origin); err != nil {
		return fmt.Errorf("adding %q: %w", f.Path, err)
	}
	if f.Mode.Type() != 0 {
		return fmt.Errorf("adding %q of stage %q: mode %v is not a regular file's", f.Path, f.Origin, f.Mode)
	}
	return s.collision(f)
}

// collision reports f if the set has its path, or a path that excludes it.
func (s *Set) collision(f File) error {
	if spelled, ok := s.names[fold(f.Path)]; ok {
		if in := s.kinds[spelled]; in != "" {
			return fmt.Errorf("adding %q of stage %q: it is a directory, with %q of stage %q in it",
				f.Path, f.Origin, in, s.files[in].Origin)
		}
		if spelled != f.Path {
			return fmt.Errorf("adding %q of stage %q: differs only in case from %q of stage %q",
				f.Path, f.Origin, spelled, s.files[spelled].Origin)
		}
		return fmt.Errorf("adding %q of stage %q: stage %q has made it already",
			f.Path, f.Origin, s.files[f.Path].Origin)
	}
	for d := range parents(f.Path) {
		spelled, ok := s.names[fold(d)]
		switch in := s.kinds[spelled]; {
		case !ok:
		case in == "":
			return fmt.Errorf("adding %q of stage %q: %q is a file, of stage %q",
				f.Path, f.Origin, spelled, s.files[spelled].Origin)
		case spelled != d:
			return fmt.Errorf("adding %q of stage %q: its directory differs only in case from that of %q of stage %q",
				f.Path, f.Origin, in, s.files[in].Origin)
		}
	}
	return nil
}

// insert adds f, which has passed check.
func (s *Set) insert(f File) {
	if s.files == nil {
		s.files, s.names, s.kinds = map[string]File{}, map[string]string{}, map[string]string{}
	}
	s.files[f.Path] = f
	s.names[fold(f.Path)] = f.Path
	for d := range parents(f.Path) {
		if _, ok := s.kinds[d]; ok {
			break
		}
		s.names[fold(d)], s.kinds[d] = d, f.Path
	}
}

// cleanMode reduces m to what git keeps of it.
func cleanMode(m fs.FileMode) fs.FileMode {
	if m&0o111 != 0 {
		return execMode
	}
	return fileMode
}
