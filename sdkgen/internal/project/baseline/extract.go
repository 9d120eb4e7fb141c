package baseline

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// extract writes the files of the tar archive that a command prints below a directory.
func extract(archive *exec.Cmd, dir string) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var stderr bytes.Buffer
	archive.Stderr = &stderr
	out, err := archive.StdoutPipe()
	if err != nil {
		return err
	}
	if err := archive.Start(); err != nil {
		return err
	}
	readErr := unpack(tar.NewReader(out), root)
	if readErr != nil { // let the command end
		_, _ = io.Copy(io.Discard, out)
	}
	if err := archive.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return readErr
}

// unpack writes the regular files and symbolic links of an archive. root keeps what is written below it.
func unpack(archive *tar.Reader, root *os.Root) error {
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(path.Clean(header.Name))
		switch header.Typeflag {
		case tar.TypeReg:
			err = write(root, name, archive)
		case tar.TypeSymlink:
			if err = root.MkdirAll(filepath.Dir(name), 0o755); err == nil {
				err = root.Symlink(header.Linkname, name)
			}
		}
		if err != nil {
			return err
		}
	}
}

func write(root *os.Root, name string, from io.Reader) (err error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := root.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(file, from)
	return err
}
