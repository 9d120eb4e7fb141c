package swagger

import (
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const rule = "swagger"

const objectMeta = "k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"

// enforced are the extensions that the API server acts on.
var enforced = []string{
	"x-kubernetes-embedded-resource", "x-kubernetes-int-or-string", "x-kubernetes-list-map-keys", "x-kubernetes-list-type",
	mapType, "x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations",
}

// mapType says who may own a part of a map or struct. Beside a reference, it wins over that of the
// type, as in the CRD, into which both are written.
const mapType = "x-kubernetes-map-type"

// Compare compares the definitions of a document with the CRDs of the API's root kinds: properties,
// required ones, defaults and validations must be the same. A difference is reported where its field is
// declared, or, for one in another package, where the API refers to it. A kind without a CRD is left
// out, and so is ObjectMeta, whose schema the API server knows itself. A type is not followed into
// itself: a CRD has no recursion.
func Compare(
	doc *spec.Swagger, api *model.API, crds func(goType string) *apiextensionsv1.CustomResourceDefinition,
	locate func(goType, property string) token.Position,
) diag.List {
	c := &comparison{api: api, locate: locate, goTypes: map[string]string{}}
	definitions, err := decoded(doc.Definitions)
	if err != nil {
		c.list.Add(token.Position{}, rule, "", "comparing with the CRDs: %v", err)
		return c.list
	}
	c.definitions = definitions
	for _, definition := range api.Definitions {
		c.goTypes[definition.Name] = definition.GoType.String()
	}
	for _, definition := range api.Definitions {
		if definition.Root == nil {
			continue
		}
		if crd := crds(definition.GoType.String()); crd != nil {
			c.kind(definition, crd)
		}
	}
	return c.list.Sorted()
}

// comparison compares the schemas of CRDs with those of a document.
type comparison struct {
	api         *model.API
	locate      func(goType, property string) token.Position
	definitions map[string]any
	goTypes     map[string]string // by definition
	list        diag.List
}

// kind compares a root kind with the API's version of its CRD.
func (c *comparison) kind(definition *model.Definition, crd *apiextensionsv1.CustomResourceDefinition) {
	name := definition.Root.Kind
	at := place{path: name, pos: c.locate(definition.GoType.String(), "")}
	for _, version := range crd.Spec.Versions {
		if version.Name != c.api.Version || version.Schema == nil {
			continue
		}
		schema, err := decoded(version.Schema.OpenAPIV3Schema)
		if err != nil {
			c.list.Add(at.pos, rule, "", "comparing %s with its CRD: %v", name, err)
			return
		}
		at.crd, at.document = []any{schema}, []any{map[string]any{"$ref": definitionsPrefix + definition.Name}}
		c.compare(at)
		return
	}
	c.list.Add(at.pos, rule, "", "the CRD of %s has no schema of version %s", name, c.api.Version)
}

// place is where a value stands in an object, with all schemas that it must meet.
type place struct {
	path          string // Widget.spec.parts[].name
	pos           token.Position
	crd, document []any
	inside        []string // definitions that the place is in
}

func (c *comparison) compare(at place) {
	want, got := demandsOf(nil, at.crd), demandsOf(c.definitions, at.document)
	for _, ref := range got.refs {
		if c.goTypes[ref] == objectMeta || slices.Contains(at.inside, ref) {
			return
		}
	}
	if got.open {
		return
	}
	at.inside = append(slices.Clip(at.inside), got.refs...)
	for _, keyword := range either(want.rules, got.rules) {
		if !slices.Equal(want.rules[keyword], got.rules[keyword]) {
			c.differ(at, "%s is %s in the CRD, %s in %s", keyword, spelled(want.rules[keyword]), spelled(got.rules[keyword]),
				Doc)
		}
	}
	for _, name := range either(want.required, got.required) {
		if want.required[name] != got.required[name] {
			c.differ(c.below(at, got.refs, name), "required is %t in the CRD, %t in %s", want.required[name], got.required[name],
				Doc)
		}
	}
	for _, name := range either(want.below, got.below) {
		below := c.below(at, got.refs, name)
		below.crd, below.document = want.below[name], got.below[name]
		switch {
		case below.document == nil:
			c.differ(below, "it is in the CRD but not in %s", Doc)
		case below.crd == nil:
			c.differ(below, "it is in %s but not in the CRD", Doc)
		default:
			c.compare(below)
		}
	}
}

// below is the place of a property of an object, whose definitions are owners, or of what has no name.
func (c *comparison) below(at place, owners []string, name string) place {
	if name == items || name == values {
		at.path += name
		return at
	}
	at.path += "." + name
	for _, owner := range owners {
		if pos := c.locate(c.goTypes[owner], name); pos.IsValid() {
			at.pos = pos
		}
	}
	return at
}

func (c *comparison) differ(at place, format string, args ...any) {
	c.list.Add(at.pos, rule, "bug in sdkgen; please report it with the declaration", "%s: "+format,
		append([]any{at.path}, args...)...)
}

// demands are what schemas say at one place.
type demands struct {
	rules    map[string][]string // keywords with their values as JSON, sorted: a type and a field of it may both have one
	required map[string]bool
	below    map[string][]any // the schemas of each property, of the items and of the values in a map
	refs     []string         // definitions that are referred to
	open     bool             // the document leaves the place open
}

// The places below one that have no name.
const (
	items  = "[]"
	values = "{}"
)

// demandsOf reads schemas that hold together, and what they refer to after them.
func demandsOf(definitions map[string]any, schemas []any) demands {
	d := demands{rules: map[string][]string{}, required: map[string]bool{}, below: map[string][]any{}}
	for queue := slices.Clip(schemas); len(queue) > 0; queue = queue[1:] {
		schema, _ := queue[0].(map[string]any)
		for keyword, value := range schema {
			switch keyword {
			case "$ref":
				ref := definitionOf(value)
				d.refs = append(d.refs, ref)
				queue = append(queue, definitions[ref])
			case openExtension:
				d.open = true
			case "allOf":
				parts, _ := value.([]any)
				queue = append(queue, parts...)
			default:
				d.read(keyword, value)
			}
		}
	}
	d.normalize()
	return d
}

func (d demands) read(keyword string, value any) {
	list, _ := value.([]any)
	object, isObject := value.(map[string]any)
	switch {
	case keyword == "properties":
		for name, property := range object {
			d.below[name] = append(d.below[name], property)
		}
	case keyword == "items":
		d.below[items] = append(d.below[items], value)
	case keyword == "additionalProperties" && isObject:
		d.below[values] = append(d.below[values], value)
	case keyword == "required":
		for _, name := range list {
			d.required[fmt.Sprint(name)] = true
		}
	case keyword == mapType && d.rules[mapType] != nil: // that of a field wins over its type's, which is read later
	case keyword == "x-kubernetes-validations": // those of the field and of its type add up
		for _, one := range list {
			d.add(keyword, one)
		}
	case !slices.Contains(documentation, keyword) &&
		(!strings.HasPrefix(keyword, "x-") || slices.Contains(enforced, keyword)):
		d.add(keyword, value)
	}
}

// documentation are the keywords that constrain nothing.
var documentation = []string{"description", "title", "example", "externalDocs"}

func (d demands) add(keyword string, value any) {
	data, err := json.Marshal(value)
	if err != nil { // it was decoded from JSON
		data = []byte(err.Error())
	}
	d.rules[keyword] = append(d.rules[keyword], string(data))
}

// normalize takes away what Swagger 2.0 says in another way than a CRD, and what is said twice.
func (d demands) normalize() {
	if d.rules["x-kubernetes-int-or-string"] != nil {
		delete(d.rules, "anyOf")
		d.rules["format"] = slices.DeleteFunc(d.rules["format"], func(f string) bool { return f == `"int-or-string"` })
	}
	for keyword, text := range d.rules {
		slices.Sort(text)
		d.rules[keyword] = slices.Compact(text)
		if len(text) == 0 {
			delete(d.rules, keyword)
		}
	}
}

// definitionOf returns the name in "#/definitions/NAME".
func definitionOf(ref any) string {
	text, _ := ref.(string)
	parsed, err := spec.NewRef(text)
	if err != nil {
		return ""
	}
	return model.Referenced(spec.Schema{SchemaProps: spec.SchemaProps{Ref: parsed}})
}

// decoded is a value by way of its JSON.
func decoded(value any) (map[string]any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	out, err := model.Value(data)
	object, _ := out.(map[string]any)
	return object, err
}

// either returns the keys of two maps, sorted.
func either[V any](a, b map[string]V) []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// spelled is what a message says of a keyword's values.
func spelled(values []string) string {
	if len(values) == 0 {
		return "absent"
	}
	return strings.Join(values, " and ")
}
