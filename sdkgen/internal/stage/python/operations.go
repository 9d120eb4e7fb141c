package python

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Operation is what api.mustache prints for one method of an API class. A statement may take several lines, in the
// style of `ruff format`.
type Operation struct {
	API       *API   `json:"api,omitempty"` // on the first operation of a class only
	Signature string `json:"signature"`     // the method's def, named as the official clients have it
	Doc       string `json:"doc"`           // its docstring
	Call      string `json:"call"`          // its return statement
}

// API is what a module needs once.
type API struct {
	Typing  string  `json:"typing"`  // statement that imports what is used of typing
	Checked string  `json:"checked"` // what is imported for type checkers only, indented
	Queries []Query `json:"queries"` // each distinct set of query parameters
	Wire    string  `json:"wire"`    // statement with the parameters' names in URLs by attribute
	Runtime string  `json:"runtime"` // the package of the runtime, a relative import from the API package's
}

// Query is a set of query parameters, the type of a method's keywords.
type Query struct {
	Class  string      `json:"class"`
	Params []Parameter `json:"params"` // by attribute
}

// Parameter is one of them.
type Parameter struct {
	Attr string `json:"attr"`
	Hint string `json:"hint"` // annotation
}

// omitted are query parameters of watches, which are not answered by one object, and one of
// what the decoder does not see.
var omitted = set("watch", "allowWatchBookmarks", "sendInitialEvents", "pretty")

// operations returns the API's operations. Those of one tag are in one class. runtime is the package of the runtime,
// relative to the API's.
func operations(api *model.API, runtime string) ([]render.Operation, error) {
	byTag := map[string]*operator{}
	for _, op := range api.Operations {
		o := byTag[op.Tag]
		if o == nil {
			o = &operator{references: newReferences(), names: map[string]string{}, wire: map[string]any{}}
			o.typing["TYPE_CHECKING"], o.typing["TypedDict"] = true, true
			byTag[op.Tag] = o
		}
		if err := o.add(op); err != nil {
			return nil, fmt.Errorf("preparing the Python operation %s: %w", op.ID, err)
		}
	}
	var out []render.Operation
	classes := map[string]string{}
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		class := strings.ToLower(notLetter.Replace(tag))
		if other, taken := classes[class]; taken {
			return nil, fmt.Errorf("naming Python API classes: the tags %q and %q would give one class", other, tag)
		}
		classes[class] = tag
		o := byTag[tag]
		o.all[0].API = o.api(runtime)
		for i, op := range o.all {
			out = append(out, render.Operation{Tag: tag, ID: o.ids[i], Value: op})
		}
	}
	return out, nil
}

// notLetter is how far the jar's class names ignore what a tag is spelled with.
var notLetter = strings.NewReplacer("_", "", "-", "", ".", "", " ", "")

// api returns what the module of the class needs. runtime is as in operations.
func (o *operator) api(runtime string) *API {
	return &API{
		Typing: importOf("typing", o.typing, 0), Checked: o.checked("..models", "from typing_extensions import Unpack"),
		Queries: o.queries, Wire: valueOf(o.wire).after("_NAMES = ").render(0), Runtime: runtime,
	}
}

// operator works out the operations of one class.
type operator struct {
	references
	names   map[string]string // operation ids by method name
	wire    map[string]any    // names of query parameters by attribute
	queries []Query
	all     []*Operation
	ids     []string
}

func (o *operator) add(from *model.Operation) error {
	name := snake(from.ID)
	if other, taken := o.names[name]; taken {
		return fmt.Errorf("%s would also be the method %s", other, name)
	}
	o.names[name] = from.ID
	params, query, err := o.params(from)
	if err != nil {
		return err
	}
	class := o.query(query, from.Action)
	params = append(params, atom("**query: Unpack["+class+"]"))
	reads, returns := o.answer(from)
	arguments := []source{atom(reads), atom(Literal(from.Method)), call("segments(", ")", segments(from.Path)...),
		atom("query"), atom(class)}
	if slices.ContainsFunc(from.Parameters, func(p model.Parameter) bool { return p.In == "body" }) {
		arguments = append(arguments, atom("body"))
		if from.Method == patch {
			arguments = append(arguments, atom("content_type"))
		}
	}
	o.ids = append(o.ids, from.ID)
	o.all = append(o.all, &Operation{
		Signature: signature(name, params, returns, 4), Doc: docstring(sentence(from.Description), 8),
		Call: call("return self._call(", ")", arguments...).render(8),
	})
	return nil
}

const patch = "PATCH"

// params returns a method's parameters in the official clients' order, those of the path and then the body, and
// apart from them those of the query.
func (o *operator) params(from *model.Operation) (params []source, query []Parameter, err error) {
	params = []source{atom("self")}
	var optional []source
	seen, types := map[string]string{}, map[string]string{}
	for _, param := range from.Parameters {
		attr := attribute(param.Name)
		if other, taken := seen[attr]; taken {
			return nil, nil, fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
		}
		seen[attr] = param.Name
		switch {
		case param.In == "path":
			params = append(params, atom(attr+": str"))
		case param.In == "body" && param.Required:
			params = append(params, o.body(param.Body).after("body: "))
		case param.In == "body":
			optional = append(optional, o.hint("Optional", o.body(param.Body)).after("body: ").before(" = None"))
		case param.In == "query" && !omitted[param.Name]:
			if other := cmp.Or[any](o.wire[attr], param.Name); other != param.Name {
				return nil, nil, fmt.Errorf("the parameters %q and %q would both be %s", other, param.Name, attr)
			}
			o.wire[attr], types[attr] = param.Name, scalars[param.Shape]
		}
		if param.In == "body" && from.Method == patch {
			optional = append(optional, atom("*"), o.hint("Optional", atom("str")).after("content_type: ").before(" = None"))
		}
	}
	return append(params, optional...), o.options(types), nil
}

// options returns the parameters of a query, whose types are given by attribute; "" is any.
func (o *operator) options(types map[string]string) []Parameter {
	out := []Parameter{}
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		hint := types[attr]
		switch _, taken := types[hint]; {
		case hint == "":
			hint = o.hint(anything).flat
		case taken:
			hint = o.builtins(hint)
		}
		out = append(out, Parameter{attr, hint})
	}
	return out
}

// body returns the annotation of a request body. One without a type of its own is a patch.
func (o *operator) body(definition *model.Definition) source {
	mapping := func() source { return o.hint("Mapping", atom("str"), o.hint(anything)) }
	if definition == nil {
		return o.hint("Union", mapping(), o.hint("Sequence", mapping()))
	}
	return o.hint("Union", atom(o.use(definition)), mapping())
}

// query returns the class of a set of query parameters, and notes a set that is new.
func (o *operator) query(params []Parameter, action string) string {
	for _, known := range o.queries {
		if slices.Equal(known.Params, params) {
			return known.Class
		}
	}
	class := model.Free("_"+cmp.Or(actions[action], "Other")+"Query", func(name string) bool {
		return slices.ContainsFunc(o.queries, func(q Query) bool { return q.Class == name })
	})
	o.queries = append(o.queries, Query{class, params})
	return class
}

var actions = map[string]string{
	"list": "List", "get": "Read", "post": "Write", "put": "Write", "patch": "Patch",
	"delete": "Delete", "deletecollection": "List",
}

// answer returns the openapi_types spelling of what a method returns, a literal, and its annotation. Where a Status is
// announced the server may also send what is to be deleted, which is what the path's GET returns.
func (o *operator) answer(from *model.Operation) (reads string, returns source) {
	answer := from.Answer
	if answer == nil {
		return Literal("object"), o.hint(anything)
	}
	if answer.Name == status && from.Stored != nil {
		answer = from.Stored
	}
	reads, returns = Literal(answer.Name), atom(o.use(answer))
	if answer != from.Answer {
		returns = o.hint("Union", returns, atom(o.use(from.Answer)))
	}
	return reads, returns
}

const status = "V1Status"

// sentence returns an operation's description as one.
func sentence(description string) string {
	text := []rune(strings.TrimSpace(description))
	if len(text) == 0 {
		return ""
	}
	return strings.ToUpper(string(text[:1])) + string(text[1:])
}

// segments returns a path's parts as arguments: literals, and parameters where it has {them}.
func segments(path string) []source {
	var parts []source
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			parts = append(parts, atom(attribute(strings.TrimSuffix(name, "}"))))
		} else {
			parts = append(parts, text(part))
		}
	}
	return parts
}
