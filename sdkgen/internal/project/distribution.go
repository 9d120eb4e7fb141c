package project

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang/link"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// distribution is an SDK in a directory of its own, of one API package or of several. One alone is the
// package itself; several are packages in it: VERSION or, if they are of several groups, GROUP/VERSION.
type distribution struct {
	dir   string
	name  string // of its package
	parts []*part
}

// part is an API package in a distribution.
type part struct {
	apiDocument
	names []string // of the packages that it is in below the distribution's, the outermost first; none if it is alone
}

// distributions says which API packages go into which distributions, in the order of documents. name is that of their
// packages, with its placeholders.
func (s *sdk) distributions(docs []apiDocument, name string) ([]*distribution, error) {
	byDir := map[string]*distribution{}
	var all []*distribution
	for _, doc := range docs {
		group := s.project.groupName(doc)
		dir := config.Expand(s.cfg.Dir, group, doc.Version)
		d := byDir[dir]
		if d == nil {
			d = &distribution{dir: dir, name: config.Expand(name, group, doc.Version)}
			byDir[dir] = d
			all = append(all, d)
		}
		d.parts = append(d.parts, &part{apiDocument: doc, names: []string{group, doc.Version}})
	}
	for _, d := range all {
		d.shorten()
	}
	return all, s.collisions(all, name).Err()
}

// shorten leaves out the names of packages that are not needed.
func (d *distribution) shorten() {
	groups := map[string]bool{}
	for _, p := range d.parts {
		groups[p.Group] = true
	}
	for _, p := range d.parts {
		switch {
		case len(d.parts) == 1:
			p.names = nil
		case len(groups) == 1:
			p.names = p.names[1:]
		}
	}
}

// groupName is the name of the packages of a document's group.
func (p *Project) groupName(doc apiDocument) string {
	api, _ := p.apiOf(doc)
	return cmp.Or(api.Group, config.GroupName(doc.Group))
}

// collisions finds what cannot be told apart: distributions of one name, API packages in one package, and
// packages whose names are taken or not allowed.
func (s *sdk) collisions(all []*distribution, name string) diag.List {
	var list diag.List
	pos := s.packagePos()
	names := map[string]*distribution{}
	for _, d := range all {
		if other := names[d.name]; other != nil && s.stage == PythonStage {
			list.Add(pos, "config", s.distinctName(name)+"\nor leave the placeholders out of dir, for one SDK with all API packages",
				"the Python SDKs in %s and %s would both be named %s, and only one can be installed", other.dir, d.dir, d.name)
		}
		names[d.name] = d
		if err := s.checkPackage(d.name); err != nil {
			list.Add(pos, "config", "write lower-case letters, digits and underscores", "%v", err)
		}
		list = append(list, s.partCollisions(d)...)
	}
	return list
}

// distinctName says how to write the name of the packages with every placeholder of dir.
func (s *sdk) distinctName(name string) string {
	for _, placeholder := range []string{"{group}", "{version}"} {
		if strings.Contains(s.cfg.Dir, placeholder) && !strings.Contains(name, placeholder) {
			name += "_" + placeholder
		}
	}
	if s.cfg.Package == "" {
		return fmt.Sprintf("write the placeholders of %s.dir in it, for example:\n\"packageName\": %q", s.stage, name)
	}
	return fmt.Sprintf("write the placeholders of dir in it, for example:\n%s:\n  package: %q", s.stage, name)
}

// renamed is an entry of the configuration with another name for a document's group.
func (p *Project) renamed(doc apiDocument) string {
	api, _ := p.apiOf(doc)
	if api.Package != "" {
		return "apis:\n  - package: " + api.Package + "\n    dir: " + api.Dir + "\n    group: other"
	}
	return "apis:\n  - path: " + api.Path + "\n    group: other"
}

func (s *sdk) partCollisions(d *distribution) diag.List {
	var list diag.List
	taken := map[string]*part{}
	for _, p := range d.parts {
		_, pos := s.project.apiOf(p.apiDocument)
		key := strings.Join(p.names, "/")
		if other := taken[key]; other != nil {
			list.Add(pos, "config", "give one of the groups another name, for example:\n"+s.project.renamed(p.apiDocument),
				"%s %s and %s %s would both be the package %s in %s", other.Group, other.Version, p.Group, p.Version, key, d.dir)
		}
		taken[key] = p
		for _, name := range p.names {
			if err := s.checkPart(name); err != nil {
				list.Add(pos, "config", "give the group another name, for example:\n"+s.project.renamed(p.apiDocument), "%v", err)
			}
		}
	}
	return list
}

// checkPart refuses the name of a package in a distribution.
func (s *sdk) checkPart(name string) error {
	if err := s.checkPackage(name); err != nil {
		return err
	}
	if s.stage != PythonStage {
		if name == path.Dir(link.Directory) {
			return fmt.Errorf("packages below a directory internal cannot be imported from elsewhere")
		}
		return nil
	}
	common, err := s.runtimeFiles("x")
	if _, taken := common.Lookup("x/" + name + ".py"); taken {
		return fmt.Errorf("the module %s of every Python SDK has the name of this group's package", name)
	}
	return err
}

// partOptions returns the generator options of an API package, or of the distribution itself if p is nil.
func (s *sdk) partOptions(d *distribution, p *part, common map[string]any) map[string]any {
	options := maps.Clone(common)
	options["packageName"] = d.name
	switch {
	case p == nil || len(p.names) == 0:
	case s.stage == PythonStage:
		options["packageName"] = strings.Join(append([]string{d.name}, p.names...), ".")
	default:
		options["packageName"] = p.names[len(p.names)-1]
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
func (s *sdk) partTemplates(d *distribution, p *part) (tree fs.FS, called string, err error) {
	if tree, called, err = s.templateFS(); err != nil || len(d.parts) == 1 {
		return tree, called, err
	}
	all, err := s.readTemplates()
	if err != nil {
		return nil, "", err
	}
	if _, ok := all.Lookup(distributionPackage); !ok && p == nil {
		return nil, "", diag.Errorf(s.project.cfg.Pos(s.stage, "templates"), "template", "add it, or write {version} in "+s.stage+".dir for an SDK of each version",
			"%s lacks %s, and %d API packages go into %s", called, distributionPackage, len(d.parts), d.dir)
	}
	archive := &txtar.Archive{}
	for file := range all.All() {
		switch {
		case p != nil && strings.HasPrefix(file.Path, projectDir), p == nil && (file.Path == packageTemplate || file.Path == projectReadme):
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

// annotated is what the templates of the distribution's own files see.
func (d *distribution) annotated() render.API {
	var parts []python.Part
	for _, p := range d.parts {
		parts = append(parts, python.Part{API: p.API, Names: p.names})
	}
	return python.AnnotateDistribution(d.name, parts)
}

// movePython keeps a package's own files and gives its pages and tests a name of their own. Of the files
// generated for the distribution it leaves out the empty packages of models and operations.
func movePython(d *distribution, p *part, file string) string {
	if p == nil {
		if strings.HasPrefix(file, d.name+"/") && file != d.name+"/__init__.py" {
			return ""
		}
		return file
	}
	if len(p.names) == 0 {
		return file
	}
	if name, ok := strings.CutPrefix(file, "test/test_"); ok {
		return "test/test_" + strings.Join(p.names, "_") + "_" + name
	}
	if name, ok := strings.CutPrefix(file, "docs/"); ok {
		return path.Join("docs", path.Join(p.names...), name)
	}
	if strings.HasPrefix(file, path.Join(d.name, path.Join(p.names...))+"/") {
		return file
	}
	return "" // the jar makes the packages that it is in, too
}

// moveGo puts a package into the directory of its name.
func moveGo(_ *distribution, p *part, file string) string {
	return path.Join(path.Join(p.names...), file)
}
