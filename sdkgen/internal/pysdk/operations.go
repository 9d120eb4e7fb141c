package pysdk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// Operation is what api.mustache prints for one method of an API class. Its fields are Python
// source, but for API and Patch.
type Operation struct {
	API     *API   `json:"api,omitempty"`   // on the first operation of a class only
	Name    string `json:"name"`            // of the method, as the official clients have it
	Doc     string `json:"doc"`             // one line, escaped
	Params  string `json:"params"`          // the parameters behind self
	Method  string `json:"method"`          // of HTTP, a literal
	Path    string `json:"path"`            // the path's segments, literals and parameters
	Query   string `json:"query"`           // class of the query parameters
	Body    bool   `json:"body,omitempty"`  // there is a parameter body
	Patch   bool   `json:"patch,omitempty"` // and content_type
	Reads   string `json:"reads"`           // openapi_types spelling of the answer, a literal
	Returns string `json:"returns"`         // annotation
}

// API is what a module needs once.
type API struct {
	Imports  string  `json:"imports,omitempty"`  // models in annotations, sorted, with commas
	External string  `json:"external,omitempty"` // classes of kubernetes.client in annotations, the same
	Queries  []Query `json:"queries"`            // each distinct set of query parameters
	Wire     string  `json:"wire"`               // their names in URLs by attribute, a literal
}

// Query is a set of query parameters, the type of a method's keywords.
type Query struct {
	Class string `json:"class"`
	Types string `json:"types"` // annotations by attribute, a dict display
}

// omitted are query parameters of watches, which are not answered by one object, and one of
// what the decoder does not see.
var omitted = set("watch", "allowWatchBookmarks", "sendInitialEvents", "pretty")

// operations returns paths from which the jar takes what it has to know: for each operation its
// id, its tag, which is its class, and the Operation. It sees neither parameters nor types.
func operations(doc *spec.Swagger) (*spec.Paths, error) {
	out := &spec.Paths{Paths: map[string]spec.PathItem{}}
	if doc.Paths == nil {
		return out, nil
	}
	byTag := map[string]*operator{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Paths)) {
		item := doc.Paths.Paths[path]
		for _, m := range methods(item) {
			tag := strings.Join(m.op.Tags, "_")
			if byTag[tag] == nil {
				byTag[tag] = &operator{doc: doc, tag: tag, names: map[string]string{}, uses: map[string]bool{}, wire: map[string]any{}}
			}
			if err := byTag[tag].add(path, item, m); err != nil {
				return nil, fmt.Errorf("preparing the Python operation %s: %w", m.op.ID, err)
			}
		}
	}
	classes := map[string]string{}
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		class := strings.ToLower(notLetter.Replace(tag))
		if other, taken := classes[class]; taken {
			return nil, fmt.Errorf("naming Python API classes: the tags %q and %q would give one class", other, tag)
		}
		classes[class] = tag
		byTag[tag].write(out)
	}
	return out, nil
}

// notLetter is how far the jar's class names ignore what a tag is spelled with.
var notLetter = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// method is an operation and its HTTP method.
type method struct {
	http string
	op   *spec.Operation
}

func methods(item spec.PathItem) []method {
	all := []method{{"GET", item.Get}, {"POST", item.Post}, {"PUT", item.Put}, {"PATCH", item.Patch}, {"DELETE", item.Delete}}
	return slices.DeleteFunc(all, func(m method) bool { return m.op == nil })
}

// operator works out the operations of one class.
type operator struct {
	doc     *spec.Swagger
	tag     string
	names   map[string]string // operation ids by method name
	uses    map[string]bool   // classes in annotations
	wire    map[string]any    // names of query parameters by attribute
	queries []Query
	all     []*Operation
	ids     []string
}

func (o *operator) add(path string, item spec.PathItem, m method) error {
	op := &Operation{Name: snake(m.op.ID), Doc: sentence(m.op), Method: literal(m.http), Path: segments(path)}
	if other, taken := o.names[op.Name]; taken {
		return fmt.Errorf("%s would also be the method %s", other, op.Name)
	}
	o.names[op.Name] = m.op.ID
	op.Patch = m.http == "PATCH"
	required, optional, query, err := o.params(item, m.op)
	if err != nil {
		return err
	}
	op.Body = slices.ContainsFunc(append(required, optional...), func(p string) bool { return strings.HasPrefix(p, "body: ") })
	if op.Patch && op.Body {
		optional = append(optional, "*", "content_type: Optional[str] = None")
	}
	op.Query = o.query(query, m.op)
	all := append(append([]string{"self"}, required...), optional...)
	op.Params = strings.Join(append(all, "**query: Unpack["+op.Query+"]"), ", ")
	o.answer(op, item, m.op)
	o.all, o.ids = append(o.all, op), append(o.ids, m.op.ID)
	return nil
}

// params returns an operation's parameters in the official clients' order, those of the path and
// then the body, and apart from them the annotations of those of the query.
func (o *operator) params(item spec.PathItem, op *spec.Operation) (required, optional []string, query string, err error) {
	seen, types := map[string]string{}, map[string]string{}
	for _, param := range append(slices.Clone(item.Parameters), op.Parameters...) {
		if name, ok := strings.CutPrefix(param.Ref.String(), "#/parameters/"); ok {
			param = o.doc.Parameters[name]
		}
		attr := attribute(param.Name)
		if other, taken := seen[attr]; taken {
			return nil, nil, "", fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
		}
		seen[attr] = param.Name
		switch {
		case param.In == "path":
			required = append(required, attr+": str")
		case param.In == "body" && param.Required:
			required = append(required, "body: "+o.body(param.Schema))
		case param.In == "body":
			optional = append(optional, "body: Optional["+o.body(param.Schema)+"] = None")
		case param.In == "query" && !omitted[param.Name]:
			if other := cmp.Or[any](o.wire[attr], param.Name); other != param.Name {
				return nil, nil, "", fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
			}
			o.wire[attr], types[attr] = param.Name, cmp.Or(scalars[param.Type], "Any")
		}
	}
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		query += ", " + literal(attr) + ": " + types[attr]
	}
	return required, optional, "{" + strings.TrimPrefix(query, ", ") + "}", nil
}

// body returns the annotation of a request body. One without a type of its own is a patch.
func (o *operator) body(schema *spec.Schema) string {
	if schema == nil || swagger.Referenced(*schema) == "" {
		return "Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]"
	}
	return "Union[" + o.use(swagger.Referenced(*schema)) + ", Mapping[str, Any]]"
}

func (o *operator) use(class string) string {
	o.uses[class] = true
	return class
}

// query returns the class of a set of query parameters, and notes a set that is new.
func (o *operator) query(types string, op *spec.Operation) string {
	for _, known := range o.queries {
		if known.Types == types {
			return known.Class
		}
	}
	action, _ := op.Extensions.GetString("x-kubernetes-action")
	class := "_" + cmp.Or(actions[action], "Other") + "Query"
	for n := 2; slices.ContainsFunc(o.queries, func(q Query) bool { return q.Class == class }); n++ {
		class = fmt.Sprintf("_%sQuery%d", cmp.Or(actions[action], "Other"), n)
	}
	o.queries = append(o.queries, Query{class, types})
	return class
}

var actions = map[string]string{
	"list": "List", "get": "Read", "post": "Write", "put": "Write", "patch": "Patch",
	"delete": "Delete", "deletecollection": "List",
}

// answer says what a method returns. Where a Status is announced the server may also send what
// is to be deleted, which is what the path's GET returns.
func (o *operator) answer(op *Operation, item spec.PathItem, from *spec.Operation) {
	class, other := success(from), ""
	if class == status && item.Get != nil {
		class, other = cmp.Or(success(item.Get), class), class
	}
	op.Reads, op.Returns = literal(cmp.Or(class, "object")), "Any"
	if class != "" {
		op.Returns = o.use(class)
	}
	if other != "" && other != class {
		op.Returns = "Union[" + class + ", " + o.use(other) + "]"
	}
}

const status = "V1Status"

// success returns the definition that an operation answers with, "" if there is none.
func success(op *spec.Operation) string {
	if op.Responses == nil || op.Responses.StatusCodeResponses[200].Schema == nil {
		return ""
	}
	return swagger.Referenced(*op.Responses.StatusCodeResponses[200].Schema)
}

// write puts the class's operations where the jar finds them.
func (o *operator) write(out *spec.Paths) {
	api := &API{Queries: o.queries, Wire: literal(o.wire)}
	models, external := map[string]bool{}, map[string]bool{}
	for class := range o.uses {
		if swagger.IsKubernetes(o.doc.Definitions[class]) {
			external[class] = true
		} else {
			models[class] = true
		}
	}
	api.Imports, api.External = listed(models), listed(external)
	o.all[0].API = api
	ok := &spec.Responses{ResponsesProps: spec.ResponsesProps{StatusCodeResponses: map[int]spec.Response{
		200: {ResponseProps: spec.ResponseProps{Description: "OK"}},
	}}}
	for i, op := range o.all {
		bare := &spec.Operation{OperationProps: spec.OperationProps{ID: o.ids[i], Tags: []string{o.tag}, Responses: ok}}
		bare.AddExtension(Extension, op)
		out.Paths["/"+o.tag+"/"+o.ids[i]] = spec.PathItem{PathItemProps: spec.PathItemProps{Get: bare}}
	}
}

// sentence returns an operation's description as one.
func sentence(op *spec.Operation) string {
	text := []rune(oneLine(cmp.Or(op.Description, op.Summary, op.ID)))
	return strings.ToUpper(string(text[:1])) + strings.TrimSuffix(string(text[1:]), ".") + "."
}

// segments returns a path's parts as arguments: literals, and parameters where it has {them}.
func segments(path string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts = append(parts, attribute(strings.TrimSuffix(name, "}")))
		} else {
			parts = append(parts, literal(part))
		}
	}
	return strings.Join(parts, ", ")
}
