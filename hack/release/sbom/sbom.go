// Package sbom writes a software bill of materials for each file of a release, as SPDX 2.3 and as CycloneDX 1.6.
//
// What a file is made of is read from the file itself: Go programs say their modules and toolchain (debug/buildinfo, as
// `go version -m` prints them), wheels and installed Python packages have a METADATA, Debian's packages in an image a
// status, a chart its Chart.yaml. Archives and the layers of images are searched for these.
//
// The documents have the same bytes for the same file, version and date: their identity comes from the file's hash.
package sbom

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/hack/release/modules"
)

// Options say what to describe. All but Places are required.
type Options struct {
	Artifacts []string  // files of the release
	Version   string    // of the release, without a v
	Date      time.Time // of the commit
	Out       string    // directory for the documents
	// Places are where the modules are that the programs were built from. Licenses are read from there; without it none
	// is stated.
	Places modules.Places
}

// Component is a part of an artifact, or the artifact itself.
type Component struct {
	Kind    Kind
	Name    string
	Version string
	PURL    string
	SHA256  string // of the file; of a Go module, that of go.sum (h1, over the list of its files); empty if unknown
	License string // an SPDX expression, empty unless it is certain
	Range   string // of a requirement, the versions that are allowed; Version is empty then
}

// Kind says what a component is.
type Kind string

// The kinds, by the words of CycloneDX.
const (
	Application Kind = "application"
	Container   Kind = "container"
	Library     Kind = "library"
)

// Document describes an artifact.
type Document struct {
	Subject    Component
	Components []Component // sorted, each once
	Date       time.Time
}

// Write describes each artifact, in OUT/NAME.spdx.json and OUT/NAME.cdx.json, and returns the paths, sorted.
func Write(ctx context.Context, o Options) ([]string, error) {
	if o.Version == "" || o.Out == "" || o.Date.IsZero() {
		return nil, fmt.Errorf("documents need a version, a date and an output directory")
	}
	if err := os.MkdirAll(o.Out, 0o755); err != nil {
		return nil, err
	}
	var paths []string
	for _, artifact := range o.Artifacts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		written, err := o.write(artifact)
		if err != nil {
			return nil, fmt.Errorf("describing %s: %w", filepath.Base(artifact), err)
		}
		paths = append(paths, written...)
	}
	slices.Sort(paths)
	return paths, nil
}

func (o *Options) write(artifact string) ([]string, error) {
	document, err := o.Describe(artifact)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, format := range []struct {
		suffix string
		encode func(*Document) ([]byte, error)
	}{{".spdx.json", SPDX}, {".cdx.json", CycloneDX}} {
		data, err := format.encode(document)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(o.Out, filepath.Base(artifact)+format.suffix)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Describe reads an artifact. One in which nothing is found is an error.
func (o *Options) Describe(artifact string) (*Document, error) {
	data, err := os.ReadFile(artifact)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(artifact)
	sum := sha256.Sum256(data)
	found := &catalog{options: o, digests: map[string]string{}, image: isImage(name, data)}
	if err := found.walk(name, data); err != nil {
		return nil, err
	}
	if len(found.components) == 0 {
		return nil, fmt.Errorf("it has no Go program, no Python package and no chart")
	}
	document := &Document{Date: o.Date.UTC(), Components: found.sorted(), Subject: Component{
		Kind: Application, Name: name, Version: o.Version, SHA256: hex.EncodeToString(sum[:]), License: "Apache-2.0",
	}}
	if found.image {
		document.Subject.Kind = Container
	}
	return document, nil
}

// sorted returns the components, each once, with the hashes of wheels.
func (c *catalog) sorted() []Component {
	all := c.components
	for i := range all {
		if sum, ok := c.digests[all[i].PURL]; ok {
			all[i].SHA256 = sum
		}
	}
	slices.SortFunc(all, func(a, b Component) int {
		return cmp.Or(strings.Compare(a.PURL, b.PURL), strings.Compare(a.Range, b.Range))
	})
	return slices.Compact(all)
}

// namespace identifies the documents of an artifact.
func (d *Document) namespace() string {
	return "https://github.com/flux-framework/flux-operator/sbom/" + d.Subject.Name + "-" + d.Subject.SHA256
}
