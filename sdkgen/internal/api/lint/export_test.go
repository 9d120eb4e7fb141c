package lint

import (
	"go/types"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// CheckPackages is Check for packages that load.Load need not accept; directories are how diagnostics
// name those of the packages.
func CheckPackages(dirs []string, pkgs []*loader.Package) diag.List {
	return check(sourcesOf(dirs, pkgs))
}

func sourcesOf(dirs []string, pkgs []*loader.Package) []source {
	var sources []source
	for i, pkg := range pkgs {
		sources = append(sources, source{dirs[i], false, pkg, nil})
	}
	return sources
}

// Seen lists the markers that the linter believes a tool to give to the types and fields of a
// package, "Type" and "Type.Field", and to the package, "". Each is "name=value".
type Seen map[string][]string

// Add adds a marker.
func (s Seen) Add(key, name, value string) { s[key] = append(s[key], name+"="+value) }

// SeenInPackage returns what controller-gen and openapi-gen see in a package.
func SeenInPackage(pkg *loader.Package) (byControllerGen, byOpenAPIGen Seen, err error) {
	c, err := newCatalog()
	if err != nil {
		return nil, nil, err
	}
	l := &linter{catalog: c, types: map[*types.TypeName]*declaration{}}
	api := &apiPackage{source: source{pkg.PkgPath, false, pkg, nil}}
	l.read(api)
	byControllerGen, byOpenAPIGen = Seen{}, Seen{}
	for _, decl := range api.declarations {
		key, ok := decl.key()
		if !ok {
			continue
		}
		for _, m := range decl.markers {
			name, value, _ := strings.Cut(m.text[1:], "=")
			if m.known == nil || m.form == spaced || m.place != inDoc && m.place != above {
				continue
			}
			if def := c.definition(m); def != nil && m.form != block {
				byControllerGen.Add(key, def.Name, value)
			}
			if m.known.reads[openapiGen]&decl.target != 0 && decl.target != onPackage && m.place == inDoc && m.form != tabbed &&
				(decl.name == nil || !decl.name.IsAlias()) {
				byOpenAPIGen.Add(key, name, value)
			}
		}
	}
	return byControllerGen, byOpenAPIGen, nil
}

func (d *declaration) key() (string, bool) {
	switch {
	case d.target == onPackage:
		return "", true
	case d.target == onType && d.name != nil:
		return d.name.Name(), true
	case d.target == onField && d.owner != nil && d.owner.name != nil:
		return d.owner.name.Name() + "." + fieldName(d.field), true
	}
	return "", false
}

// RawRegistry is the registry of the catalog with definitions that take every value.
func RawRegistry() (*markers.Registry, error) {
	c, err := newCatalog()
	if err != nil {
		return nil, err
	}
	raw := &markers.Registry{}
	for _, def := range c.registry.AllDefinitions() {
		def, err := markers.MakeDefinition(def.Name, def.Target, markers.RawArguments(nil))
		if err != nil {
			return nil, err
		}
		def.Strict = false
		if err := raw.Register(def); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// OpenAPIMarkers says which markers openapi-gen reads at types and at fields.
func OpenAPIMarkers() (atTypes, atFields func(name string) bool, err error) {
	c, err := newCatalog()
	if err != nil {
		return nil, nil, err
	}
	at := func(t target) func(string) bool {
		return func(name string) bool {
			k := c.find("+" + name + "=")
			return k != nil && k.reads[openapiGen]&t != 0
		}
	}
	return at(onType), at(onField), nil
}
