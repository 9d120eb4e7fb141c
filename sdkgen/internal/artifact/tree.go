package artifact

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
)

// tree looks at the disk below a root without following symbolic links. It
// remembers directories, so it is good only for as long as nobody changes them.
type tree struct {
	root *os.Root
	dirs map[string]node
}

type fileType int

const (
	absent  fileType = iota
	regular          // a regular file
	directory
	link    // a symbolic link, here or on the way here
	blocked // a file, or something else that is not a directory, is on the way here
	special // a device, a pipe, …
)

func (t fileType) String() string {
	return [...]string{"missing file", "regular file", "directory", "symbolic link", "file", "special file"}[t]
}

// node is what look found.
type node struct {
	kind fileType
	at   string // the path looked at, or that of the parent which is a link or not a directory
	info fs.FileInfo
}

func newTree(root *os.Root) *tree {
	return &tree{root: root, dirs: map[string]node{".": {kind: directory, at: "."}}}
}

// look says what p is. Its parents are looked at first: what is below a link,
// even one that stays inside the root, has no path of its own.
func (t *tree) look(p string) (node, error) {
	if n, ok := t.dirs[p]; ok {
		return n, nil
	}
	up, err := t.lookDir(path.Dir(p))
	if err != nil || up.kind != directory {
		return up, err
	}
	return t.stat(p)
}

// lookDir is look for a parent: what is not a directory blocks what is below it.
func (t *tree) lookDir(d string) (node, error) {
	n, err := t.look(d)
	if err != nil {
		return n, err
	}
	t.dirs[d] = n
	if n.kind == regular || n.kind == special {
		n.kind = blocked
	}
	return n, nil
}

func (t *tree) stat(p string) (node, error) {
	info, err := t.root.Lstat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return node{kind: absent, at: p}, nil
	case err != nil:
		return node{}, fmt.Errorf("looking at %q: %w", p, err)
	case info.Mode().IsRegular():
		return node{kind: regular, at: p, info: info}, nil
	case info.IsDir():
		return node{kind: directory, at: p, info: info}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return node{kind: link, at: p, info: info}, nil
	default:
		return node{kind: special, at: p, info: info}, nil
	}
}

func (t *tree) read(p string) ([]byte, error) {
	data, err := t.root.ReadFile(p)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", p, err)
	}
	return data, nil
}

// list returns the sorted names in the directory d.
func (t *tree) list(d string) (names []string, err error) {
	f, err := t.root.Open(d)
	if err != nil {
		return nil, fmt.Errorf("listing %q: %w", d, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	names, err = f.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing %q: %w", d, err)
	}
	slices.Sort(names)
	return names, nil
}

// empty tells if the directory d has nothing in it.
func (t *tree) empty(d string) (ok bool, err error) {
	f, err := t.root.Open(d)
	if err != nil {
		return false, fmt.Errorf("listing %q: %w", d, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	switch _, err = f.Readdirnames(1); {
	case errors.Is(err, io.EOF):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("listing %q: %w", d, err)
	}
	return false, nil
}

// modeOf reduces a file's mode to what git keeps of it; where the file system
// has no executable bit, the file has the one it is meant to have.
func modeOf(info fs.FileInfo, meant fs.FileMode) fs.FileMode {
	if runtime.GOOS == "windows" {
		return meant
	}
	return cleanMode(info.Mode())
}
