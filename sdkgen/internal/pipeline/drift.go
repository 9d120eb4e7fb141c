package pipeline

import (
	"fmt"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// Drift compares sdkgen.lock with the tree by hashes alone: the generated files, and the inputs of
// each stage. It returns a line for each difference.
func (p *Project) Drift() ([]string, error) {
	b := p.newBuild(false)
	var lines []string
	for _, s := range b.plan().stages() {
		files, err := p.lock.Drift(p.root, s.name)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			what := "was edited"
			if file.Kind == artifact.Added {
				what = "is missing"
			}
			lines = append(lines, fmt.Sprintf("%s: %s %s", s.name, file.Path, what))
		}
		set, clean, err := p.lock.StageClean(p.root, s.name)
		if err != nil {
			return nil, err
		}
		if clean {
			b.sets[s.name] = set
		}
		if slices.ContainsFunc(s.inputs, func(input string) bool { return b.sets[input] == nil }) {
			continue // its inputs differ already
		}
		key, err := b.key(s)
		if err != nil {
			return nil, err
		}
		if old, _ := p.lock.Key(s.name); old != key {
			lines = append(lines, s.name+": its inputs changed")
		}
	}
	return lines, nil
}
