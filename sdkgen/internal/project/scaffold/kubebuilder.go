package scaffold

import (
	"bytes"
	"errors"
	"go/token"
	"io/fs"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// projectFile is the file that kubebuilder keeps the project's kinds in.
const projectFile = "PROJECT"

// scaffolded is what PROJECT says that matters here.
type scaffolded struct {
	Name      string      `yaml:"projectName"`
	Repo      string      `yaml:"repo"`
	Multi     bool        `yaml:"multigroup"`
	Listed    []yaml.Node `yaml:"resources"`
	Version   string      `yaml:"version"`
	Domain    string      `yaml:"domain"`
	resources []resource
}

// resource is a kind whose types are the project's own.
type resource struct {
	kind, group, dir string
	pos              token.Position
}

// entry is a resource as PROJECT has it.
type entry struct {
	API      *yaml.Node `yaml:"api"`
	External bool       `yaml:"external"`
	Core     bool       `yaml:"core"`
	Domain   string     `yaml:"domain"`
	Group    string     `yaml:"group"`
	Version  string     `yaml:"version"`
	Kind     string     `yaml:"kind"`
	Path     string     `yaml:"path"`
}

// readProject reads PROJECT, where there is one.
func (p *project) readProject() (*scaffolded, error) {
	s := &scaffolded{}
	data, err := fs.ReadFile(p.tree, projectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := yaml.Unmarshal(data, s); err != nil {
		return nil, config.YAMLError(projectFile, data, err)
	}
	if s.Name != "" {
		p.name = s.Name
	}
	var list diag.List
	for _, node := range s.Listed {
		var e entry
		if err := node.Decode(&e); err != nil {
			list = append(list, config.YAMLError(projectFile, data, err)...)
			continue
		}
		if e.Core || e.External || e.API == nil && s.Version == "3" {
			continue // a webhook or a controller for somebody else's kind
		}
		pos := token.Position{Filename: projectFile, Line: min(node.Line, bytes.Count(data, []byte("\n"))+1),
			Column: node.Column}
		dir, ok := s.directory(e)
		if !ok {
			list.Add(pos, rule, "correct the path, or remove the resource",
				"the path %q of the kind %s is not below the repo %q", e.Path, e.Kind, s.Repo)
			continue
		}
		s.resources = append(s.resources, resource{kind: e.Kind, group: join(e.Group, e.Domain, s.Domain), dir: dir,
			pos: pos})
	}
	return s, list.Err()
}

// directory returns where the types of a resource are: PROJECT files of old name no path.
func (s *scaffolded) directory(e entry) (dir string, ok bool) {
	if e.Path != "" {
		rest, ok := strings.CutPrefix(e.Path, s.Repo+"/")
		return path.Clean(rest), ok
	}
	if s.Multi {
		return path.Join("apis", e.Group, e.Version), true
	}
	return path.Join("api", e.Version), true
}

// join is the name of a group: kubebuilder's group, with its domain.
func join(group, domain, fallback string) string {
	if domain == "" {
		domain = fallback
	}
	return strings.Trim(group+"."+domain, ".")
}
