package build

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Sums is the name of the file with the checksums, as sha256sum -c reads it.
const Sums = "SHA256SUMS"

// Artifact is a file of a release.
type Artifact struct {
	Name   string
	Size   int64
	SHA256 string
}

// Sum writes the checksums of all files in a directory into SHA256SUMS, and returns the files by name, this one last.
func Sum(dir string) ([]Artifact, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var artifacts []Artifact
	var list strings.Builder
	for _, entry := range entries {
		if !entry.Type().IsRegular() || entry.Name() == Sums {
			return nil, fmt.Errorf("%s has %s, which no step of a release writes", dir, entry.Name())
		}
		artifact, err := sum(dir, entry.Name())
		if err != nil {
			return nil, err
		}
		artifacts = append(artifacts, artifact)
		fmt.Fprintf(&list, "%s  %s\n", artifact.SHA256, artifact.Name)
	}
	err = create(filepath.Join(dir, Sums), func(w io.Writer) error {
		_, err := io.WriteString(w, list.String())
		return err
	})
	if err != nil {
		return nil, err
	}
	sums, err := sum(dir, Sums)
	return append(artifacts, sums), err
}

func sum(dir, name string) (Artifact, error) {
	file, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return Artifact{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	return Artifact{name, size, fmt.Sprintf("%x", hash.Sum(nil))}, err
}
