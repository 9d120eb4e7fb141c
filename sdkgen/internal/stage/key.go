package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"path/filepath"
	"reflect"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// generators are the modules whose version decides what the stages write; the API server's own code makes the
// document's paths.
var generators = []string{
	"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/code-generator",
	"k8s.io/gengo/v2", "k8s.io/kube-openapi", "sigs.k8s.io/controller-tools",
	"github.com/flux-framework/flux-operator/sdkgen",
}

// KeyOf returns the hash over all that decides what a stage generates: the generators' versions, the files of the
// stages that it reads, and what its own function adds. It is the same on every machine.
func (r *Run) KeyOf(s Stage) (string, error) {
	k := &Key{hash: sha256.New(), run: r}
	k.Add("stage", s.Name)
	for _, module := range generators {
		k.Add(module, r.Project.Env.Modules[module])
	}
	k.File(r.Project.Config.Header)
	if r.Project.Config.Year != "" {
		k.Add("year", r.Project.Config.Year)
	}
	for _, input := range s.Inputs {
		k.Set(input, r.Sets[input])
	}
	err := s.Key(k)
	if err == nil {
		err = k.err
	}
	if err != nil {
		return "", fmt.Errorf("working out the key of the stage %s: %w", s.Name, err)
	}
	return "sha256:" + hex.EncodeToString(k.hash.Sum(nil)), nil
}

// Key hashes named values; a length before each keeps them apart.
type Key struct {
	hash hash.Hash
	run  *Run
	err  error // the first
}

// Add adds a value.
func (k *Key) Add(name, value string) {
	fmt.Fprintf(k.hash, "%d:%s%d:%s", len(name), name, len(value), value)
}

// JSON adds a value by its JSON.
func (k *Key) JSON(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil && k.err == nil {
		k.err = err
	}
	k.Add(name, string(data))
}

// File adds a file of the project that may be missing.
func (k *Key) File(name string) {
	data, err := k.run.Project.Files.ReadOptional(name)
	if err != nil && k.err == nil {
		k.err = err
	}
	k.Add(name, artifact.Sum(data))
}

// Set adds files.
func (k *Key) Set(name string, set *artifact.Set) {
	for file := range set.All() {
		k.Add(name+"/"+file.Path, fmt.Sprintf("%s %t", artifact.Sum(file.Data), file.Mode&0o100 != 0))
	}
}

// Source adds the API's source and how it is loaded.
func (k *Key) Source() error {
	cfg := k.run.Project.Config
	k.JSON("apis", cfg.APIs)
	options := cfg.CRDOptions()
	k.JSON("allowDangerousTypes", options.AllowDangerousTypes)
	// These decide what the document holds, or whether the API server takes the CRDs.
	schema := config.CRD{
		IgnoreUnexportedFields:     options.IgnoreUnexportedFields,
		GenerateEmbeddedObjectMeta: options.GenerateEmbeddedObjectMeta,
	}
	if !reflect.ValueOf(schema).IsZero() {
		k.JSON("schema", schema)
	}
	inputs, err := k.run.inputs()
	if err != nil {
		return err
	}
	for _, in := range inputs {
		rel, err := filepath.Rel(k.run.Project.Env.Root, in.Path)
		if err != nil {
			return err
		}
		k.Add(filepath.ToSlash(rel), artifact.Sum(in.Data))
	}
	return nil
}
