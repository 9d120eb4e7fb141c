package images

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/flux-framework/flux-operator/hack/release/layer"
)

// image is one that is being built.
type image struct {
	version, arch string
	environment   []string
	layers        []mutate.Addendum
}

func (i *image) append(comment string, l v1.Layer) {
	i.layers = append(i.layers, mutate.Addendum{Layer: l, MediaType: types.OCILayer,
		History: v1.History{CreatedBy: comment}})
}

func (i *image) add(comment string, tree layer.Tree) error {
	l, err := tree.Layer()
	if err != nil {
		return err
	}
	i.append(comment, l)
	return nil
}

// labels are those of the OCI's image specification.
func (b *builder) labels(spec Spec, img *image) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title":    spec.Title,
		prefix + "source":   Source,
		prefix + "version":  img.version,
		prefix + "revision": b.revision,
		prefix + "licenses": "Apache-2.0",
		prefix + "created":  b.Date.UTC().Format(time.RFC3339),
	}
}

// archive writes the image and returns its path.
func (b *builder) archive(spec Spec, img *image) (string, error) {
	labels, created := b.labels(spec, img), v1.Time{Time: b.Date.UTC()}
	for i := range img.layers {
		img.layers[i].History.Created = created
	}
	whole := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	whole, err := mutate.Append(whole, img.layers...)
	if err != nil {
		return "", fmt.Errorf("adding layers: %w", err)
	}
	config, err := whole.ConfigFile()
	if err != nil {
		return "", err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", img.arch, created
	config.Config = v1.Config{User: User, Env: img.environment, Entrypoint: []string{spec.Entrypoint}, WorkingDir: "/",
		Labels: labels}
	if whole, err = mutate.ConfigFile(whole, config); err != nil {
		return "", err
	}
	whole, ok := mutate.Annotations(whole, labels).(v1.Image)
	if !ok {
		return "", errors.New("annotations of an image are not an image")
	}
	file := filepath.Join(b.Out, fmt.Sprintf("%s_%s_linux_%s.tar", spec.Name, img.version, img.arch))
	return file, save(file, whole, b.Repository+"/"+spec.Name+":"+img.version, img)
}

// save writes an image as a tar archive of an OCI layout, with the list of Docker beside it.
func save(file string, whole v1.Image, reference string, img *image) error {
	index := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: whole,
		Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: img.arch},
			Annotations: map[string]string{
				"io.containerd.image.name":          reference,
				"org.opencontainers.image.ref.name": img.version,
			},
		},
	})
	files, err := contents(whole)
	if err != nil {
		return err
	}
	if files["index.json"], err = index.RawManifest(); err != nil {
		return err
	}
	files["oci-layout"] = []byte(`{"imageLayoutVersion":"1.0.0"}`)
	if files["manifest.json"], err = dockerList(whole, reference); err != nil {
		return err
	}
	return writeTar(file, files)
}

// contents returns the blobs of an image, by path.
func contents(whole v1.Image) (map[string][]byte, error) {
	files := map[string][]byte{}
	layers, err := whole.Layers()
	if err != nil {
		return nil, err
	}
	for _, l := range layers {
		digest, err := l.Digest()
		if err != nil {
			return nil, err
		}
		in, err := l.Compressed()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			return nil, err
		}
		files[blob(digest)] = data
	}
	for _, part := range []struct {
		digest func() (v1.Hash, error)
		data   func() ([]byte, error)
	}{{whole.ConfigName, whole.RawConfigFile}, {whole.Digest, whole.RawManifest}} {
		digest, err := part.digest()
		if err != nil {
			return nil, err
		}
		if files[blob(digest)], err = part.data(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func blob(digest v1.Hash) string { return path.Join("blobs", digest.Algorithm, digest.Hex) }

// dockerList is manifest.json, which docker load reads.
func dockerList(whole v1.Image, reference string) ([]byte, error) {
	manifest, err := whole.Manifest()
	if err != nil {
		return nil, err
	}
	type entry struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	one := entry{Config: blob(manifest.Config.Digest), RepoTags: []string{reference}}
	for _, l := range manifest.Layers {
		one.Layers = append(one.Layers, blob(l.Digest))
	}
	return json.Marshal([]entry{one})
}

// writeTar writes the files, sorted and without a time, beside the path and renames them.
func writeTar(file string, files map[string][]byte) error {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range sorted(files) {
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Unix(0, 0),
			Format: tar.FormatPAX}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if _, err := w.Write(files[name]); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(file+".tmp", out.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".tmp", file)
}

func sorted(files map[string][]byte) []string { return slices.Sorted(maps.Keys(files)) }
