package openapigen

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/flux-framework/flux-operator/sdkgen/internal/prose"
)

// task is a job on its way through the jar.
type task struct {
	Job
	dir     string         // a directory of its own
	shape   []byte         // the document without texts
	texts   []string       // in their order
	options map[string]any // Config, with the templates that it has to list
	key     string         // stands for all that the output depends on, but the texts
	made    fs.FS          // what the jar made, without texts; nil before
}

// prepare checks a job, and looks whether the jar has made the same before.
func (j *Jar) prepare(job Job, scratch string) (*task, error) {
	if err := j.checkTemplates(job); err != nil {
		return nil, err
	}
	t := &task{Job: job, dir: filepath.Join(scratch, job.Name), options: map[string]any{}}
	maps.Copy(t.options, job.Config)
	err := job.addFiles(t.options)
	if err == nil {
		t.shape, t.texts, err = prose.Split(job.Spec)
	}
	if err == nil && j.cache != nil {
		err = t.find(j)
	}
	if err != nil {
		return nil, fmt.Errorf("preparing %s: %w", job.Generator, err)
	}
	return t, nil
}

// find works out the task's key and what the cache has for it.
func (t *task) find(j *Jar) error {
	options, err := json.Marshal(t.options)
	if err != nil {
		return err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q %q %q", j.sum, j.flags(), t.Generator, options, t.shape)
	if t.Templates != "" {
		templates := os.DirFS(t.Templates)
		err = fs.WalkDir(templates, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := fs.ReadFile(templates, name)
			fmt.Fprintf(sum, " %q %q", name, data)
			return err
		})
	}
	t.key = "openapi-generator " + hex.EncodeToString(sum.Sum(nil))
	if data, ok := j.cache.Get(t.key); ok && err == nil {
		if made, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
			t.made = made
		}
	}
	return err
}

// keep puts what the jar made for a task into the cache.
func (j *Jar) keep(t *task) error {
	if j.cache == nil {
		return nil
	}
	var data bytes.Buffer
	out := zip.NewWriter(&data)
	if err := out.AddFS(t.made); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return j.cache.Put(t.key, data.Bytes())
}
