package stage

import (
	"errors"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Files reads the project's files by slash-separated paths relative to its root. What is outside cannot be
// read, also through a symbolic link.
type Files struct{ Root *os.Root }

// ReadTree reads a directory, with paths relative to it; "" is an empty one.
func (f Files) ReadTree(dir, origin string) (*artifact.Set, error) {
	if dir == "" {
		return &artifact.Set{}, nil
	}
	return ReadTree(f.Root.FS(), dir, origin)
}

func ReadTree(tree fs.FS, dir, origin string) (*artifact.Set, error) {
	set := &artifact.Set{}
	err := fs.WalkDir(tree, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return set.Put(artifact.File{Path: strings.TrimPrefix(name, dir+"/"), Data: data, Mode: info.Mode().Perm(),
			Origin: origin})
	})
	if err != nil {
		return nil, Unreadable(dir, "templates and overlay.dir in sdkgen.yaml name directories of the project", err)
	}
	return set, nil
}

// ReadOptional reads a file that may be missing; "" is an empty one.
func (f Files) ReadOptional(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	data, err := f.Root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Unreadable(name, "sdkgen.yaml names it: it must be a file inside of the project", err)
	}
	return data, nil
}

// Unreadable is the error for a file or directory of the project that cannot be read.
func Unreadable(name, hint string, err error) error {
	message := "it cannot be read: " + err.Error()
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		message = "it cannot be read: " + at.Err.Error()
		if name != at.Path && filepath.IsLocal(at.Path) { // in the directory of that name
			name = at.Path
		}
	}
	return diag.List{{Pos: token.Position{Filename: name}, Rule: "config", Message: message, Hint: hint}}
}
