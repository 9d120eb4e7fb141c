package pysdk

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
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
	Runtime  string  `json:"runtime"`            // the package of the runtime, a relative import from the API package's
}

// Query is a set of query parameters, the type of a method's keywords.
type Query struct {
	Class string `json:"class"`
	Types string `json:"types"` // annotations by attribute, a dict display
}

// omitted are query parameters of watches, which are not answered by one object, and one of
// what the decoder does not see.
var omitted = set("watch", "allowWatchBookmarks", "sendInitialEvents", "pretty")

// addOperations adds each operation. Those of one tag are in one class. runtime is the package of the runtime,
// relative to the API's.
func addOperations(out *document.Annotated, api *document.API, runtime string) error {
	byTag := map[string]*operator{}
	for _, op := range api.Operations {
		o := byTag[op.Tag]
		if o == nil {
			o = &operator{references: newReferences(), names: map[string]string{}, wire: map[string]any{}}
			byTag[op.Tag] = o
		}
		if err := o.add(op); err != nil {
			return fmt.Errorf("preparing the Python operation %s: %w", op.ID, err)
		}
	}
	classes := map[string]string{}
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		class := strings.ToLower(notLetter.Replace(tag))
		if other, taken := classes[class]; taken {
			return fmt.Errorf("naming Python API classes: the tags %q and %q would give one class", other, tag)
		}
		classes[class] = tag
		o := byTag[tag]
		o.all[0].API = &API{
			Imports: listed(o.imports), External: listed(o.external), Queries: o.queries, Wire: literal(o.wire), Runtime: runtime,
		}
		for i, op := range o.all {
			out.Operation(tag, o.ids[i], op)
		}
	}
	return nil
}

// notLetter is how far the jar's class names ignore what a tag is spelled with.
var notLetter = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// operator works out the operations of one class.
type operator struct {
	references
	names   map[string]string // operation ids by method name
	wire    map[string]any    // names of query parameters by attribute
	queries []Query
	all     []*Operation
	ids     []string
}

func (o *operator) add(from *document.Operation) error {
	op := &Operation{Name: snake(from.ID), Doc: sentence(from.Description), Method: literal(from.Method), Path: segments(from.Path)}
	if other, taken := o.names[op.Name]; taken {
		return fmt.Errorf("%s would also be the method %s", other, op.Name)
	}
	o.names[op.Name] = from.ID
	op.Patch = from.Method == "PATCH"
	required, optional, query, err := o.params(from.Parameters)
	if err != nil {
		return err
	}
	op.Body = slices.ContainsFunc(from.Parameters, func(p document.Parameter) bool { return p.In == "body" })
	if op.Patch && op.Body {
		optional = append(optional, "*", "content_type: Optional[str] = None")
	}
	op.Query = o.query(query, from.Action)
	all := append(append([]string{"self"}, required...), optional...)
	op.Params = strings.Join(append(all, "**query: Unpack["+op.Query+"]"), ", ")
	o.answer(op, from)
	o.all, o.ids = append(o.all, op), append(o.ids, from.ID)
	return nil
}

// params returns an operation's parameters in the official clients' order, those of the path and
// then the body, and apart from them the annotations of those of the query.
func (o *operator) params(params []document.Parameter) (required, optional []string, query string, err error) {
	seen, types := map[string]string{}, map[string]string{}
	for _, param := range params {
		attr := attribute(param.Name)
		if other, taken := seen[attr]; taken {
			return nil, nil, "", fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
		}
		seen[attr] = param.Name
		switch {
		case param.In == "path":
			required = append(required, attr+": str")
		case param.In == "body" && param.Required:
			required = append(required, "body: "+o.body(param.Body))
		case param.In == "body":
			optional = append(optional, "body: Optional["+o.body(param.Body)+"] = None")
		case param.In == "query" && !omitted[param.Name]:
			if other := cmp.Or[any](o.wire[attr], param.Name); other != param.Name {
				return nil, nil, "", fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
			}
			o.wire[attr], types[attr] = param.Name, cmp.Or(scalars[param.Shape], "Any")
		}
	}
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		query += ", " + literal(attr) + ": " + types[attr]
	}
	return required, optional, "{" + strings.TrimPrefix(query, ", ") + "}", nil
}

// body returns the annotation of a request body. One without a type of its own is a patch.
func (o *operator) body(definition *document.Definition) string {
	if definition == nil {
		return "Union[Mapping[str, Any], Sequence[Mapping[str, Any]]]"
	}
	return "Union[" + o.use(definition) + ", Mapping[str, Any]]"
}

// query returns the class of a set of query parameters, and notes a set that is new.
func (o *operator) query(types, action string) string {
	for _, known := range o.queries {
		if known.Types == types {
			return known.Class
		}
	}
	class := document.Free("_"+cmp.Or(actions[action], "Other")+"Query", func(name string) bool {
		return slices.ContainsFunc(o.queries, func(q Query) bool { return q.Class == name })
	})
	o.queries = append(o.queries, Query{class, types})
	return class
}

var actions = map[string]string{
	"list": "List", "get": "Read", "post": "Write", "put": "Write", "patch": "Patch",
	"delete": "Delete", "deletecollection": "List",
}

// answer says what a method returns. Where a Status is announced the server may also send what
// is to be deleted, which is what the path's GET returns.
func (o *operator) answer(op *Operation, from *document.Operation) {
	answer := from.Answer
	if answer == nil {
		op.Reads, op.Returns = literal("object"), "Any"
		return
	}
	if answer.Name == status && from.Stored != nil {
		answer = from.Stored
	}
	op.Reads, op.Returns = literal(answer.Name), o.use(answer)
	if answer != from.Answer {
		op.Returns = "Union[" + op.Returns + ", " + o.use(from.Answer) + "]"
	}
}

const status = "V1Status"

// sentence returns an operation's description as one.
func sentence(description string) string {
	text := []rune(oneLine(description))
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
