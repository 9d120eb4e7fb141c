package build

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// File is a file of an archive.
type File struct {
	Name string // with slashes
	Mode fs.FileMode
	Data []byte
}

// TarGz writes the files into a compressed tar archive, in the order given. They have one time, and root as owner.
func TarGz(path string, modified time.Time, files []File) error {
	return create(path, func(w io.Writer) error {
		zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		out := tar.NewWriter(zipped)
		for _, file := range files {
			header := &tar.Header{
				Typeflag: tar.TypeReg, Name: file.Name, Size: int64(len(file.Data)), Mode: int64(file.Mode.Perm()),
				ModTime: modified.UTC().Truncate(time.Second),
			}
			if err := out.WriteHeader(header); err != nil {
				return fmt.Errorf("writing %s: %w", file.Name, err)
			}
			if _, err := out.Write(file.Data); err != nil {
				return fmt.Errorf("writing %s: %w", file.Name, err)
			}
		}
		return errors.Join(out.Close(), zipped.Close())
	})
}

// Zip writes the files into a zip archive, in the order given. They have one time.
func Zip(path string, modified time.Time, files []File) error {
	return create(path, func(w io.Writer) error {
		out := zip.NewWriter(w)
		for _, file := range files {
			header := &zip.FileHeader{Name: file.Name, Method: zip.Deflate, Modified: modified.UTC().Truncate(time.Second)}
			header.SetMode(file.Mode)
			member, err := out.CreateHeader(header)
			if err == nil {
				_, err = member.Write(file.Data)
			}
			if err != nil {
				return fmt.Errorf("writing %s: %w", file.Name, err)
			}
		}
		return out.Close()
	})
}

// create writes a file whole: a failure leaves none.
func create(path string, write func(io.Writer) error) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	return write(file)
}

// readTarGz returns the regular files of a compressed tar archive.
func readTarGz(path string) ([]File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	var files []File
	for in := tar.NewReader(unzipped); ; {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		if header.Typeflag != tar.TypeReg {
			return nil, fmt.Errorf("reading %s: %s is not a regular file", path, header.Name)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, fmt.Errorf("reading %s in %s: %w", header.Name, path, err)
		}
		files = append(files, File{header.Name, header.FileInfo().Mode(), data})
	}
}
