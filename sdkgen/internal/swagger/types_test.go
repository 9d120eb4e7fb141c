package swagger_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/flux-framework/flux-operator/sdkgen/internal/gosdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const typesIntro = `# What Go types and markers become

` + notByHand + `
Each row is a field of a Go struct: what its author writes, the field's schema in the CRD, the same in swagger.json (where it says
something else), and the attribute and field that the Python SDK and the Go client have. Descriptions, and the Go types that
swagger.json notes in ` + "`x-go-type`" + `, are left out. What is refused, and what to write in its place, is in [refused.md](refused.md).
`

// typesDocument is docs/types.md.
func typesDocument(t *testing.T) string {
	var b strings.Builder
	b.WriteString(typesIntro)
	var together []*testkit.Case
	themes := map[string]string{}
	for _, c := range testkit.Cases(t, "types/*.txtar") {
		if c.Field("floats") == "" {
			together = append(together, c)
		} else {
			themes[c.Name] = themesOf(t, []*testkit.Case{c})[c.Name]
		}
	}
	maps.Copy(themes, themesOf(t, together))
	for _, name := range slices.Sorted(maps.Keys(themes)) {
		b.WriteString(themes[name])
	}
	return b.String()
}

// themesOf writes the section of each case.
func themesOf(t *testing.T, cases []*testkit.Case) map[string]string {
	t.Helper()
	p, err := open(t, cases)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for i, c := range cases {
		pkg := p.api.Packages[i]
		name, src, err := p.openapi(pkg)
		if err != nil {
			t.Fatal(err)
		}
		definitions, err := swagger.Evaluate(name, src)
		if err != nil {
			t.Fatal(err)
		}
		api := p.description(t, pkg, definitions)
		doc, err := swagger.Build(api, swagger.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if refused := swagger.Refused(doc, api); len(refused) > 0 {
			t.Error(refused)
		}
		title, intro := split(c)
		var b strings.Builder
		fmt.Fprintf(&b, "\n## %s\n", title)
		if said := packageMarkers(c); len(said) > 0 {
			intro += "In doc.go: " + strings.Join(codes(said), " ") + "."
		}
		if intro != "" {
			fmt.Fprintf(&b, "\n%s\n", intro)
		}
		if doc.Definitions["WidgetSpec"].Type == nil {
			table(&b, []string{"Go", "CRD, but for its schema", "paths in swagger.json"}, kindRows(t, p, pkg, doc))
		} else {
			table(&b, []string{"Go", "CRD", "swagger.json", "Python", "Go client"}, newTheme(t, p, pkg, doc).rows())
		}
		out[c.Name] = b.String()
	}
	return out
}

// packageMarkers are those in a case's doc.go that do more than name the package.
func packageMarkers(c *testkit.Case) []string {
	var out []string
	for line := range strings.Lines(c.Part("doc.go")) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if ok && !strings.HasPrefix(text, "+groupName=") && text != "+k8s:openapi-gen=true" {
			out = append(out, text)
		}
	}
	return out
}

// theme is an API package whose WidgetSpec has a field for each row.
type theme struct {
	t        *testing.T
	doc      *spec.Swagger
	crd      any // the schema of the spec
	python   map[string]pysdk.Field
	golang   *gosdk.Model
	declared map[string]*declared
}

// declared is a type of the package.
type declared struct {
	spec    *ast.TypeSpec
	markers []string
}

func newTheme(t *testing.T, p *project, pkg *load.Package, doc *spec.Swagger) *theme {
	t.Helper()
	th := &theme{t: t, doc: doc, python: map[string]pysdk.Field{}, declared: newDeclared(pkg)}
	schema := p.crd(t, pkg, "Widget").Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	th.crd = decodeAny(t, schema)
	python, err := pysdk.Annotate(doc)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range python.Definitions["WidgetSpec"].Extensions[pysdk.Extension].(*pysdk.Model).Fields {
		th.python[field.Key] = field
	}
	golang, err := gosdk.Annotate(doc)
	if err != nil {
		t.Fatal(err)
	}
	th.golang = golang.Definitions["WidgetSpec"].Extensions[gosdk.Extension].(*gosdk.Model)
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

func (th *theme) rows() [][]string { return th.fields("WidgetSpec", "") }

// fields writes a row for each field of a struct, and for those of structs that are inlined in it.
func (th *theme) fields(typeName, prefix string) [][]string {
	var rows [][]string
	for _, field := range th.declared[typeName].spec.Type.(*ast.StructType).Fields.List {
		key, option, _ := strings.Cut(loader.ParseAstTag(field.Tag).Get("json"), ",")
		written := types.ExprString(field.Type)
		if len(field.Names) > 0 {
			written = field.Names[0].Name + " " + written
		}
		written = prefix + written
		if option == "inline" {
			rows = append(rows, th.fields(types.ExprString(field.Type), written+" (inline): ")...)
			continue
		}
		cell := append(codes(markersOf(field.Doc)), code(written))
		if option != "" {
			cell = append(cell, code(option))
		}
		cell = append(cell, th.declarations(field.Type)...)
		rows = append(rows, append([]string{strings.Join(cell, " ")}, th.becomes(key)...))
	}
	return rows
}

func codes(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, code(text))
	}
	return out
}

// declarations writes those of the package's types that a field's type names, but not plain structs.
func (th *theme) declarations(x ast.Expr) []string {
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok || th.declared[ident.Name] == nil {
			return true
		}
		d := th.declared[ident.Name]
		structType, isStruct := d.spec.Type.(*ast.StructType)
		text := "type " + ident.Name + " "
		if d.spec.Assign.IsValid() {
			text += "= "
		}
		switch {
		case !isStruct:
			text += types.ExprString(d.spec.Type)
		case !th.special(ident.Name):
			return true
		default:
			text += "struct{" + th.members(structType) + "}"
		}
		out = append(out, append([]string{"of"}, append(codes(d.markers), code(text))...)...)
		return true
	})
	return out
}

// members writes the fields of a struct on one line.
func (th *theme) members(structType *ast.StructType) string {
	var out []string
	for _, field := range structType.Fields.List {
		out = append(out, strings.Join(append(markersOf(field.Doc), field.Names[0].Name+" "+types.ExprString(field.Type)), " "))
	}
	return strings.Join(out, "; ")
}

// special says whether a struct type, or a field of it, has a marker: then its definition is shown.
func (th *theme) special(name string) bool {
	d := th.declared[name]
	if d == nil {
		return false
	}
	structType, ok := d.spec.Type.(*ast.StructType)
	return ok && (len(d.markers) > 0 || slices.ContainsFunc(structType.Fields.List, func(f *ast.Field) bool { return len(markersOf(f.Doc)) > 0 }))
}

// becomes writes what a property is in the CRD, in swagger.json and in the SDKs.
func (th *theme) becomes(key string) []string {
	th.t.Helper()
	if key == "-" {
		return []string{"nothing", "nothing", "nothing", "nothing"}
	}
	definition := th.doc.Definitions["WidgetSpec"]
	property, ok := definition.Properties[key]
	if !ok {
		th.t.Fatalf("there is no property %s", key)
	}
	target := swagger.Referenced(property)
	whole := th.special(target)
	crd := fragment(th.t, th.crd, key, whole)
	document := fragment(th.t, decodeAny(th.t, definition), key, whole)
	if whole {
		document += ", where " + code(target) + " is " + code(text(th.t, tidy(decodeAny(th.t, th.doc.Definitions[target]), true)))
	} else if document == crd {
		document = "same"
	}
	return []string{crd, document, th.inPython(key), th.inGo(key)}
}

func (th *theme) inPython(key string) string {
	field, ok := th.python["'"+key+"'"]
	if !ok {
		th.t.Fatalf("there is no attribute for %s", key)
	}
	written := field.Attr + ": " + field.Hint
	if !field.Required {
		written += " = " + field.Default
	}
	return code(written)
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
		written := field.Name + " " + field.Type
		for _, value := range th.golang.Defaults {
			if value.Name == field.Name {
				written += " = " + value.Expr
			}
		}
		return code(written)
	}
	th.t.Fatalf("there is no field for %s", key)
	return ""
}

// fragment writes a property of a schema, and whether it is required.
func fragment(t *testing.T, schema any, key string, whole bool) string {
	t.Helper()
	object := schema.(map[string]any)
	property, ok := object["properties"].(map[string]any)[key]
	if !ok {
		t.Fatalf("there is no property %s", key)
	}
	out := code(text(t, tidy(property, whole)))
	if required, _ := object["required"].([]any); slices.Contains(required, any(key)) {
		out += ", required"
	}
	return out
}

// tidy leaves descriptions and Go types out of a schema, and what its properties are, unless whole.
func tidy(value any, whole bool) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	out := map[string]any{}
	for keyword, value := range object {
		switch keyword {
		case "description", "x-go-type":
		case "properties":
			if !whole {
				out[keyword] = "…"
				continue
			}
			properties := map[string]any{}
			for name, property := range value.(map[string]any) {
				properties[name] = tidy(property, whole)
			}
			out[keyword] = properties
		case "items", "additionalProperties":
			out[keyword] = tidy(value, whole)
		default:
			out[keyword] = value
		}
	}
	return out
}

// text is a schema on one line.
func text(t *testing.T, schema any) string {
	t.Helper()
	out := strings.Join(strings.Fields(encode(t, schema)), " ")
	out = strings.NewReplacer("{ ", "{", " }", "}", "[ ", "[", " ]", "]").Replace(out)
	return strings.ReplaceAll(out, `"properties": "…"`, `"properties": {…}`)
}

func decodeAny(t *testing.T, value any) any {
	t.Helper()
	var out any
	dec := json.NewDecoder(strings.NewReader(encode(t, value)))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}
