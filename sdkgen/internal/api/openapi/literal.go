package openapi

import (
	"go/ast"
	"go/constant"
	"math"
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
	return e.set(lit, value, into)
}

func (e *evaluator) structLiteral(lit *ast.CompositeLit, value reflect.Value) error {
	seen := map[string]bool{}
	for _, elem := range lit.Elts {
		pair, ok := elem.(*ast.KeyValueExpr)
		if !ok {
			return e.errorf(elem, "struct element without a field name")
		}
		name, ok := pair.Key.(*ast.Ident)
		if !ok {
			return e.errorf(pair, "struct element without a field name")
		}
		field, ok := value.Type().FieldByName(name.Name)
		if !ok || !field.IsExported() || len(field.Index) != 1 || seen[name.Name] {
			return e.errorf(name, "%s has no field %s, or has it already", value.Type(), name.Name)
		}
		seen[name.Name] = true
		into := value.FieldByIndex(field.Index)
		if constant := e.constantName(pair.Value); constant != "" && name.Name == "Default" {
			into.Set(reflect.ValueOf(constant))
		} else if err := e.eval(pair.Value, into); err != nil {
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
		if err := e.mapElement(pair, value); err != nil {
			return err
		}
	}
	return nil
}

func (e *evaluator) mapElement(pair *ast.KeyValueExpr, value reflect.Value) error {
	key := reflect.New(value.Type().Key()).Elem()
	if err := e.eval(pair.Key, key); err != nil {
		return err
	}
	if value.MapIndex(key).IsValid() {
		return e.errorf(pair.Key, "duplicate key %s", key)
	}
	e.keys = append(e.keys, key.String())
	defer func() { e.keys = e.keys[:len(e.keys)-1] }()
	item := reflect.New(value.Type().Elem()).Elem()
	if err := e.eval(pair.Value, item); err != nil {
		return err
	}
	value.SetMapIndex(key, item)
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
		if t := named[e.qualified(x)]; t != nil {
			return t, nil
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
		if !isIdent(x.Key, "string") {
			return nil, e.errorf(x, "a map's keys are strings")
		}
		value, err := e.typeOf(x.Value)
		if err != nil {
			return nil, err
		}
		return reflect.MapOf(reflect.TypeFor[string](), value), nil
	case *ast.InterfaceType:
		if x.Methods.NumFields() == 0 {
			return reflect.TypeFor[any](), nil
		}
	case *ast.Ident:
		switch x.Name {
		case "string":
			return reflect.TypeFor[string](), nil
		case "any":
			return reflect.TypeFor[any](), nil
		}
	}
	return nil, e.errorf(x, "unknown form of type")
}

// setConstant assigns a constant, as Go would convert it.
func (e *evaluator) setConstant(n ast.Node, value constant.Value, into reflect.Value) error {
	switch kind := into.Kind(); {
	case kind == reflect.Interface:
		return e.setAny(n, value, into)
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
		if math.IsInf(f, 0) {
			return e.errorf(n, "%s overflows float64", value)
		}
		into.SetFloat(f)
	default:
		return e.errorf(n, "%s where a %s belongs", value, into.Type())
	}
	return nil
}

// setAny gives an interface the value that an untyped constant has in it.
func (e *evaluator) setAny(n ast.Node, value constant.Value, into reflect.Value) error {
	var typed reflect.Value
	switch value.Kind() {
	case constant.Bool:
		typed = reflect.New(reflect.TypeFor[bool]())
	case constant.String:
		typed = reflect.New(reflect.TypeFor[string]())
	case constant.Int:
		typed = reflect.New(reflect.TypeFor[int64]())
	default:
		typed = reflect.New(reflect.TypeFor[float64]())
	}
	if err := e.setConstant(n, value, typed.Elem()); err != nil {
		return err
	}
	typed = typed.Elem()
	if value.Kind() == constant.Int {
		typed = typed.Convert(reflect.TypeFor[int]())
	}
	into.Set(typed)
	return nil
}
