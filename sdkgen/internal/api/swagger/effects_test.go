package swagger_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// plain are the fields without markers, by Go type and option of the JSON tag.
func (th *theme) plain() map[string]*row {
	out := map[string]*row{}
	for _, r := range th.rows("WidgetSpec", "") {
		if len(r.markers) == 0 {
			out[r.goType+","+r.option] = r
		}
	}
	return out
}

// markerRows writes a row for each field with markers, of its own or of its type: what is other than
// at a plain field of the same type. Fields without markers have rows in a case that is "plain".
func (th *theme) markerRows(plain map[string]*row) [][]string {
	var out [][]string
	if th.file.Field("plain") != "" { // its own fields without markers come first
		plain = maps.Clone(plain)
		maps.Copy(plain, th.plain())
	}
	for _, r := range th.rows("WidgetSpec", "") {
		typeMarkers := th.typeMarkers(r.expr)
		base := th.baseOf(r, plain)
		switch {
		case len(r.markers) > 0:
			cell := withCompany(r.markers)
			if len(typeMarkers) > 0 {
				cell += ", at its type " + withCompany(typeMarkers)
			}
			out = append(out, append([]string{cell, th.places(r.markers[0], "field")}, th.effects(r, base)...))
		case len(typeMarkers) > 0:
			cells := []string{withCompany(typeMarkers), th.places(typeMarkers[0], "type")}
			if _, isList := r.expr.(*ast.ArrayType); isList {
				cells[0] += " at the type of the items"
			}
			if _, definition := th.target(r); definition != nil {
				out = append(out, append(cells, th.structEffects(r)...))
			} else {
				out = append(out, append(cells, th.effects(r, base)...))
			}
		case th.file.Field("plain") != "":
			cell := "none, " + code(r.goType+" `json:\""+strings.TrimSuffix("…,"+r.option, ",")+"\"`")
			out = append(out, append([]string{cell, "field"}, presence(r), "same", code(r.inPython()), code(r.golang)))
		}
	}
	return out
}

// withCompany is a marker, and those that it stands with.
func withCompany(list []string) string {
	if len(list) == 1 {
		return code(list[0])
	}
	return code(list[0]) + " with " + strings.Join(codes(list[1:]), " ")
}

// typeMarkers are those of the package's type that an expression is, or is a list of or a pointer to.
func (th *theme) typeMarkers(x ast.Expr) []string {
	var out []string
	ast.Inspect(x, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && th.declared[ident.Name] != nil {
			out = append(out, th.declared[ident.Name].markers...)
		}
		return true
	})
	return out
}

// baseOf is the plain field of the same type, nil for a struct type with markers, whose plain field is another's.
func (th *theme) baseOf(r *row, plain map[string]*row) *row {
	th.t.Helper()
	key := r.goType
	ast.Inspect(r.expr, func(n ast.Node) bool {
		ident, ok := n.(*ast.Ident)
		if !ok || th.declared[ident.Name] == nil {
			return true
		}
		if _, isStruct := th.declared[ident.Name].spec.Type.(*ast.StructType); !isStruct {
			key = strings.Replace(key, ident.Name, types.ExprString(th.declared[ident.Name].spec.Type), 1)
		}
		return true
	})
	base := plain[key+","+r.option]
	if base == nil && len(r.markers) > 0 {
		th.t.Errorf("testdata/types/00-plain.txtar has no field of type %s with the option %q", key, r.option)
	}
	return base
}

// places are where a marker may stand, as controller-gen has it, and where the case has it.
func (th *theme) places(marker, here string) string {
	at := map[string]bool{here: true}
	for place, target := range map[string]markers.TargetType{
		"field": markers.DescribesField, "type": markers.DescribesType, "package": markers.DescribesPackage,
	} {
		// controller-gen registers k8s:enum at fields only to refuse it.
		if th.registry.Lookup(marker, target) != nil && !(marker == "+k8s:enum" && place == "field") {
			at[place] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(at)), ", ")
}

// effects are the cells of a row beside those of a plain field.
func (th *theme) effects(r, base *row) []string {
	if base == nil {
		th.t.Fatalf("%s: no plain field", r.key)
	}
	crd, document := difference(r.crd, base.crd), difference(r.document, base.document)
	if r.required != base.required {
		crd = join(crd, presence(r))
		document = join(document, presence(r))
	}
	if document == crd && crd != "–" {
		document = "same"
	}
	python, golang := "–", "–"
	if r.inPython() != base.inPython() {
		python = code(r.inPython())
	}
	if r.python.Rules != base.python.Rules {
		python = join(python, "`validate()`")
	}
	if _, ok := r.document["x-kubernetes-validations"]; ok {
		python = join(python, "`CEL_RULES`")
	}
	if r.golang != base.golang {
		golang = code(r.golang)
	}
	return []string{crd, document, python, golang}
}

// structEffects are the cells of a row for a struct type with markers: what its definition says of the whole.
func (th *theme) structEffects(r *row) []string {
	name, definition := th.target(r)
	object := map[string]any{"type": "object", "properties": definition["properties"], "required": definition["required"]}
	document := difference(definition, object)
	object = map[string]any{"type": "object", "properties": r.crd["properties"], "required": r.crd["required"]}
	crd := difference(r.crd, object)
	if document == crd && crd != "–" {
		document = "same"
	}
	python := "–"
	if r.python.Rules != "" {
		python = "`validate()`"
	}
	if th.python[name].CEL != "" {
		python = join(python, "`CEL_RULES`")
	}
	return []string{crd, document, python, "–"}
}

func presence(r *row) string {
	if r.required {
		return "required"
	}
	return "not required"
}

func join(a, b string) string {
	if a == "–" {
		return b
	}
	return a + ", " + b
}

// difference writes what a schema has that a plain one has not. If it lacks something of the plain one, it is written
// as a whole.
func difference(schema, plain map[string]any) string {
	out := minus(short(schema), short(plain))
	if len(out) == 0 {
		return "–"
	}
	return code(flow(out))
}

func minus(schema, plain map[string]any) map[string]any {
	out := map[string]any{}
	for keyword := range plain {
		if _, ok := schema[keyword]; !ok && plain[keyword] != nil {
			return schema
		}
	}
	for keyword, value := range schema {
		if reflect.DeepEqual(value, plain[keyword]) {
			continue
		}
		below, isObject := value.(map[string]any)
		if before, ok := plain[keyword].(map[string]any); ok && isObject {
			value = minus(below, before)
		}
		out[keyword] = value
	}
	return out
}

// short leaves out what the properties of an object are, and long patterns.
func short(schema map[string]any) map[string]any {
	out := maps.Clone(schema)
	if _, ok := out["properties"]; ok {
		out["properties"] = "…"
		delete(out, "required")
	}
	if pattern, ok := out["pattern"].(string); ok && len(pattern) > 40 {
		out["pattern"] = "…"
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if below, ok := out[keyword].(map[string]any); ok {
			out[keyword] = short(below)
		}
	}
	return out
}

var bare = regexp.MustCompile(`^[A-Za-z…][A-Za-z0-9_…-]*$`)

// flow writes a schema in YAML's flow style, with the type first, and without its outer braces.
func flow(schema map[string]any) string {
	text := flowValue(schema)
	return text[1 : len(text)-1]
}

func flowValue(value any) string {
	var parts []string
	switch value := value.(type) {
	case map[string]any:
		keys := slices.SortedFunc(maps.Keys(value), func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
		for _, key := range keys {
			parts = append(parts, key+": "+flowValue(value[key]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		for _, item := range value {
			parts = append(parts, flowValue(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		if bare.MatchString(value) && value != "true" && value != "false" && value != "null" {
			return value
		}
		if strings.Contains(value, `\`) && !strings.Contains(value, "'") {
			return "'" + value + "'"
		}
		return strconv.Quote(value)
	}
	return fmt.Sprint(value)
}

// rank orders the keywords of a schema.
func rank(keyword string) string {
	for i, first := range []string{"$ref", "type", "format", "default"} {
		if keyword == first {
			return strconv.Itoa(i)
		}
	}
	return keyword
}

func decodeAny(t *testing.T, value any) any {
	t.Helper()
	var out any
	dec := json.NewDecoder(strings.NewReader(testkit.Encode(t, value)))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// writeExample writes a field with its markers and types, and all that it becomes.
func (th *theme) writeExample(b *strings.Builder, name string) {
	th.t.Helper()
	rows := th.rows("WidgetSpec", "")
	at := slices.IndexFunc(rows, func(r *row) bool { return r.name == name })
	if at < 0 {
		th.t.Fatalf("there is no field %s", name)
	}
	r := rows[at]
	var lines []string
	for _, marker := range r.markers {
		lines = append(lines, "// "+marker)
	}
	lines = append(lines, r.source)
	ast.Inspect(r.expr, func(n ast.Node) bool {
		if ident, ok := n.(*ast.Ident); ok && th.declared[ident.Name] != nil {
			lines = append(lines, th.sourceOf(ident.Name)...)
		}
		return true
	})
	fmt.Fprintf(b, "\n```go\n%s\n```\n\n", strings.Join(lines, "\n"))
	fmt.Fprintf(b, "- CRD: %s\n- swagger.json: %s", code(flow(r.crd)), code(flow(r.document)))
	if target, definition := th.target(r); definition != nil {
		fmt.Fprintf(b, ", and %s: %s", code(target), code(flow(definition)))
	}
	fmt.Fprintf(b, "\n- Python: %s\n- Go client: %s\n", code(r.python.Attr+": "+r.inPython()), code(r.name+" "+r.golang))
}

// sourceOf is the declaration of a type.
func (th *theme) sourceOf(name string) []string {
	d := th.declared[name]
	lines := []string{""}
	for _, marker := range d.markers {
		lines = append(lines, "// "+marker)
	}
	structType, isStruct := d.spec.Type.(*ast.StructType)
	if !isStruct {
		return append(lines, "type "+name+" "+types.ExprString(d.spec.Type))
	}
	lines = append(lines, "type "+name+" struct {")
	for _, field := range structType.Fields.List {
		for _, marker := range markersOf(field.Doc) {
			lines = append(lines, "\t// "+marker)
		}
		lines = append(lines, "\t"+field.Names[0].Name+" "+types.ExprString(field.Type)+" "+field.Tag.Value)
	}
	return append(lines, "}")
}
