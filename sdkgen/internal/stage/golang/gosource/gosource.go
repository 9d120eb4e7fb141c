// Package gosource writes objects of an API as Go source, with the types of the API.
package gosource

import (
	"fmt"
	"go/format"
	"go/types"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Program returns a package that declares an object, Sample, of a type of a package. It is an error if a type in it
// decodes its JSON itself, unless it is one of Kubernetes' that many APIs have.
func Program(pkg *types.Package, name string, object map[string]any) (string, error) {
	declared := pkg.Scope().Lookup(name)
	if declared == nil {
		return "", fmt.Errorf("%s has no type %s", pkg.Path(), name)
	}
	w := &writer{imports: map[string]string{}}
	value, err := w.value(declared.Type(), object)
	if err != nil {
		return "", err
	}
	var imports []string
	for _, importPath := range slices.Sorted(maps.Keys(w.imports)) {
		if alias := w.imports[importPath]; alias != path.Base(importPath) {
			imports = append(imports, fmt.Sprintf("%s %q", alias, importPath))
		} else {
			imports = append(imports, strconv.Quote(importPath))
		}
	}
	text := fmt.Sprintf("package sample\n\nimport (\n%s\n)\n\nvar Sample = %s\n", strings.Join(imports, "\n"), value)
	formatted, err := format.Source([]byte(text))
	return string(formatted), err
}

// writer notes what has to be imported.
type writer struct{ imports map[string]string } // alias by path

var version = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// use returns the name by which a package is imported: metav1, corev1, v1alpha1.
func (w *writer) use(importPath, name string) string {
	if alias, ok := w.imports[importPath]; ok {
		return alias
	}
	if version.MatchString(name) && strings.HasPrefix(importPath, "k8s.io/") {
		name = path.Base(path.Dir(importPath)) + name
	}
	taken := slices.Collect(maps.Values(w.imports))
	for n, base := 2, name; slices.Contains(taken, name); n++ {
		name = base + strconv.Itoa(n)
	}
	w.imports[importPath] = name
	return name
}

// spell returns a type as the program has it.
func (w *writer) spell(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string { return w.use(pkg.Path(), pkg.Name()) })
}

// value returns a JSON value as an expression of a type.
func (w *writer) value(t types.Type, value any) (string, error) {
	if text, ok, err := w.special(t, value); ok || err != nil {
		return text, err
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		text, err := w.value(u.Elem(), value)
		if _, isStruct := u.Elem().Underlying().(*types.Struct); isStruct && strings.HasSuffix(text, "}") {
			return "&" + text, err
		}
		return fmt.Sprintf("%s.To[%s](%s)", w.use("k8s.io/utils/ptr", "ptr"), w.spell(u.Elem()), text), err
	case *types.Struct:
		if object, ok := value.(map[string]any); ok {
			return w.object(t, u, maps.Clone(object))
		}
	case *types.Slice:
		if list, ok := value.([]any); ok {
			return w.list(t, u, list)
		}
	case *types.Map:
		if object, ok := value.(map[string]any); ok {
			return w.mapping(t, u, object)
		}
	case *types.Basic:
		switch value := value.(type) {
		case string:
			return strconv.Quote(value), nil
		case bool, int64, float64:
			return fmt.Sprint(value), nil
		}
	}
	return "", fmt.Errorf("%v cannot be written as %s", value, t)
}

const metav1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// special writes types that decode their JSON themselves.
func (w *writer) special(t types.Type, value any) (text string, ok bool, err error) {
	named, isNamed := types.Unalias(t).(*types.Named)
	if !isNamed || named.Obj().Pkg() == nil {
		return "", false, nil
	}
	pkg := named.Obj().Pkg()
	function := func(call string) (string, bool, error) { return w.use(pkg.Path(), pkg.Name()) + "." + call, true, nil }
	switch name := pkg.Path() + "." + named.Obj().Name(); name {
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		if n, ok := value.(int64); ok {
			return function(fmt.Sprintf("FromInt32(%d)", n))
		}
		return function(fmt.Sprintf("FromString(%q)", value))
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return function(fmt.Sprintf("MustParse(%q)", fmt.Sprint(value)))
	case metav1 + ".Time":
		at, err := time.Parse(time.RFC3339, fmt.Sprint(value))
		at = at.UTC()
		text := fmt.Sprintf("Date(%d, %d, %d, %d, %d, %d, 0, %s.UTC)", at.Year(), at.Month(), at.Day(), at.Hour(),
			at.Minute(), at.Second(), w.use("time", "time"))
		return w.use(metav1, "v1") + "." + text, err == nil, err
	case metav1 + ".Duration":
		length, err := time.ParseDuration(fmt.Sprint(value))
		return fmt.Sprintf("%s.Duration{Duration: %d * %s.Millisecond}", w.use(metav1, "v1"), length.Milliseconds(),
			w.use("time", "time")), err == nil, err
	}
	if method, _, _ := types.LookupFieldOrMethod(types.NewPointer(t), true, pkg, "UnmarshalJSON"); method != nil {
		return "", false, fmt.Errorf("%s decodes its JSON itself", t)
	}
	return "", false, nil
}

// object writes the fields of a struct, and removes them from the object. Those of structs that it inlines come first.
func (w *writer) object(t types.Type, s *types.Struct, object map[string]any) (string, error) {
	text, err := w.fields(t, s, object)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if err == nil {
			err = fmt.Errorf("%s has no field for %q", t, key)
		}
	}
	return text, err
}

func (w *writer) fields(t types.Type, s *types.Struct, object map[string]any) (string, error) {
	var b strings.Builder
	b.WriteString(w.spell(t) + "{\n")
	for i := range s.NumFields() {
		field := s.Field(i)
		key, _, _ := strings.Cut(reflect.StructTag(s.Tag(i)).Get("json"), ",")
		inner, isStruct := field.Type().Underlying().(*types.Struct)
		if key == "" && field.Embedded() && isStruct {
			before := len(object)
			text, err := w.fields(field.Type(), inner, object)
			if err != nil {
				return "", err
			}
			if len(object) < before {
				fmt.Fprintf(&b, "%s: %s,\n", field.Name(), text)
			}
			continue
		}
		value, ok := object[key]
		if !ok || key == "" {
			continue
		}
		delete(object, key)
		text, err := w.value(field.Type(), value)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %s,\n", field.Name(), text)
	}
	return b.String() + "}", nil
}

func (w *writer) list(t types.Type, s *types.Slice, list []any) (string, error) {
	var b strings.Builder
	b.WriteString(w.spell(t) + "{\n")
	for _, item := range list {
		text, err := w.value(s.Elem(), item)
		if err != nil {
			return "", err
		}
		b.WriteString(w.elided(s.Elem(), text) + ",\n")
	}
	return b.String() + "}", nil
}

func (w *writer) mapping(t types.Type, m *types.Map, object map[string]any) (string, error) {
	var b strings.Builder
	b.WriteString(w.spell(t) + "{\n")
	for _, key := range slices.Sorted(maps.Keys(object)) {
		text, err := w.value(m.Elem(), object[key])
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%q: %s,\n", key, w.elided(m.Elem(), text))
	}
	return b.String() + "}", nil
}

// elided leaves out what the list or map around an element says of its type already.
func (w *writer) elided(t types.Type, text string) string {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Slice, *types.Map:
		if rest := strings.TrimPrefix(text, w.spell(t)); strings.HasPrefix(rest, "{") {
			return rest
		}
	}
	return text
}
