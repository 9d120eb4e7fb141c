package scaffold

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// api is an API package.
type api struct {
	dir        string // "" for one of another module
	importPath string
	module     string // directory of its module
	name       string // in the package clause
	group      string
	version    string
	kinds      []string
	files      []string // Go files besides tests

	hasDoc, tagged     bool // there is a doc.go; it has +k8s:openapi-gen=true
	marked             bool // a file has +groupName
	deepcopy           bool // a file has a marker for deepcopy code of all types
	genclient          bool // a kind has +genclient
	hidden             bool // a package that no CRD is made of
	generated, openapi []string
}

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// apiVersion is a version of an API.
var apiVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// discover finds the project's own API packages: those with root kinds. Where PROJECT lists some of them,
// those of other groups are left out.
func (p *project) discover() error {
	found, err := p.scan()
	if err != nil {
		return err
	}
	listed, err := p.readProject()
	if err != nil {
		return err
	}
	groups := map[string]bool{}
	for _, r := range listed.resources {
		i := slices.IndexFunc(found, func(a *api) bool { return a.dir == r.dir })
		if i < 0 {
			p.note(r.pos, "if there is such a kind, correct the path",
				"PROJECT lists the kind %s, but there is no root kind in %s: left out", r.kind, r.dir)
			continue
		}
		found[i].group = cmp.Or(found[i].group, r.group)
		groups[found[i].group] = true
	}
	var unnamed diag.List
	for _, a := range found {
		pos := token.Position{Filename: a.dir}
		switch {
		case a.group == "":
			hint := "if it is an API package, write in " + path.Join(a.dir, "doc.go") +
				" above the package clause:\n// +groupName=example.org"
			unnamed.Add(pos, rule, hint, "the group of the kinds %s is unknown", strings.Join(a.kinds, ", "))
			p.note(pos, hint, "the group of the kinds %s is unknown: left out", strings.Join(a.kinds, ", "))
		case len(groups) > 0 && !groups[a.group]:
			p.note(pos, "to include it, add to apis in "+p.opts.Config+":\n- path: "+a.dir,
				"PROJECT does not list the group %s: left out", a.group)
		default:
			p.apis = append(p.apis, a)
		}
	}
	if len(p.apis) > 0 {
		return nil
	}
	if len(unnamed) > 0 {
		return unnamed
	}
	return diag.Errorf(token.Position{}, rule,
		"declare a struct with metav1.TypeMeta and metav1.ObjectMeta in a package such as api/v1alpha1, or name the API "+
			"package of another module with --package",
		"no package of the project has a root kind")
}

// own says whether an import path is of the project's module, or of one below it.
func (p *project) own(importPath string) bool { return within(importPath, p.module.path) }

// scan returns the packages with root kinds and an API version, sorted by directory.
func (p *project) scan() ([]*api, error) {
	var found []*api
	// import paths and modules by directory
	homes, modules := map[string]string{".": p.module.path}, map[string]string{".": "."}
	err := fs.WalkDir(p.tree, ".", func(dir string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if dir != "." {
			if skipped(entry.Name()) {
				return fs.SkipDir
			}
			homes[dir], modules[dir] = path.Join(homes[path.Dir(dir)], entry.Name()), modules[path.Dir(dir)]
			if data, err := fs.ReadFile(p.tree, path.Join(dir, "go.mod")); err == nil {
				below := modfile.ModulePath(data)
				if p.module.require(below) == nil {
					return fs.SkipDir // a module that has nothing to do with this one's API
				}
				homes[dir], modules[dir] = below, dir
			}
		}
		a, err := p.readPackage(dir)
		if err != nil || a == nil {
			return err
		}
		a.importPath, a.module = homes[dir], modules[dir]
		found = append(found, a)
		return nil
	})
	return found, err
}

// skipped says whether no API package is looked for in a directory of that name.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
		slices.Contains([]string{"vendor", "testdata", "third_party", "node_modules", "test", "tests"}, name)
}

// readPackage reads the package in a directory; nil if it is none with root kinds.
func (p *project) readPackage(dir string) (*api, error) {
	sources, err := p.sources(dir)
	if err != nil || !slices.ContainsFunc(sources, func(s source) bool {
		return bytes.Contains(s.data, []byte("TypeMeta")) && bytes.Contains(s.data, []byte("ObjectMeta"))
	}) {
		return nil, err
	}
	a := &api{dir: dir}
	constants, groups := map[string]string{}, []ast.Expr{}
	for _, s := range sources {
		file, err := parser.ParseFile(token.NewFileSet(), s.name, s.data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the API packages: %w", err)
		}
		a.files = append(a.files, s.name)
		if ast.IsGenerated(file) {
			a.addGenerated(s)
			continue
		}
		a.name = file.Name.Name
		a.version = cmp.Or(a.version, a.name)
		a.readComments(path.Base(s.name) == "doc.go", file)
		a.kinds = append(a.kinds, kindsOf(file)...)
		groups = append(groups, declarations(file, constants)...)
	}
	a.group = cmp.Or(a.group, groupOf(groups, constants))
	if a.hidden || len(a.kinds) == 0 || !apiVersion.MatchString(a.version) {
		return nil, nil
	}
	return a, nil
}

// source is a Go file.
type source struct {
	name string
	data []byte
}

// sources reads the Go files of a directory, without tests.
func (p *project) sources(dir string) ([]source, error) {
	names, err := fs.Glob(p.tree, path.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []source
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := fs.ReadFile(p.tree, name)
		if err != nil {
			return nil, err
		}
		out = append(out, source{name, data})
	}
	return out, nil
}

// addGenerated records a file that a generator made.
func (a *api) addGenerated(s source) {
	if bytes.Contains(s.data, []byte("func GetOpenAPIDefinitions(")) {
		a.openapi = append(a.openapi, s.name)
		return
	}
	a.generated = append(a.generated, s.name)
}

// readComments finds markers of the package.
func (a *api) readComments(isDoc bool, file *ast.File) {
	a.hasDoc = a.hasDoc || isDoc
	for _, group := range file.Comments {
		for _, comment := range group.List {
			name, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")), "=")
			switch name {
			case "+groupName":
				a.group, a.marked = strings.Trim(value, `"`), true
			case "+versionName":
				a.version = value
			case "+k8s:openapi-gen":
				a.tagged = a.tagged || isDoc && value == "true"
			case "+kubebuilder:object:generate", "+k8s:deepcopy-gen":
				a.deepcopy = a.deepcopy || value == "true" || strings.HasPrefix(value, "package")
			case "+genclient":
				a.genclient = a.genclient || len(file.Decls) > 0
			case "+kubebuilder:skip":
				a.hidden = true
			}
		}
	}
}

// kindsOf returns the root kinds that a file declares.
func kindsOf(file *ast.File) []string {
	alias := ""
	for _, spec := range file.Imports {
		if spec.Path.Value == `"`+metav1+`"` {
			if alias = "v1"; spec.Name != nil {
				alias = spec.Name.Name
			}
		}
	}
	var kinds []string
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE || alias == "" {
			continue
		}
		for _, spec := range gen.Specs {
			spec := spec.(*ast.TypeSpec) //nolint:errcheck // of token.TYPE
			if t, ok := spec.Type.(*ast.StructType); ok && embeds(t, alias, "TypeMeta") && embeds(t, alias, "ObjectMeta") {
				kinds = append(kinds, spec.Name.Name)
			}
		}
	}
	return kinds
}

// embeds says whether a struct embeds the type of that name of an imported package.
func embeds(t *ast.StructType, pkg, name string) bool {
	return slices.ContainsFunc(t.Fields.List, func(field *ast.Field) bool {
		selector, ok := field.Type.(*ast.SelectorExpr)
		if !ok || len(field.Names) > 0 || selector.Sel.Name != name {
			return false
		}
		x, ok := selector.X.(*ast.Ident)
		return ok && x.Name == pkg
	})
}
