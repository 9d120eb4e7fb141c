// Package openapi reads what kube-openapi says of an API package: the definitions in its zz_generated.openapi.go,
// evaluated without compiling them.
package openapi

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Definitions are a package's OpenAPI definitions by Go type, such as
// "github.com/flux-framework/flux-operator/api/v1alpha1.MiniCluster".
type Definitions map[string]common.OpenAPIDefinition

// Schema is the schema of a definition.
type Schema = spec.Schema

// Constant is a default that +default=ref(…) takes from a constant of Go: its name, with the import
// path if it is another package's. Only compiled code knows the value, and nobody asks for it: the
// defaults are the CRD's.
type Constant string

// Ref is the reference callback that the definitions are made with: it keeps the Go type.
func Ref(goType string) spec.Ref { return spec.MustCreateRef("#/definitions/" + escape(goType)) }

// escape spells a Go type as one token of a JSON pointer.
func escape(goType string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(goType) }

const (
	// getDefinitions is the function that openapi-gen generates.
	getDefinitions = "GetOpenAPIDefinitions"
	// pointerTo is the function that it generates pointers to numbers with.
	pointerTo = "k8s.io/utils/ptr.To"

	notGenerated = "the file is not what openapi-gen writes; delete it and run `sdkgen generate`"
)

// Evaluate returns what GetOpenAPIDefinitions(Ref) of a zz_generated.openapi.go returns,
// without compiling it: the file is one map of composite literals, whose values are
// worked out from the syntax. What openapi-gen never writes is an error with its position. pkg is the
// import path of the package that the file is of.
//
// Definitions that are named by a method, OpenAPIModelName, have the Go type for a name too; what OpenAPISchemaType
// and OpenAPISchemaFormat return is left out.
func Evaluate(pkg, name string, src []byte) (Definitions, error) {
	e := &evaluator{pkg: pkg, fset: token.NewFileSet(), imports: map[string]string{}, funcs: map[string]*ast.FuncDecl{},
		running: map[string]bool{}}
	file, err := parser.ParseFile(e.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, e.syntax(err)
	}
	for _, imp := range file.Imports {
		importPath, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("parsing import %s: %w", imp.Path.Value, err)
		}
		local := path.Base(importPath)
		if imp.Name != nil {
			local = imp.Name.Name
		}
		e.imports[local] = importPath
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
			e.funcs[f.Name.Name] = f
		}
	}
	return e.definitions(name)
}

// evaluator turns the expressions of one generated file into values.
type evaluator struct {
	pkg     string // import path
	fset    *token.FileSet
	imports map[string]string // local name to import path
	funcs   map[string]*ast.FuncDecl
	running map[string]bool // functions whose result is being evaluated
	keys    []string        // of the maps around what is evaluated: a Go type, its property
}

// syntax converts the parser's errors.
func (e *evaluator) syntax(err error) error {
	list, ok := errors.AsType[scanner.ErrorList](err)
	if !ok {
		return fmt.Errorf("parsing definitions: %w", err)
	}
	var out diag.List
	for _, one := range list {
		out.Add(one.Pos, "openapi", notGenerated, "%s", one.Msg)
	}
	return out
}

func (e *evaluator) definitions(name string) (Definitions, error) {
	f, ok := e.funcs[getDefinitions]
	if !ok {
		return nil,
			diag.List{{Pos: token.Position{Filename: name}, Rule: "openapi", Message: "the file has no func " + getDefinitions,
				Hint: notGenerated}}
	}
	var out map[string]common.OpenAPIDefinition
	if err := e.call(f, reflect.ValueOf(&out).Elem()); err != nil {
		return nil, err
	}
	return out, nil
}

// call evaluates a function that is one return statement.
func (e *evaluator) call(f *ast.FuncDecl, into reflect.Value) error {
	if f.Body == nil || len(f.Body.List) != 1 {
		return e.errorf(f, "func %s is more than a return", f.Name.Name)
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return e.errorf(f, "func %s does not return one value", f.Name.Name)
	}
	if e.running[f.Name.Name] {
		return e.errorf(f, "func %s calls itself", f.Name.Name)
	}
	e.running[f.Name.Name] = true
	defer delete(e.running, f.Name.Name)
	return e.eval(ret.Results[0], into)
}

// eval sets into, whose type is known, to the value of x.
func (e *evaluator) eval(x ast.Expr, into reflect.Value) error {
	switch x := x.(type) {
	case *ast.CompositeLit:
		return e.literal(x, into)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return e.pointer(x.X, into)
		}
	case *ast.CallExpr:
		return e.callExpr(x, into)
	case *ast.ParenExpr:
		return e.eval(x.X, into)
	case *ast.Ident:
		if x.Name == "nil" {
			return e.null(x, into)
		}
	}
	value, err := e.constant(x)
	if err != nil {
		return err
	}
	return e.setConstant(x, value, into)
}

func (e *evaluator) null(x ast.Expr, into reflect.Value) error {
	switch into.Kind() {
	case reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
		into.SetZero()
		return nil
	}
	return e.errorf(x, "nil where a %s belongs", into.Type())
}

func (e *evaluator) pointer(x ast.Expr, into reflect.Value) error {
	if into.Kind() != reflect.Pointer {
		return e.errorf(x, "pointer where a %s belongs", into.Type())
	}
	into.Set(reflect.New(into.Type().Elem()))
	return e.eval(x, into.Elem())
}

// callExpr evaluates ref("…"), ptr.To[T](x), interface{}(nil) and calls of the file's own functions.
func (e *evaluator) callExpr(call *ast.CallExpr, into reflect.Value) error {
	switch len(call.Args) {
	case 0:
		return e.method(call, into)
	case 1:
	case 2: // the definition of OpenAPI 3, and that of Swagger 2.0, which is the one here
		if to, ok := call.Fun.(*ast.SelectorExpr); ok &&
			e.qualified(to) == commonPath+".EmbedOpenAPIDefinitionIntoV2Extension" {
			return e.eval(call.Args[1], into)
		}
		return e.unknownCall(call)
	default:
		return e.unknownCall(call)
	}
	arg := call.Args[0]
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		if own := e.funcs[fun.Name]; own != nil && isIdent(arg, "ref") {
			return e.call(own, into)
		}
		if fun.Name == "ref" {
			return e.ref(call, arg, into)
		}
	case *ast.IndexExpr:
		if to, ok := fun.X.(*ast.SelectorExpr); ok && e.qualified(to) == pointerTo {
			if t, ok := fun.Index.(*ast.Ident); !ok || into.Kind() != reflect.Pointer || t.Name != into.Type().Elem().String() {
				return e.errorf(call, "this pointer where a %s belongs", into.Type())
			}
			return e.pointer(arg, into)
		}
	case *ast.InterfaceType:
		if isIdent(arg, "nil") && into.Kind() == reflect.Interface {
			return e.null(arg, into)
		}
	}
	return e.unknownCall(call)
}

// method evaluates T{}.OpenAPIModelName(), which stands for the type, and leaves out what T{} says of its JSON.
func (e *evaluator) method(call *ast.CallExpr, into reflect.Value) error {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return e.unknownCall(call)
	}
	value, ok := method.X.(*ast.CompositeLit)
	if !ok {
		return e.unknownCall(call)
	}
	var goType string
	switch t := value.Type.(type) {
	case *ast.Ident:
		goType = e.pkg + "." + t.Name
	case *ast.SelectorExpr:
		goType = e.qualified(t)
	}
	switch {
	case goType == "":
	case method.Sel.Name == "OpenAPIModelName":
		return e.set(call, reflect.ValueOf(goType), into)
	case method.Sel.Name == "OpenAPISchemaType" && into.Kind() == reflect.Slice,
		method.Sel.Name == "OpenAPISchemaFormat" && into.Kind() == reflect.String:
		into.SetZero()
		return nil
	}
	return e.unknownCall(call)
}

// ref evaluates ref("…").
func (e *evaluator) ref(call *ast.CallExpr, arg ast.Expr, into reflect.Value) error {
	var goType string
	if err := e.eval(arg, reflect.ValueOf(&goType).Elem()); err != nil {
		return err
	}
	if _, err := spec.NewRef("#/definitions/" + escape(goType)); err != nil {
		return e.errorf(arg, "%q is not a Go type", goType)
	}
	return e.set(call, reflect.ValueOf(Ref(goType)), into)
}

// qualified returns the import path and name that a selector stands for, "" if it is no name of a package.
func (e *evaluator) qualified(x *ast.SelectorExpr) string {
	if pkg, ok := x.X.(*ast.Ident); ok {
		return e.imports[pkg.Name] + "." + x.Sel.Name
	}
	return ""
}

func isIdent(x ast.Expr, name string) bool {
	ident, ok := x.(*ast.Ident)
	return ok && ident.Name == name
}

// unknownCall is the error for a call that openapi-gen does not write, or writes for types with methods
// of which only compiled code knows the result.
func (e *evaluator) unknownCall(call *ast.CallExpr) error {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return e.errorf(call, "unknown function call")
	}
	switch method.Sel.Name {
	case "OpenAPIDefinition", "OpenAPIV3Definition":
		return e.problem(call,
			"add // +k8s:openapi-gen=false to the type: its schema is the one in the CRD, which +kubebuilder:validation:Type "+
				"sets",
			"a definition is the result of a method")
	}
	return e.errorf(call, "unknown function call")
}

func (e *evaluator) errorf(n ast.Node, format string, args ...any) error {
	return e.problem(n, notGenerated, format, args...)
}

func (e *evaluator) problem(n ast.Node, hint, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if len(e.keys) > 0 {
		message = strings.Join(e.keys, ": ") + ": " + message
	}
	return diag.List{{Pos: e.fset.Position(n.Pos()), Rule: "openapi", Message: message, Hint: hint}}
}

// set assigns a value whose type fits.
func (e *evaluator) set(n ast.Node, value, into reflect.Value) error {
	if !value.Type().AssignableTo(into.Type()) {
		return e.errorf(n, "%s where a %s belongs", value.Type(), into.Type())
	}
	into.Set(value)
	return nil
}

// constant evaluates numbers and strings, true and false, and operators on them.
func (e *evaluator) constant(x ast.Expr) (constant.Value, error) {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.INT || x.Kind == token.FLOAT || x.Kind == token.STRING {
			if value := constant.MakeFromLiteral(x.Value, x.Kind, 0); value.Kind() != constant.Unknown {
				return value, nil
			}
		}
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return constant.MakeBool(x.Name == "true"), nil
		}
	case *ast.UnaryExpr:
		if value, err := e.constant(x.X); err == nil && x.Op == token.SUB &&
			(value.Kind() == constant.Int || value.Kind() == constant.Float) {
			return constant.UnaryOp(x.Op, value, 0), nil
		}
	case *ast.BinaryExpr:
		left, err := e.constant(x.X)
		if err != nil {
			return nil, err
		}
		right, err := e.constant(x.Y)
		if err != nil {
			return nil, err
		}
		if x.Op == token.ADD && left.Kind() == constant.String && right.Kind() == constant.String {
			return constant.BinaryOp(left, x.Op, right), nil
		}
	}
	return nil, e.errorf(x, "unknown form of expression")
}

// constantName returns the constant that an expression names, "" if it is no name.
func (e *evaluator) constantName(x ast.Expr) Constant {
	switch x := x.(type) {
	case *ast.Ident:
		if !slices.Contains([]string{"true", "false", "nil", "_"}, x.Name) {
			return Constant(x.Name)
		}
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok && e.imports[pkg.Name] != "" {
			return Constant(e.qualified(x))
		}
	}
	return ""
}
