// Package layer makes layers of container images, with the same bytes for the same files.
package layer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Tree holds the files of a layer by path. A path has no slash at its start; its directories need not be added.
type Tree map[string]File

// File is a regular file, or a symbolic link if Link is set, or a directory if Mode says so.
type File struct {
	Mode fs.FileMode // permissions, fs.ModeDir and fs.ModeSticky
	Data []byte
	Link string
}

// Add adds a file. A path that exists is an error, unless it is the same file.
func (t Tree) Add(name string, file File) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is not a path inside an image", name)
	}
	old, exists := t[name]
	if exists && (old.Mode != file.Mode || old.Link != file.Link || !bytes.Equal(old.Data, file.Data)) {
		return fmt.Errorf("two different files are named %s", name)
	}
	t[name] = file
	return nil
}

// Merge adds the files of another tree.
func (t Tree) Merge(other Tree) error {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if err := t.Add(name, other[name]); err != nil {
			return err
		}
	}
	return nil
}

// Layer returns the tree as a compressed OCI layer: sorted, owned by root, with no time but the epoch.
func (t Tree) Layer() (v1.Layer, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	if err := t.tar(zipped); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("compressing a layer: %w", err)
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(out.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

func (t Tree) tar(out io.Writer) error {
	all := maps.Clone(t)
	for name := range t {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if entry, exists := all[dir]; exists && !entry.Mode.IsDir() {
				return fmt.Errorf("%s is below %s, which is not a directory", name, dir)
			}
			if _, exists := all[dir]; !exists {
				all[dir] = File{Mode: fs.ModeDir | 0o755}
			}
		}
	}
	w := tar.NewWriter(out)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		file := all[name]
		if err := w.WriteHeader(header(name, file)); err != nil {
			return fmt.Errorf("writing %s into a layer: %w", name, err)
		}
		if _, err := w.Write(file.Data); err != nil {
			return fmt.Errorf("writing %s into a layer: %w", name, err)
		}
	}
	return w.Close()
}

func header(name string, file File) *tar.Header {
	h := &tar.Header{
		Name:     name,
		Mode:     int64(file.Mode.Perm()),
		Size:     int64(len(file.Data)),
		ModTime:  time.Unix(0, 0),
		Typeflag: tar.TypeReg,
		Format:   tar.FormatPAX,
	}
	switch {
	case file.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, file.Link, 0o777
	case file.Mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, name+"/"
	}
	if file.Mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	return h
}

// Read adds the files of a tar stream. Setuid and setgid bits, owners and times are not kept. keep says which paths are
// wanted; a hard link becomes a file of its own.
func (t Tree) Read(in io.Reader, keep func(name string) bool) error {
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a tar stream: %w", err)
		}
		name := strings.Trim(path.Clean("/"+h.Name), "/")
		if name == "" || h.Typeflag == tar.TypeDir || !keep(name) {
			continue
		}
		file, err := t.entry(r, h)
		if err == nil {
			err = t.Add(name, file)
		}
		if err != nil {
			return err
		}
	}
}

func (t Tree) entry(r *tar.Reader, h *tar.Header) (File, error) {
	switch h.Typeflag {
	case tar.TypeReg:
		data, err := io.ReadAll(r)
		return File{Mode: fs.FileMode(h.Mode).Perm(), Data: data}, err
	case tar.TypeSymlink:
		return File{Link: h.Linkname}, nil
	case tar.TypeLink:
		file, exists := t[strings.Trim(path.Clean("/"+h.Linkname), "/")]
		if !exists {
			return File{}, fmt.Errorf("%s links to %s, which is not in the image", h.Name, h.Linkname)
		}
		return file, nil
	}
	return File{}, fmt.Errorf("%s is neither a file, a link nor a directory", h.Name)
}
