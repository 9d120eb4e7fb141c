package gocode

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
)

// simplify does what gofmt -s does to the code that gengo's generators write, with sorted imports: it
// removes types from the elements of a composite literal that repeat the literal's own type. They
// write none of the other forms that gofmt -s simplifies.
func simplify(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok {
			simplifyLiteral(lit)
		}
		return true
	})
	var out bytes.Buffer
	// This is how gofmt prints. The last of the modes, which has no name outside of go/printer, is for numbers.
	gofmt := printer.Config{Mode: printer.UseSpaces | printer.TabIndent | 1<<30, Tabwidth: 8}
	if err := gofmt.Fprint(&out, fset, file); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func simplifyLiteral(lit *ast.CompositeLit) {
	var keyType, elemType ast.Expr
	switch t := lit.Type.(type) {
	case *ast.ArrayType:
		elemType = t.Elt
	case *ast.MapType:
		keyType, elemType = t.Key, t.Value
	default:
		return
	}
	for i, elem := range lit.Elts {
		if pair, ok := elem.(*ast.KeyValueExpr); ok {
			pair.Key = withoutType(pair.Key, keyType)
			pair.Value = withoutType(pair.Value, elemType)
		} else {
			lit.Elts[i] = withoutType(elem, elemType)
		}
	}
}

// withoutType drops the type of the literal x if it is want, and &T{} becomes {} where want is *T.
func withoutType(x, want ast.Expr) ast.Expr {
	if want == nil {
		return x
	}
	if lit, ok := x.(*ast.CompositeLit); ok && sameType(lit.Type, want) {
		// What the elements may leave out is told by the type, so they go first.
		simplifyLiteral(lit)
		lit.Type = nil
		return lit
	}
	pointer, isPointer := want.(*ast.StarExpr)
	address, isAddress := x.(*ast.UnaryExpr)
	if isPointer && isAddress && address.Op == token.AND {
		if lit, ok := address.X.(*ast.CompositeLit); ok && sameType(lit.Type, pointer.X) {
			simplifyLiteral(lit)
			lit.Type = nil
			return lit
		}
	}
	return x
}

// sameType says whether two type expressions are spelt alike.
func sameType(a, b ast.Expr) bool {
	if a == nil || b == nil {
		return false
	}
	var x, y bytes.Buffer
	if format.Node(&x, token.NewFileSet(), a) != nil || format.Node(&y, token.NewFileSet(), b) != nil {
		return false
	}
	return x.String() == y.String()
}
