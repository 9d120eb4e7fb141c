package samples

import (
	"path"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// KustomizationNames are the names under which kustomize looks for its file.
var KustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomization is what is read of a file of kustomize, a Kustomization or a Component: which files are no manifests.
type kustomization struct {
	Patches               []kustomizePatch `yaml:"patches"`
	PatchesJSON6902       []kustomizePatch `yaml:"patchesJson6902"`
	PatchesStrategicMerge []string         `yaml:"patchesStrategicMerge"` // paths or patches
	Replacements          []kustomizePatch `yaml:"replacements"`
	Configurations        []string         `yaml:"configurations"`
	OpenAPI               kustomizePatch   `yaml:"openapi"`
	ConfigMapGenerator    []kustomizeFiles `yaml:"configMapGenerator"`
	SecretGenerator       []kustomizeFiles `yaml:"secretGenerator"`
}

type kustomizePatch struct {
	Path string `yaml:"path"`
}

// kustomizeFiles are files that become data of a ConfigMap or Secret.
type kustomizeFiles struct {
	Files []string `yaml:"files"` // FILE or KEY=FILE
	Envs  []string `yaml:"envs"`
}

// notManifests returns the files of kustomize's among the authors', and those that it reads for something else than
// resources.
func notManifests(authors *artifact.Set) map[string]bool {
	found := map[string]bool{}
	for file := range authors.All() {
		if !slices.Contains(KustomizationNames, path.Base(file.Path)) {
			continue
		}
		found[file.Path] = true
		var read kustomization
		_ = yamlv3.Unmarshal(file.Data, &read) // what kustomize refuses is its own to report
		for _, name := range read.files() {
			found[path.Join(path.Dir(file.Path), name)] = true
		}
	}
	return found
}

// files are the paths of the files, from the directory of the kustomization.
func (k *kustomization) files() []string {
	all := slices.Concat(k.PatchesStrategicMerge, k.Configurations, []string{k.OpenAPI.Path})
	for _, patch := range slices.Concat(k.Patches, k.PatchesJSON6902, k.Replacements) {
		all = append(all, patch.Path)
	}
	for _, generator := range slices.Concat(k.ConfigMapGenerator, k.SecretGenerator) {
		for _, name := range generator.Files {
			if _, file, found := strings.Cut(name, "="); found {
				name = file
			}
			all = append(all, name)
		}
		all = append(all, generator.Envs...)
	}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}
