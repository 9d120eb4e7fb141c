package pipeline

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// runtimeFiles returns what the SDKs of a language have in common, as files of the package pkg; none if
// the project has templates of its own, which replace these files too.
func (s *sdk) runtimeFiles(pkg string) (*artifact.Set, error) {
	set := &artifact.Set{}
	if s.cfg.Templates != "" {
		return set, nil
	}
	read := runtime.Python
	if s.stage == GoStage {
		read = runtime.Go
	}
	files, err := read(pkg)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if err := set.Put(artifact.File{Path: file.Path, Data: file.Data, Origin: s.stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}
