package gotypes

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Metav1 is the import path of ObjectMeta.
const Metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// Schemas holds controller-tools' schema of every type that the API's kinds reach, not
// flattened: the schema of a type refers to that of another as crd.TypeRefLink spells it, with
// the package.
type Schemas struct {
	byType    map[string]apiextensionsv1.JSONSchemaProps
	crds      map[string]*apiextensionsv1.CustomResourceDefinition // by the Go type of their kind
	resources map[string]*apiextensionsv1.CustomResourceDefinition // the same of kinds that no CRD serves
	types     map[string]declaration                               // by Go type
	custom    map[string]bool
}

// declaration is a Go type, and the package that it is in.
type declaration struct {
	pkg  *loader.Package
	info *markers.TypeInfo
}

// makeSchemas generates the schemas. ObjectMeta has all of its properties, unlike in a CRD, where the API server knows
// them itself, or, embedded, prunes them. The CRDs are the ones of Definitions.
func (s *Source) makeSchemas() (_ *Schemas, err error) {
	defer rescue(&err)
	parser := s.newParser()
	known := parser.PackageOverrides[Metav1]
	parser.PackageOverrides[Metav1] = func(p *crd.Parser, pkg *loader.Package) {
		known(p, pkg)
		delete(p.Schemata, crd.TypeIdent{Package: pkg, Name: "ObjectMeta"})
	}
	for _, pkg := range s.API.Packages {
		for _, kind := range pkg.Kinds {
			parser.NeedSchemaFor(crd.TypeIdent{Package: pkg.Source, Name: kind.Name})
		}
	}
	if err := s.API.Problems(); err != nil {
		return nil, err
	}
	definitions, err := s.definitions()
	if err != nil {
		return nil, err
	}
	out := &Schemas{
		byType: map[string]apiextensionsv1.JSONSchemaProps{}, crds: map[string]*apiextensionsv1.CustomResourceDefinition{},
		resources: map[string]*apiextensionsv1.CustomResourceDefinition{}, types: map[string]declaration{},
		custom: map[string]bool{},
	}
	for _, pkg := range s.API.Packages {
		for _, kind := range pkg.Kinds {
			if groupKind := (schema.GroupKind{Group: pkg.Group, Kind: kind.Name}); !kind.List {
				definition := definitions.CRDs[groupKind]
				switch {
				case !hasVersion(definition, pkg.Version):
				case !pkg.NoCRD:
					out.crds[pkg.Path+"."+kind.Name] = &definition
				case pkg.ListOf(kind.Name) != "":
					out.resources[pkg.Path+"."+kind.Name] = &definition
				}
			}
		}
	}
	for ident, info := range parser.Types {
		out.types[ident.Package.PkgPath+"."+ident.Name] = declaration{ident.Package, info}
	}
	for ident, schema := range parser.Schemata {
		qualified := schema.DeepCopy()
		crd.EditSchema(qualified, qualify{ident.Package.PkgPath})
		out.byType[ident.Package.PkgPath+"."+ident.Name] = *qualified
	}
	for goType, text := range s.API.SchemaTypes() {
		if schema, ok := out.byType[goType]; ok {
			out.custom[goType] = len(text) != 1 || text[0] != schema.Type
		}
	}
	return out, nil
}

// Custom returns the Go types with methods that say what their JSON is; true stands for those of which the CRD
// says something else.
func (s *Schemas) Custom() map[string]bool { return s.custom }

// Types returns the Go types, sorted.
func (s *Schemas) Types() []string { return slices.Sorted(maps.Keys(s.byType)) }

// Schema returns the schema of a Go type, "PACKAGE.Type"; false if no kind reaches it.
func (s *Schemas) Schema(goType string) (apiextensionsv1.JSONSchemaProps, bool) {
	schema, ok := s.byType[goType]
	return schema, ok
}

func hasVersion(definition apiextensionsv1.CustomResourceDefinition, name string) bool {
	return slices.ContainsFunc(definition.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
}

// CRD returns the CRD of a root kind, with all versions that were loaded; nil for other types, and
// for one that +kubebuilder:skipversion keeps out of it or that no CRD serves.
func (s *Schemas) CRD(goType string) *apiextensionsv1.CustomResourceDefinition { return s.crds[goType] }

// Plural returns the resource name of a root kind, such as miniclusters; "" for types that are no resources.
func (s *Schemas) Plural(goType string) string {
	if definition := cmp.Or(s.crds[goType], s.resources[goType]); definition != nil {
		return definition.Spec.Names.Plural
	}
	return ""
}

// Cluster says whether a root kind that no CRD serves is cluster-scoped.
func (s *Schemas) Cluster(goType string) bool {
	definition := s.resources[goType]
	if definition == nil {
		return false
	}
	doc := s.types[goType].info.RawDecl.Doc // clientsets go by it
	return definition.Spec.Scope == apiextensionsv1.ClusterScoped ||
		doc != nil && slices.ContainsFunc(doc.List, func(line *ast.Comment) bool {
			return strings.Contains(line.Text, "+genclient:nonNamespaced")
		})
}

// Pointer says whether the field of a Go type, "PACKAGE.Type", that holds a property is a pointer. The
// property may be that of a type which is inline in it.
func (s *Schemas) Pointer(goType, property string) bool {
	pointer, _ := s.field(goType, property)
	return pointer
}

func (s *Schemas) field(goType, property string) (pointer, found bool) {
	declared, ok := s.types[goType]
	if !ok {
		return false, false
	}
	for _, field := range declared.info.Fields {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		star, pointer := field.RawField.Type.(*ast.StarExpr)
		if name == property {
			return pointer, true
		}
		if name != "" {
			continue
		}
		inline := field.RawField.Type
		if pointer {
			inline = star.X
		}
		if named, ok := types.Unalias(declared.pkg.TypesInfo.TypeOf(inline)).(*types.Named); ok && named.Obj().Pkg() != nil {
			if pointer, found := s.field(named.Obj().Pkg().Path()+"."+named.Obj().Name(), property); found {
				return pointer, true
			}
		}
	}
	return false, false
}

// qualify completes controller-tools' references, which leave out the current package.
type qualify struct{ pkg string }

// Visit implements crd.SchemaVisitor.
func (q qualify) Visit(schema *apiextensionsv1.JSONSchemaProps) crd.SchemaVisitor {
	if schema != nil && schema.Ref != nil {
		if name, pkg, err := crd.RefParts(*schema.Ref); err == nil {
			if pkg == "" {
				pkg = q.pkg
			}
			// The visitor is called again when a reference changes: what is qualified stays the same.
			ref := crd.TypeRefLink(pkg, name)
			schema.Ref = &ref
		}
	}
	return q
}
