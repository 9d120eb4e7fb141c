package stage

import (
	"cmp"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Distribution is an SDK in a directory of its own, of one API package or of several. One alone is the
// package itself; several are packages in it: VERSION or, if they are of several groups, GROUP/VERSION.
type Distribution struct {
	Dir   string
	Name  string // of its package
	Parts []*Part
}

// Part is an API package in a distribution.
type Part struct {
	Document Document
	// Names are the packages that it is in below the distribution's, the outermost first; none if it is alone.
	Names []string
}

// Distributions says which API packages go into which distributions, in the order of documents. name is that of their
// packages, with its placeholders.
func (s *SDK) Distributions(docs []Document, name string) ([]*Distribution, error) {
	byDir := map[string]*Distribution{}
	var all []*Distribution
	for _, doc := range docs {
		group := s.Project.groupName(doc)
		version := doc.API.Version
		dir := config.Expand(s.Config.Dir, group, version)
		d := byDir[dir]
		if d == nil {
			d = &Distribution{Dir: dir, Name: config.Expand(name, group, version)}
			byDir[dir] = d
			all = append(all, d)
		}
		d.Parts = append(d.Parts, &Part{Document: doc, Names: []string{group, version}})
	}
	for _, d := range all {
		d.shorten()
	}
	return all, s.collisions(all, name).Err()
}

// shorten leaves out the names of packages that are not needed.
func (d *Distribution) shorten() {
	groups := map[string]bool{}
	for _, p := range d.Parts {
		groups[p.Document.API.Group] = true
	}
	for _, p := range d.Parts {
		switch {
		case len(d.Parts) == 1:
			p.Names = nil
		case len(groups) == 1:
			p.Names = p.Names[1:]
		}
	}
}

// groupName is the name of the packages of a document's group.
func (p *Project) groupName(doc Document) string {
	api, _ := p.apiOf(doc)
	return cmp.Or(api.Group, config.GroupName(doc.API.Group))
}

// collisions finds what cannot be told apart: distributions of one name, API packages in one package, and
// packages whose names are taken or not allowed.
func (s *SDK) collisions(all []*Distribution, name string) diag.List {
	var list diag.List
	pos := s.packagePos()
	names := map[string]*Distribution{}
	for _, d := range all {
		if other := names[d.Name]; other != nil && s.Language.AnnotateDistribution != nil {
			list.Add(pos, "config", s.distinctName(name)+
				"\nor leave the placeholders out of dir, for one SDK with all API packages",
				"the Python SDKs in %s and %s would both be named %s, and only one can be installed", other.Dir, d.Dir, d.Name)
		}
		names[d.Name] = d
		if err := s.Language.CheckPackage(d.Name); err != nil {
			list.Add(pos, "config", "write lower-case letters, digits and underscores", "%v", err)
		}
		list = append(list, s.partCollisions(d)...)
	}
	return list
}

// distinctName says how to write the name of the packages with every placeholder of dir.
func (s *SDK) distinctName(name string) string {
	for _, placeholder := range []string{"{group}", "{version}"} {
		if strings.Contains(s.Config.Dir, placeholder) && !strings.Contains(name, placeholder) {
			name += "_" + placeholder
		}
	}
	if s.Config.Package == "" {
		return fmt.Sprintf("write the placeholders of %s.dir in it, for example:\n\"packageName\": %q", s.Language.Stage,
			name)
	}
	return fmt.Sprintf("write the placeholders of dir in it, for example:\n%s:\n  package: %q", s.Language.Stage, name)
}

// renamed is an entry of the configuration with another name for a document's group.
func (p *Project) renamed(doc Document) string {
	api, _ := p.apiOf(doc)
	if api.Package != "" {
		return "apis:\n  - package: " + api.Package + "\n    dir: " + api.Dir + "\n    group: other"
	}
	return "apis:\n  - path: " + api.Path + "\n    group: other"
}

func (s *SDK) partCollisions(d *Distribution) diag.List {
	var list diag.List
	taken := map[string]*Part{}
	for _, p := range d.Parts {
		_, pos := s.Project.apiOf(p.Document)
		key := strings.Join(p.Names, "/")
		if other := taken[key]; other != nil {
			list.Add(pos, "config", "give one of the groups another name, for example:\n"+s.Project.renamed(p.Document),
				"%s %s and %s %s would both be the package %s in %s", other.Document.API.Group, other.Document.API.Version,
				p.Document.API.Group, p.Document.API.Version, key, d.Dir)
		}
		taken[key] = p
		for _, name := range p.Names {
			if err := s.Language.CheckPart(name); err != nil {
				list.Add(pos, "config", "give the group another name, for example:\n"+s.Project.renamed(p.Document), "%v", err)
			}
		}
	}
	return list
}

// partOptions returns the generator options of an API package, or of the distribution itself if p is nil.
func (s *SDK) partOptions(d *Distribution, p *Part, common map[string]any) map[string]any {
	options := maps.Clone(common)
	options["packageName"] = d.Name
	switch {
	case p == nil || len(p.Names) == 0:
	case s.Language.AnnotateDistribution != nil:
		options["packageName"] = strings.Join(append([]string{d.Name}, p.Names...), ".")
	default:
		options["packageName"] = p.Names[len(p.Names)-1]
	}
	return options
}

// Templates of a distribution of several API packages, and those of one alone in whose place they are.
const (
	distributionPackage = render.DistributionDir + "/__init__.py.mustache"
	distributionReadme  = render.DistributionDir + "/README.md.mustache"
	packageTemplate     = "__init__package.mustache"
	projectDir          = "project/"
	projectReadme       = projectDir + "README.md.mustache"
)

// partTemplates returns the templates of one of several API packages, or of the distribution itself if p is nil, and
// what messages call their directory.
func (s *SDK) partTemplates(d *Distribution, p *Part) (tree fs.FS, called string, err error) {
	if tree, called, err = s.templateFS(); err != nil || len(d.Parts) == 1 {
		return tree, called, err
	}
	all, err := s.readTemplates()
	if err != nil {
		return nil, "", err
	}
	if _, ok := all.Lookup(distributionPackage); !ok && p == nil {
		return nil, "", diag.Errorf(s.Project.Config.Pos(s.Language.Stage, "templates"), "template",
			"add it, or write {version} in "+s.Language.Stage+".dir for an SDK of each version",
			"%s lacks %s, and %d API packages go into %s", called, distributionPackage, len(d.Parts), d.Dir)
	}
	archive := &txtar.Archive{}
	for file := range all.All() {
		switch {
		case p != nil && strings.HasPrefix(file.Path, projectDir),
			p == nil && (file.Path == packageTemplate || file.Path == projectReadme):
			continue
		case p == nil && file.Path == distributionPackage:
			file.Path = packageTemplate
		case p == nil && file.Path == distributionReadme:
			file.Path = projectReadme
		}
		archive.Files = append(archive.Files, txtar.File{Name: file.Path, Data: file.Data})
	}
	tree, err = txtar.FS(archive)
	return tree, called, err
}

// apiOf returns the entry of a document's API package in the configuration, and its position.
func (p *Project) apiOf(doc Document) (config.API, token.Position) {
	for i, api := range p.Config.APIs {
		if api.OutputDir() == path.Dir(doc.File) {
			return api, p.Config.Pos("apis", i)
		}
	}
	return config.API{}, p.Config.Pos("apis")
}
