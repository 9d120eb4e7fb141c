package load

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The methods by which a type tells openapi-gen what its JSON is.
const (
	schemaTypeMethod   = "OpenAPISchemaType"
	schemaFormatMethod = "OpenAPISchemaFormat"
)

// SchemaTypes returns what the method OpenAPISchemaType returns of each type that kinds reach and that has it and
// OpenAPISchemaFormat, by Go type: nil stands for any JSON, or for what only compiled code knows. Kubernetes' own
// types are left out: controller-tools knows these.
func (r *Result) SchemaTypes() map[string][]string {
	text := map[string][]string{}
	for name := range r.reached {
		pkg := name.Pkg()
		if pkg == nil || strings.HasPrefix(pkg.Path(), "k8s.io/apimachinery/") ||
			strings.HasPrefix(pkg.Path(), "k8s.io/apiextensions-apiserver/") {
			continue
		}
		named, ok := name.Type().(*types.Named)
		if ok && returns(named, schemaTypeMethod, "[]string") && returns(named, schemaFormatMethod, "string") {
			text[pkg.Path()+"."+name.Name()] = r.returned(pkg.Path(), name.Name())
		}
	}
	return text
}

// returns says whether a type has a method without parameters that returns one value of that type.
func returns(named *types.Named, method, result string) bool {
	for m := range named.Methods() {
		if m.Name() == method {
			sig := m.Signature()
			return sig.Params().Len() == 0 && sig.Results().Len() == 1 && sig.Results().At(0).Type().String() == result
		}
	}
	return false
}

// returned reads the strings that OpenAPISchemaType of a type returns, where it is one return of a literal.
func (r *Result) returned(importPath, typeName string) (text []string) {
	roots := make([]*packages.Package, 0, len(r.Packages))
	for _, pkg := range r.Packages {
		roots = append(roots, pkg.Source.Package)
	}
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		if pkg.PkgPath != importPath {
			return
		}
		for _, file := range pkg.Syntax {
			for _, decl := range file.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == schemaTypeMethod && Receiver(f) == typeName {
					text = literalStrings(f)
				}
			}
		}
	})
	return text
}

// Receiver returns the name of the type, which may be generic, that a method is of; "" for a function.
func Receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	x := f.Recv.List[0].Type
	for {
		switch target := x.(type) {
		case *ast.ParenExpr:
			x = target.X
		case *ast.StarExpr:
			x = target.X
		case *ast.IndexExpr:
			x = target.X
		case *ast.IndexListExpr:
			x = target.X
		case *ast.Ident:
			return target.Name
		default:
			return ""
		}
	}
}

func literalStrings(f *ast.FuncDecl) []string {
	if f.Body == nil || len(f.Body.List) != 1 {
		return nil
	}
	statement, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(statement.Results) != 1 {
		return nil
	}
	list, ok := statement.Results[0].(*ast.CompositeLit)
	if !ok {
		return nil
	}
	var reported []string
	for _, element := range list.Elts {
		literal, ok := element.(*ast.BasicLit)
		if !ok {
			return nil
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			return nil
		}
		reported = append(reported, text)
	}
	return slices.Clip(reported)
}
