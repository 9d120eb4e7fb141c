package pyuse

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// Facts are what the check knows of an SDK.
type Facts struct {
	sdk     SDK
	modules map[string]*module
	classes map[string]*class // of models
}

// module is one of the SDK's package.
type module struct {
	names   map[string]origin
	defined map[string]*python.Class
	stars   []string // modules whose names it takes over
	all     []string // names that __all__ lists
	lazy    bool     // it has a __getattr__
	open    bool     // it can not be read, so it may have any name
}

// origin is where a name comes from: another module, if name is "", a name in one, or the module
// itself if both are "".
type origin struct{ module, name string }

// Read reads an SDK.
func Read(sdk SDK) *Facts {
	f := &Facts{sdk: sdk, modules: map[string]*module{}, classes: map[string]*class{}}
	root := strings.ReplaceAll(sdk.Package, ".", "/") + "/"
	var files []File
	for file := range sdk.Files.All() {
		if strings.HasPrefix(file.Path, root) && path.Ext(file.Path) == ".py" {
			files = append(files, File{Inside: file.Path, Data: file.Data})
		}
	}
	for i, parsed := range parse(files) {
		f.add(files[i].Inside, parsed)
	}
	for name := range sdk.Models {
		f.classes[name] = f.model(name)
	}
	return f
}

// moduleName returns the module of a file, and whether it is a package's __init__.py.
func moduleName(file string) (name string, isPackage bool) {
	stem := strings.TrimSuffix(file, ".py")
	if path.Base(stem) == "__init__" {
		return strings.ReplaceAll(path.Dir(stem), "/", "."), true
	}
	return strings.ReplaceAll(stem, "/", "."), false
}

// add reads a module; the directories above it are modules too.
func (f *Facts) add(file string, parsed parsed) {
	name, isPackage := moduleName(file)
	for above := parent(name); f.inside(above) && f.modules[above] == nil; above = parent(above) {
		f.modules[above] = &module{}
	}
	m := &module{names: map[string]origin{}, defined: map[string]*python.Class{}}
	f.modules[name] = m
	body := parsed.body
	if parsed.err != nil {
		m.open = true
		return
	}
	for bound := range python.Bound(body) {
		m.names[bound] = origin{}
	}
	_, m.lazy = m.names["__getattr__"]
	python.WalkAll(body, func(node any) bool {
		switch n := node.(type) {
		case *python.Def, *python.Lambda:
			return false
		case *python.Class:
			m.defined[n.Name] = n
			return false
		case *python.Import:
			for _, alias := range n.Names {
				m.names[alias.Bound()] = origin{module: imported(alias)}
			}
		case *python.From:
			m.from(absolute(n, name, isPackage), n.Names)
		case *python.Assign:
			m.exports(n)
		}
		return true
	})
}

func (m *module) from(source string, names []python.Alias) {
	if names == nil {
		m.stars = append(m.stars, source)
	}
	for _, alias := range names {
		m.names[alias.Bound()] = origin{source, alias.Name}
	}
}

// exports notes what __all__ lists.
func (m *module) exports(n *python.Assign) {
	target, ok := n.Targets[0].(*python.Name)
	list, isList := n.Value.(*python.Sequence)
	if !ok || !isList || target.ID != "__all__" {
		return
	}
	for _, element := range list.Elements {
		if text, ok := element.(*python.String); ok {
			m.all = append(m.all, text.Value)
		}
	}
}

// imported is the module that "import a.b" binds, a, or "import a.b as c", a.b.
func imported(alias python.Alias) string {
	if alias.As != "" {
		return alias.Name
	}
	return alias.Bound()
}

// absolute is the module that a from statement names, in a module; "" where that has too many dots.
func absolute(n *python.From, in string, isPackage bool) string {
	if n.Level == 0 {
		return n.Module
	}
	if !isPackage {
		in = parent(in)
	}
	for range n.Level - 1 {
		in = parent(in)
	}
	if in == "" || n.Module == "" {
		return in
	}
	return in + "." + n.Module
}

func parent(module string) string { return module[:max(strings.LastIndexByte(module, '.'), 0)] }

// inside says whether a module is the SDK's package, or in it.
func (f *Facts) inside(module string) bool {
	return module == f.sdk.Package || strings.HasPrefix(module, f.sdk.Package+".")
}

// versioned is what classes of Kubernetes are called: V1ObjectMeta, CoreV1Event.
var versioned = regexp.MustCompile(`^([A-Z][A-Za-z0-9]*)?V[0-9]`)

// has says whether a module of the SDK has a name. One with a __getattr__ has the classes of
// Kubernetes.
func (f *Facts) has(module, name string) bool {
	for from := range f.starred(module, map[string]bool{}) {
		if !f.inside(from) || f.binds(from, name) {
			return true
		}
	}
	return false
}

// starred is a set with a module and those that it takes all names of.
func (f *Facts) starred(module string, into map[string]bool) map[string]bool {
	if !into[module] {
		into[module] = true
		if m := f.modules[module]; m != nil {
			for _, star := range m.stars {
				f.starred(star, into)
			}
		}
	}
	return into
}

// binds says whether a module itself has a name.
func (f *Facts) binds(module, name string) bool {
	m := f.modules[module]
	if m == nil {
		return false
	}
	_, bound := m.names[name]
	return bound || m.open || special(name) || f.modules[module+"."+name] != nil || slices.Contains(m.all, name) ||
		m.lazy && versioned.MatchString(name)
}

// special says whether Python itself gives a name its meaning.
func special(name string) bool {
	return strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// public are the names that "from module import *" binds.
func (f *Facts) public(module string) []string {
	var names []string
	for from := range f.starred(module, map[string]bool{}) {
		m := f.modules[from]
		if m == nil {
			continue
		}
		names = append(names, m.all...)
		for name := range m.names {
			if !strings.HasPrefix(name, "_") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// resolve finds what a name in a module of the SDK is: a module, a model's class, or unknown.
func (f *Facts) resolve(in, name string) *value {
	where, found := f.definition(in, name, 0)
	switch {
	case found == "" && where != "":
		return &value{kind: isModule, name: where}
	case found != "" && f.sdk.Models[found] != nil:
		return &value{kind: isClass, name: found}
	}
	return nil
}

// definition follows imports to the module that defines a name, or, if the name is one of a
// module, to that, with no name. Both are "" where that is not known.
func (f *Facts) definition(in, name string, depth int) (module, defined string) {
	m := f.modules[in]
	if m == nil || depth > 20 {
		return "", ""
	}
	o, bound := m.names[name]
	bound = bound && o != origin{in, name} // "from . import models" in the package of models
	switch {
	case !bound && f.modules[in+"."+name] != nil:
		return in + "." + name, ""
	case bound && o.module == "":
		return in, name
	case bound && o.name == "":
		return o.module, ""
	case bound && f.inside(o.module):
		return f.definition(o.module, o.name, depth+1)
	case bound:
		return "", ""
	}
	for _, star := range m.stars {
		if f.inside(star) && f.has(star, name) {
			return f.definition(star, name, depth+1) // the first of several
		}
	}
	return in, name // by __all__ and __getattr__
}
