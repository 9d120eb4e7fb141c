package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/gogen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// generators are the modules whose version decides what the Go stages write; the API server's own
// code makes the document's paths.
var generators = []string{
	"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/code-generator", "k8s.io/gengo/v2", "k8s.io/kube-openapi", "sigs.k8s.io/controller-tools",
	"github.com/flux-framework/flux-operator/sdkgen",
}

// key returns the hash over all that decides what a stage makes. It is the same on every machine.
func (r *run) key(stage string) (string, error) {
	k := r.keyer("stage", stage)
	k.file(r, r.cfg.Header)
	var err error
	switch stage {
	case PythonStage:
		err = r.sdkKey(k, r.python())
	case GoStage:
		err = r.sdkKey(k, r.golang())
	default:
		err = r.sourceKey(k, stage)
	}
	if err == nil {
		err = k.err
	}
	if err != nil {
		return "", fmt.Errorf("working out the key of the stage %s: %w", stage, err)
	}
	return k.sum(), nil
}

// keyer starts a hash of what a name stands for, made by this sdkgen's generators.
func (r *run) keyer(name, value string) *keyer {
	k := &keyer{hash: sha256.New()}
	k.add(name, value)
	for _, module := range generators {
		k.add(module, r.env.Modules[module])
	}
	return k
}

// sourceKey adds what the Go stages depend on: the API's source, and their configuration.
func (r *run) sourceKey(k *keyer, stage string) error {
	k.json("apis", r.cfg.APIs)
	k.json("allowDangerousTypes", r.cfg.AllowDangerousTypes)
	switch stage {
	case gogen.CRDStage:
		k.json("crd", r.cfg.CRD)
	case gogen.ClientsStage:
		k.json("clients", r.cfg.Clients)
		pkg, err := load.ImportPath(r.loadOptions(), r.cfg.Clients.Dir)
		if err != nil {
			return err
		}
		k.add("package", pkg)
		k.set("documents", r.sets[swagger.Stage])
	case gogen.OpenAPIStage:
		k.file(r, r.cfg.Rules.Exceptions)
	case swagger.Stage:
		k.json("swagger", r.cfg.Swagger)
	}
	inputs, err := r.inputs()
	if err != nil {
		return err
	}
	for _, in := range inputs {
		rel, err := filepath.Rel(r.env.Root, in.Path)
		if err != nil {
			return err
		}
		k.add(filepath.ToSlash(rel), artifact.Sum(in.Data))
	}
	return nil
}

// sdkKey adds what an SDK depends on: the documents, the jar, its options and templates, and the runtime.
func (r *run) sdkKey(k *keyer, lang language) error {
	options, err := r.options(lang)
	if err != nil {
		return err
	}
	k.add("jar", r.where().SHA256)
	k.json("sdk", lang.sdk)
	k.json("options", options)
	made, err := r.readTemplates(lang)
	if err != nil {
		return err
	}
	k.set("templates", made)
	pkg, _ := options["packageName"].(string)
	common, err := runtimeFiles(lang, pkg)
	if err != nil {
		return err
	}
	k.set("runtime", common)
	laid, err := r.readTree(lang.sdk.Overlay.Dir, "key")
	if err != nil {
		return err
	}
	k.set("overlay", laid)
	k.set("documents", r.sets[swagger.Stage])
	return nil
}

// Drift compares sdkgen.lock with the tree by hashes alone: the generated files, and the inputs of
// each stage. It returns a line for each difference.
func (p *Project) Drift() ([]string, error) {
	r := p.newRun(Options{})
	var lines []string
	for _, stage := range p.enabled() {
		set, clean, err := p.lock.StageClean(p.root, stage)
		if err != nil {
			return nil, err
		}
		if clean {
			r.sets[stage] = set
		}
		files, err := p.lock.Drift(p.root, stage)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			what := "was edited"
			if file.Kind == artifact.Added {
				what = "is missing"
			}
			lines = append(lines, fmt.Sprintf("%s: %s %s", stage, file.Path, what))
		}
		if r.sets[swagger.Stage] == nil && slices.Contains([]string{PythonStage, GoStage, gogen.ClientsStage}, stage) {
			continue // what it is made from differs already
		}
		key, err := r.key(stage)
		if err != nil {
			return nil, err
		}
		if old, _ := p.lock.Key(stage); old != key {
			lines = append(lines, stage+": what it is made from changed")
		}
	}
	return lines, nil
}

// keyer hashes named values; a length before each keeps them apart.
type keyer struct {
	hash hash.Hash
	err  error
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

func (k *keyer) file(r *run, name string) {
	data, err := r.readOptional(name)
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
