package swagger

import (
	"go/ast"
	"go/constant"
	"reflect"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// named are the types that openapi-gen's composite literals name, by import path and name.
var named = map[string]reflect.Type{
	commonPath + ".OpenAPIDefinition": reflect.TypeFor[common.OpenAPIDefinition](),
	specPath + ".Schema":              reflect.TypeFor[spec.Schema](),
	specPath + ".SchemaProps":         reflect.TypeFor[spec.SchemaProps](),
	specPath + ".SwaggerSchemaProps":  reflect.TypeFor[spec.SwaggerSchemaProps](),
	specPath + ".SchemaOrArray":       reflect.TypeFor[spec.SchemaOrArray](),
	specPath + ".SchemaOrBool":        reflect.TypeFor[spec.SchemaOrBool](),
	specPath + ".VendorExtensible":    reflect.TypeFor[spec.VendorExtensible](),
	specPath + ".Extensions":          reflect.TypeFor[spec.Extensions](),
}

const (
	commonPath = "k8s.io/kube-openapi/pkg/common"
	specPath   = "k8s.io/kube-openapi/pkg/validation/spec"
)

// literal evaluates a composite literal. Its type is the one it names, or into's where it
// leaves it out.
func (e *evaluator) literal(lit *ast.CompositeLit, into reflect.Value) error {
	t := into.Type()
	if lit.Type != nil {
		var err error
		if t, err = e.typeOf(lit.Type); err != nil {
			return err
		}
	} else if t.Kind() == reflect.Pointer {
		into.Set(reflect.New(t.Elem()))
		return e.literal(lit, into.Elem())
	}
	value := reflect.New(t).Elem()
	var err error
	switch t.Kind() {
	case reflect.Struct:
		err = e.structLiteral(lit, value)
	case reflect.Map:
		err = e.mapLiteral(lit, value)
	case reflect.Slice:
		err = e.sliceLiteral(lit, value)
	default:
		err = e.errorf(lit, "composite literal of a %s", t)
	}
	if err != nil {
		return err
	}
	if into.Kind() != reflect.Interface && t.ConvertibleTo(into.Type()) { // []string to StringOrArray
		value = value.Convert(into.Type())
	}
	return e.set(lit, value, into)
}

func (e *evaluator) structLiteral(lit *ast.CompositeLit, value reflect.Value) error {
	for _, elem := range lit.Elts {
		pair, ok := elem.(*ast.KeyValueExpr)
		if !ok {
			return e.errorf(elem, "struct element without a field name")
		}
		name, ok := pair.Key.(*ast.Ident)
		if !ok {
			return e.errorf(pair, "struct element without a field name")
		}
		field := value.FieldByName(name.Name)
		if !field.IsValid() {
			return e.errorf(name, "%s has no field %s", value.Type(), name.Name)
		}
		if err := e.eval(pair.Value, field); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluator) mapLiteral(lit *ast.CompositeLit, value reflect.Value) error {
	value.Set(reflect.MakeMap(value.Type()))
	for _, elem := range lit.Elts {
		pair, ok := elem.(*ast.KeyValueExpr)
		if !ok {
			return e.errorf(elem, "map element without a key")
		}
		key := reflect.New(value.Type().Key()).Elem()
		if err := e.eval(pair.Key, key); err != nil {
			return err
		}
		item := reflect.New(value.Type().Elem()).Elem()
		if err := e.eval(pair.Value, item); err != nil {
			return err
		}
		value.SetMapIndex(key, item)
	}
	return nil
}

func (e *evaluator) sliceLiteral(lit *ast.CompositeLit, value reflect.Value) error {
	value.Set(reflect.MakeSlice(value.Type(), len(lit.Elts), len(lit.Elts)))
	for i, elem := range lit.Elts {
		if err := e.eval(elem, value.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// typeOf resolves a type expression: a named type of the packages that openapi-gen imports,
// a basic type, interface{}, or maps and slices of them.
func (e *evaluator) typeOf(x ast.Expr) (reflect.Type, error) {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		if pkg, ok := x.X.(*ast.Ident); ok {
			if t := named[e.imports[pkg.Name]+"."+x.Sel.Name]; t != nil {
				return t, nil
			}
		}
	case *ast.ArrayType:
		if x.Len == nil {
			elem, err := e.typeOf(x.Elt)
			if err != nil {
				return nil, err
			}
			return reflect.SliceOf(elem), nil
		}
	case *ast.MapType:
		key, err := e.typeOf(x.Key)
		if err != nil {
			return nil, err
		}
		value, err := e.typeOf(x.Value)
		if err != nil {
			return nil, err
		}
		return reflect.MapOf(key, value), nil
	case *ast.InterfaceType:
		return reflect.TypeFor[any](), nil
	case *ast.Ident:
		switch x.Name {
		case "string":
			return reflect.TypeFor[string](), nil
		case "any":
			return reflect.TypeFor[any](), nil
		}
	}
	return nil, e.errorf(x, "a type of this form is not known")
}

// setConstant assigns a constant, as Go would convert it.
func (e *evaluator) setConstant(n ast.Node, value constant.Value, into reflect.Value) error {
	switch kind := into.Kind(); {
	case kind == reflect.Interface:
		into.Set(reflect.ValueOf(defaultType(value)))
	case kind == reflect.String && value.Kind() == constant.String:
		into.SetString(constant.StringVal(value))
	case kind == reflect.Bool && value.Kind() == constant.Bool:
		into.SetBool(constant.BoolVal(value))
	case kind == reflect.Int64 && constant.ToInt(value).Kind() == constant.Int:
		i, exact := constant.Int64Val(constant.ToInt(value))
		if !exact {
			return e.errorf(n, "%s overflows int64", value)
		}
		into.SetInt(i)
	case kind == reflect.Float64 && constant.ToFloat(value).Kind() == constant.Float:
		f, _ := constant.Float64Val(value)
		into.SetFloat(f)
	default:
		return e.errorf(n, "%s where a %s belongs", value, into.Type())
	}
	return nil
}

// defaultType is the value that an untyped constant has in an interface.
func defaultType(value constant.Value) any {
	switch value.Kind() {
	case constant.Bool:
		return constant.BoolVal(value)
	case constant.String:
		return constant.StringVal(value)
	case constant.Int:
		if i, exact := constant.Int64Val(value); exact {
			return int(i)
		}
	}
	f, _ := constant.Float64Val(value)
	return f
}
