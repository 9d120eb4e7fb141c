package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"path/filepath"
	"reflect"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// generators are the modules whose version decides what the stages write; the API server's own
// code makes the document's paths.
var generators = []string{
	"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/code-generator", "k8s.io/gengo/v2", "k8s.io/kube-openapi", "sigs.k8s.io/controller-tools",
	"github.com/flux-framework/flux-operator/sdkgen",
}

// key returns the hash over all that decides what a stage makes: the generators' versions, the files of
// the stages that it reads, and what its own function adds. It is the same on every machine.
func (b *build) key(s stage) (string, error) {
	k := &keyer{hash: sha256.New(), files: b.files}
	k.add("stage", s.name)
	for _, module := range generators {
		k.add(module, b.env.Modules[module])
	}
	k.file(b.cfg.Header)
	if b.cfg.Year != "" {
		k.add("year", b.cfg.Year)
	}
	for _, input := range s.inputs {
		k.set(input, b.sets[input])
	}
	err := s.key(k)
	if err == nil {
		err = k.err
	}
	if err != nil {
		return "", fmt.Errorf("working out the key of the stage %s: %w", s.name, err)
	}
	return k.sum(), nil
}

func (b *build) openapiKey(k *keyer) error {
	k.file(b.cfg.Rules.Exceptions)
	return b.sourceKey(k)
}

func (b *build) swaggerKey(k *keyer) error {
	k.json("swagger", b.cfg.Swagger)
	return b.sourceKey(k)
}

func (b *build) crdKey(k *keyer) error {
	k.json("crd", b.cfg.CRD)
	if header := b.cfg.CRD.HeaderFile; header != "" {
		k.file(header)
	}
	return b.sourceKey(k)
}

func (b *build) clientsKey(k *keyer) error {
	k.json("clients", b.cfg.Clients)
	pkg, err := load.ImportPath(b.loadOptions(), b.cfg.Clients.Dir)
	if err != nil {
		return err
	}
	k.add("package", pkg)
	version, err := b.clientGoVersion()
	if err != nil {
		return err
	}
	if b.cfg.Clients.Version == config.Project {
		k.add(clientGo, version)
	}
	return b.sourceKey(k)
}

// sourceKey adds the API's source and how it is loaded.
func (b *build) sourceKey(k *keyer) error {
	k.json("apis", b.cfg.APIs)
	options := b.cfg.CRDOptions()
	k.json("allowDangerousTypes", options.AllowDangerousTypes)
	// These decide what the document holds, or whether the API server takes the CRDs.
	if schema := (config.CRD{IgnoreUnexportedFields: options.IgnoreUnexportedFields, GenerateEmbeddedObjectMeta: options.GenerateEmbeddedObjectMeta}); !reflect.ValueOf(schema).IsZero() {
		k.json("schema", schema)
	}
	inputs, err := b.inputs()
	if err != nil {
		return err
	}
	for _, in := range inputs {
		rel, err := filepath.Rel(b.env.Root, in.Path)
		if err != nil {
			return err
		}
		k.add(filepath.ToSlash(rel), artifact.Sum(in.Data))
	}
	return nil
}

// key adds what an SDK depends on beside the documents: options, templates, runtime, overlay, and a jar that
// is not the pinned one. The engine is part of it where the templates are the project's: of sdkgen's own, both engines
// make the same files.
func (s *sdk) key(k *keyer) error {
	options, err := s.generatorOptions()
	if err != nil {
		return err
	}
	k.add("jar", s.project.cfg.Generator.SHA256)
	k.json("sdk", s.cfg)
	if s.cfg.Templates != "" {
		k.add("engine", s.project.cfg.Engine)
	}
	k.json("options", options)
	for _, api := range s.project.cfg.APIs {
		if api.Group != "" {
			k.add("group of "+api.OutputDir(), api.Group)
		}
	}
	templates, err := s.readTemplates()
	if err != nil {
		return err
	}
	k.set("templates", templates)
	pkg, _ := options["packageName"].(string)
	common, err := s.runtimeFiles(pkg)
	if err != nil {
		return err
	}
	k.set("runtime", common)
	if len(s.project.cfg.APIs) > 1 && s.stage == GoStage {
		importPath, err := s.sharedPath(s.cfg.Dir)
		if err != nil {
			return err
		}
		k.add("package", importPath)
	}
	laid, err := s.project.files.readTree(s.cfg.Overlay.Dir, s.stage)
	if err != nil {
		return err
	}
	k.set("overlay", laid)
	return nil
}

// keyer hashes named values; a length before each keeps them apart.
type keyer struct {
	hash  hash.Hash
	files files
	err   error // the first
}

func (k *keyer) sum() string { return "sha256:" + hex.EncodeToString(k.hash.Sum(nil)) }

func (k *keyer) add(name, value string) {
	fmt.Fprintf(k.hash, "%d:%s%d:%s", len(name), name, len(value), value)
}

func (k *keyer) json(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil && k.err == nil {
		k.err = err
	}
	k.add(name, string(data))
}

func (k *keyer) file(name string) {
	data, err := k.files.readOptional(name)
	if err != nil && k.err == nil {
		k.err = err
	}
	k.add(name, artifact.Sum(data))
}

func (k *keyer) set(name string, set *artifact.Set) {
	for file := range set.All() {
		k.add(name+"/"+file.Path, fmt.Sprintf("%s %t", artifact.Sum(file.Data), file.Mode&0o100 != 0))
	}
}
