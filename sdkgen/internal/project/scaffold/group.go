package scaffold

import (
	"go/ast"
	"go/token"
	"strconv"
)

// declarations records a file's string constants, and returns the expressions that it has for the group in
// a schema.GroupVersion with a version.
func declarations(file *ast.File, constants map[string]string) []ast.Expr {
	var groups []ast.Expr
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					if text, ok := literal(n.Values[i]); ok {
						constants[name.Name] = text
					}
				}
			}
		case *ast.CompositeLit:
			if selector, ok := n.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "GroupVersion" {
				groups = append(groups, groupExpr(n)...)
			}
		}
		return true
	})
	return groups
}

// groupExpr returns the value of Group, unless the version is that of internal types.
func groupExpr(lit *ast.CompositeLit) []ast.Expr {
	var group []ast.Expr
	for _, element := range lit.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		value, internal := pair.Value.(*ast.SelectorExpr)
		switch {
		case key == nil:
		case key.Name == "Group":
			group = append(group, pair.Value)
		case key.Name == "Version" && internal && value.Sel.Name == "APIVersionInternal":
			return nil
		}
	}
	return group
}

// groupOf returns the first of the expressions that is a string or a constant of the package.
func groupOf(groups []ast.Expr, constants map[string]string) string {
	for _, expr := range groups {
		if text, ok := literal(expr); ok {
			return text
		}
		if name, ok := expr.(*ast.Ident); ok && constants[name.Name] != "" {
			return constants[name.Name]
		}
	}
	return ""
}

// literal returns the value of a string literal.
func literal(expr ast.Expr) (string, bool) {
	lit, ok := expr.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}
