package sbom

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// catalog collects the components of an artifact.
type catalog struct {
	options    *Options
	image      bool
	components []Component
	digests    map[string]string // SHA-256 of wheels, by purl
}

// walk looks for components in a file, and in what it holds if it is an archive.
func (c *catalog) walk(name string, data []byte) error {
	switch {
	case strings.HasSuffix(name, ".whl"), strings.HasSuffix(name, ".zip"):
		return c.zip(data)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		unzipped, err := gunzip(data)
		if err != nil {
			return err
		}
		return readTar(unzipped, c.file)
	case c.image:
		return c.layers(data)
	}
	return c.file(name, data)
}

func (c *catalog) zip(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, entry := range archive.File {
		in, err := entry.Open()
		if err != nil {
			return err
		}
		content, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
		if err := c.file(entry.Name, content); err != nil {
			return err
		}
	}
	return nil
}

// isImage says whether a file is an archive of an OCI layout.
func isImage(name string, data []byte) bool {
	found := false
	if strings.HasSuffix(name, ".tar") {
		err := readTar(data, func(name string, _ []byte) error {
			found = found || name == "oci-layout"
			return nil
		})
		return err == nil && found
	}
	return false
}

// layers looks into the layers of an image.
func (c *catalog) layers(data []byte) error {
	files := map[string][]byte{}
	if err := readTar(data, func(name string, content []byte) error { files[name] = content; return nil }); err != nil {
		return err
	}
	var listed []struct{ Layers []string }
	if err := json.Unmarshal(files["manifest.json"], &listed); err != nil {
		return fmt.Errorf("reading manifest.json: %w", err)
	}
	for _, one := range listed {
		for _, layer := range one.Layers {
			content, err := gunzip(files[layer])
			if err != nil {
				return fmt.Errorf("reading the layer %s: %w", layer, err)
			}
			if err := readTar(content, c.file); err != nil {
				return err
			}
		}
	}
	return nil
}

// file looks for a component that a single file tells of.
func (c *catalog) file(name string, data []byte) error {
	dir, base := path.Split(name)
	depth := strings.Count(name, "/")
	switch {
	case base == "METADATA" && strings.HasSuffix(dir, ".dist-info/"):
		return c.python(string(data), depth == 1)
	case base == "PKG-INFO" && depth == 1: // a source distribution
		return c.python(string(data), true)
	case strings.HasPrefix(name, "var/lib/dpkg/status.d/"):
		return c.debian(string(data))
	case base == "Chart.yaml" && depth == 1:
		return c.chart(data)
	case strings.HasPrefix(name, "usr/local/share/") && base == "requirements.txt":
		return c.wheels(string(data))
	case executable(data):
		return c.golang(data)
	}
	return nil
}

// executable says whether a file starts like a program for Linux, macOS or Windows.
func executable(data []byte) bool {
	for _, magic := range []string{"\x7fELF", "\xcf\xfa\xed\xfe", "MZ"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	return false
}

func gunzip(data []byte) ([]byte, error) {
	in, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

func readTar(data []byte, visit func(name string, content []byte) error) error {
	in := tar.NewReader(bytes.NewReader(data))
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading a tar archive: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(in)
		if err != nil {
			return fmt.Errorf("reading %s: %w", h.Name, err)
		}
		if err := visit(strings.TrimPrefix(h.Name, "./"), content); err != nil {
			return fmt.Errorf("reading %s: %w", h.Name, err)
		}
	}
}
