package swagger

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path"
	"reflect"
	"strconv"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flux-framework/flux-operator/internal/diag"
)

// Definitions are a package's OpenAPI definitions by Go type, such as
// "github.com/flux-framework/flux-operator/api/v1alpha1.MiniCluster".
type Definitions map[string]common.OpenAPIDefinition

// Ref is the reference callback that the definitions are made with: it keeps the Go type.
func Ref(goType string) spec.Ref { return spec.MustCreateRef(definitionsPrefix + escape(goType)) }

// getDefinitions is the function that openapi-gen writes.
const getDefinitions = "GetOpenAPIDefinitions"

// Evaluate returns what GetOpenAPIDefinitions(Ref) of a zz_generated.openapi.go returns,
// without compiling it: the file is one map of composite literals, whose values are
// worked out from the syntax. What openapi-gen never writes is an error with its position.
func Evaluate(name string, src []byte) (Definitions, error) {
	e := &evaluator{fset: token.NewFileSet(), imports: map[string]string{}, funcs: map[string]*ast.FuncDecl{}}
	file, err := parser.ParseFile(e.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing definitions: %w", err)
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
	fset    *token.FileSet
	imports map[string]string // local name to import path
	funcs   map[string]*ast.FuncDecl
}

func (e *evaluator) definitions(name string) (Definitions, error) {
	f, ok := e.funcs[getDefinitions]
	if !ok {
		return nil, diag.List{{Pos: token.Position{Filename: name}, Rule: "openapi", Message: "there is no func " + getDefinitions}}
	}
	out := reflect.New(reflect.TypeFor[map[string]common.OpenAPIDefinition]()).Elem()
	if err := e.call(f, out); err != nil {
		return nil, err
	}
	return out.Interface().(map[string]common.OpenAPIDefinition), nil
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
			into.SetZero()
			return nil
		}
	}
	value, err := e.constant(x)
	if err != nil {
		return err
	}
	return e.setConstant(x, value, into)
}

func (e *evaluator) pointer(x ast.Expr, into reflect.Value) error {
	if into.Kind() != reflect.Pointer {
		return e.errorf(x, "pointer where a %s belongs", into.Type())
	}
	into.Set(reflect.New(into.Type().Elem()))
	return e.eval(x, into.Elem())
}

// callExpr evaluates ref("…"), ptr.To[T](x) and calls of the file's own functions.
func (e *evaluator) callExpr(call *ast.CallExpr, into reflect.Value) error {
	fun := call.Fun
	if index, ok := fun.(*ast.IndexExpr); ok { // ptr.To[T]
		fun = index.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		if own := e.funcs[fun.Name]; own != nil {
			return e.call(own, into)
		}
		if fun.Name == "ref" && len(call.Args) == 1 {
			var goType string
			if err := e.eval(call.Args[0], reflect.ValueOf(&goType).Elem()); err != nil {
				return err
			}
			return e.set(call, reflect.ValueOf(Ref(goType)), into)
		}
	case *ast.SelectorExpr:
		if fun.Sel.Name == "To" && len(call.Args) == 1 {
			return e.pointer(call.Args[0], into)
		}
	}
	return e.errorf(call, "a call of this function is not known")
}

func (e *evaluator) errorf(n ast.Node, format string, args ...any) error {
	return diag.List{{Pos: e.fset.Position(n.Pos()), Rule: "openapi", Message: fmt.Sprintf(format, args...),
		Hint: "the file is not what openapi-gen writes; delete it and run `sdkgen generate`"}}
}

// set assigns a value whose type fits.
func (e *evaluator) set(n ast.Node, value, into reflect.Value) error {
	if !value.Type().AssignableTo(into.Type()) {
		return e.errorf(n, "%s where a %s belongs", value.Type(), into.Type())
	}
	into.Set(value)
	return nil
}

// constant evaluates literals, true and false, and operators on them.
func (e *evaluator) constant(x ast.Expr) (constant.Value, error) {
	switch x := x.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(x.Value, x.Kind, 0), nil
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return constant.MakeBool(x.Name == "true"), nil
		}
	case *ast.UnaryExpr:
		if value, err := e.constant(x.X); err == nil && x.Op == token.SUB {
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
	return nil, e.errorf(x, "an expression of this form is not known")
}
