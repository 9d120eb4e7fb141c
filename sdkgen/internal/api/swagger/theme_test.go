package swagger_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// theme is a case of testdata/types: an API package whose WidgetSpec has a field for each row.
type theme struct {
	t        *testing.T
	file     *testkit.Case
	project  *project
	pkg      *load.Package
	doc      *spec.Swagger
	registry *markers.Registry
	crd      map[string]any // the schema of the spec
	python   map[string]*python.Model
	golang   *golang.Model
	declared map[string]*declared
}

// declared is a type of the package.
type declared struct {
	spec    *ast.TypeSpec
	markers []string
}

func newTheme(t *testing.T, c *testkit.Case, p *project, pkg *load.Package, api *model.API, doc *spec.Swagger) *theme {
	t.Helper()
	th := &theme{
		t: t, file: c, project: p, pkg: pkg, doc: doc,
		registry: &markers.Registry{}, python: map[string]*python.Model{}, declared: newDeclared(pkg),
	}
	if err := crdmarkers.Register(th.registry); err != nil {
		t.Fatal(err)
	}
	if c.Field("by") == "kinds" {
		return th
	}
	schema := p.crd(t, pkg, "Widget").Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	th.crd = decodeAny(t, schema).(map[string]any)
	printed, err := python.Annotate(api)
	if err != nil {
		t.Fatal(err)
	}
	for _, definition := range printed.Models {
		th.python[definition.Name] = definition.Value.(*python.Model)
	}
	if printed, err = golang.Annotate(api); err != nil {
		t.Fatal(err)
	}
	for _, definition := range printed.Models {
		if definition.Name == "WidgetSpec" {
			th.golang = definition.Value.(*golang.Model)
		}
	}
	return th
}

func newDeclared(pkg *load.Package) map[string]*declared {
	out := map[string]*declared{}
	loader.EachType(pkg.Source, func(_ *ast.File, group *ast.GenDecl, declaration *ast.TypeSpec) {
		out[declaration.Name.Name] = &declared{declaration, append(markersOf(group.Doc), markersOf(declaration.Doc)...)}
	})
	return out
}

func markersOf(doc *ast.CommentGroup) []string {
	var out []string
	if doc == nil {
		return nil
	}
	for _, comment := range doc.List {
		if text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")); strings.HasPrefix(text, "+") {
			out = append(out, text)
		}
	}
	return out
}

// row is a property of the spec, with the field that it is made from.
type row struct {
	goType, option, prefix string // as written; option is that of the JSON tag, prefix the struct that is inlined
	expr                   ast.Expr
	markers                []string // of the field
	crd, document          map[string]any
	required               bool
	python                 python.Field
	golang                 string // the field's type, and its default
	source                 string // the field on one line
	name, key              string
}

// rows are the properties of a struct, with those of structs that are inlined in it.
func (th *theme) rows(typeName, prefix string) []*row {
	var out []*row
	for _, field := range th.declared[typeName].spec.Type.(*ast.StructType).Fields.List {
		key, option, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ",")
		written := types.ExprString(field.Type)
		if option == "inline" {
			out = append(out, th.rows(written, written)...)
			continue
		}
		r := &row{goType: written, option: option, prefix: prefix, expr: field.Type, markers: markersOf(field.Doc), key: key}
		if len(field.Names) > 0 {
			r.name = field.Names[0].Name
		}
		r.source = strings.TrimSpace(r.name + " " + written + " " + field.Tag.Value)
		if key != "-" {
			th.fill(r)
		}
		out = append(out, r)
	}
	return out
}

// fill sets what a property is in the CRD, in swagger.json and in the SDKs.
func (th *theme) fill(r *row) {
	th.t.Helper()
	definition := th.doc.Definitions["WidgetSpec"]
	r.crd = propertyOf(th.t, th.crd, r.key)
	r.document = propertyOf(th.t, decodeAny(th.t, definition).(map[string]any), r.key)
	r.required = slices.Contains(definition.Required, r.key)
	if required, _ := th.crd["required"].([]any); slices.Contains(required, any(r.key)) != r.required {
		th.t.Errorf("%s: the CRD and swagger.json differ in what is required", r.key)
	}
	at := slices.IndexFunc(th.python["WidgetSpec"].Fields, func(f python.Field) bool { return f.Key == `"`+r.key+`"` })
	if at < 0 {
		th.t.Fatalf("there is no attribute for %s", r.key)
	}
	r.python = th.python["WidgetSpec"].Fields[at]
	r.golang = th.inGo(r.key)
}

func propertyOf(t *testing.T, schema map[string]any, key string) map[string]any {
	t.Helper()
	property, ok := schema["properties"].(map[string]any)[key].(map[string]any)
	if !ok {
		t.Fatalf("there is no property %s", key)
	}
	return tidy(property)
}

// tidy leaves out descriptions and Go types.
func tidy(schema map[string]any) map[string]any {
	out := map[string]any{}
	for keyword, value := range schema {
		if keyword == "description" || keyword == "x-go-type" {
			continue
		}
		if below, ok := value.(map[string]any); ok {
			value = tidy(below)
		}
		out[keyword] = value
	}
	return out
}

func (th *theme) inGo(key string) string {
	for _, field := range th.golang.Fields {
		unquoted, err := strconv.Unquote(field.Tag)
		if err != nil {
			th.t.Fatal(err)
		}
		name, _, _ := strings.Cut(reflect.StructTag(unquoted).Get("json"), ",")
		if name != key {
			continue
		}
		written := field.Type
		for _, value := range th.golang.Defaults {
			if value.Name == field.Name {
				written += " = " + value.Expr
			}
		}
		return written
	}
	th.t.Fatalf("there is no field for %s", key)
	return ""
}

// inPython is the annotation of an attribute, and its default.
func (r *row) inPython() string {
	if r.python.Required {
		return r.python.Hint
	}
	return r.python.Hint + " = " + r.python.Default
}

// typeRows writes a row for each Go type.
func (th *theme) typeRows() [][]string {
	var out [][]string
	for _, r := range th.rows("WidgetSpec", "") {
		cell := append(codes(r.markers), code(r.goType))
		switch {
		case r.key == "-":
			cell = []string{"any type with " + code(`json:"-"`)}
		case r.prefix != "":
			cell = []string{fmt.Sprintf("field %s of %s with %s", code(r.name), code(r.prefix), code(`json:",inline"`))}
		case r.option != "" && r.option != "omitempty":
			cell = append(cell, "with "+code("json:\",…"+r.option+"\""))
		}
		cell = append(cell, th.declarations(r.expr)...)
		cells := []string{strings.Join(cell, " "), "–", "–", "–", "–"}
		if r.key != "-" {
			crd, document := code(flow(short(r.crd))), code(flow(short(r.document)))
			if document == crd {
				document = "same"
			}
			cells = []string{cells[0], crd, document, code(r.inPython()), code(r.golang)}
		}
		out = append(out, cells)
	}
	return out
}

// declarations writes those of the package's types that an expression names, but not plain structs.
func (th *theme) declarations(x ast.Expr) []string {
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok || th.declared[ident.Name] == nil {
			return true
		}
		d := th.declared[ident.Name]
		text := "type " + ident.Name + " "
		if d.spec.Assign.IsValid() {
			text += "= "
		}
		if _, isStruct := d.spec.Type.(*ast.StructType); !isStruct {
			text += types.ExprString(d.spec.Type)
		} else if len(d.markers) > 0 {
			text += "struct{…}"
		} else {
			return true
		}
		out = append(out, append([]string{"of"}, append(codes(d.markers), code(text))...)...)
		return true
	})
	return out
}

func codes(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, code(text))
	}
	return out
}

// target is the definition that a property refers to, nil if it refers to none of the package's.
func (th *theme) target(r *row) (name string, definition map[string]any) {
	name = model.Referenced(th.doc.Definitions["WidgetSpec"].Properties[r.key])
	if found, ok := th.doc.Definitions[name]; ok && th.declared[name] != nil {
		return name, tidy(decodeAny(th.t, found).(map[string]any))
	}
	return name, nil
}
