package project

import (
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
)

// fakeDir is the directory of the fake API server in a Go SDK.
const fakeDir = "fake"

// fakeSchemas returns the schemas that the fake of a distribution embeds, none if it has no fake.
func (s *sdk) fakeSchemas(d *distribution) (*artifact.Set, error) {
	set := &artifact.Set{}
	if s.stage != GoStage || s.cfg.Templates != "" {
		return set, nil
	}
	for _, p := range d.parts {
		data, err := golang.FakeSchema(p.data, p.API)
		if err != nil {
			return nil, err
		}
		name := strings.Join(append([]string{"schema"}, p.names...), "-") + ".json"
		if err := set.Put(artifact.File{Path: path.Join(fakeDir, name), Data: data, Origin: s.stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}
