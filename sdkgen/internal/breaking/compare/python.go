package compare

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// pythonAPI compares the classes of the Python SDK. What users write, programs give to constructors, which check it;
// what is in the status only, programs read.
type pythonAPI struct {
	*comparison
	pairs  *pairs
	module string // that has the classes, "" if it is not known
}

func (p *pythonAPI) use(class model.Class) string { return p.program("", class.Name) }

func (p *pythonAPI) added(entry finding, before, after model.Class, attr model.Attr) {
	entry.place, entry.id = at(entry.place, after, attr), "attribute-added"
	entry.verdict, entry.text = Compatible, fmt.Sprintf("%s.%s is new", after.Name, attr.Name)
	if attr.Mandatory && !preset(after, attr) {
		p.required(&entry, before, after.Name+"."+attr.Name)
	}
	p.record(entry)
}

// required records that the constructor requires an attribute. Programs construct what users write.
func (p *pythonAPI) required(entry *finding, class model.Class, name string) {
	entry.id, entry.verdict, entry.instead = "attribute-required", Breaking, rule("required-added").Instead
	entry.text = name + " must be given to the constructor"
	if !p.pairs.written[class.Definition] {
		entry.verdict, entry.instead = Risky, ""
		return
	}
	entry.program = p.construct(class, "", "")
}

// preset says whether the SDK itself sets an attribute.
func preset(class model.Class, attr model.Attr) bool {
	return class.Root != nil && (attr.Key == "apiVersion" || attr.Key == "kind")
}

// attribute compares an attribute with the one of the new class.
func (p *pythonAPI) attribute(entry finding, class model.Class, earlier model.Attr, in model.Class) {
	entry.place = at(entry.place, class, earlier)
	name := class.Name + "." + earlier.Name
	current := attributeOf(in.Attrs, earlier.Key)
	if current == nil || current.Name != earlier.Name {
		entry.id, entry.text, entry.instead = "attribute-removed", noticed(name+" is gone", earlier.Deprecated),
			rule("field-removed").Instead
		if current != nil {
			entry.text = fmt.Sprintf("%s is %s now", name, current.Name)
		}
		entry.program = p.program(fmt.Sprintf("%s.from_dict({}).%s", class.Name, earlier.Name), class.Name)
		if value, ok := p.sample(&earlier.Field.Type); ok && p.pairs.written[class.Definition] {
			entry.program = p.construct(class, earlier.Name, value)
		}
		p.record(entry)
		return
	}
	if preset(class, earlier) {
		return
	}
	p.types(entry, class, earlier, current)
	entry.verdict = Breaking
	switch {
	case current.Mandatory && !earlier.Mandatory:
		p.required(&entry, class, name)
		p.record(entry)
	case earlier.Mandatory && !current.Mandatory:
		entry.id, entry.verdict, entry.text, entry.instead = "attribute-optional", Compatible,
			name+" may be absent when it is read", ""
		if !p.pairs.written[class.Definition] {
			entry.verdict = Risky
		}
		entry.program = ""
		p.record(entry)
	}
	if !p.pairs.written[class.Definition] || reflect.DeepEqual(earlier.Default, current.Default) || current.Mandatory ||
		earlier.Mandatory {
		return
	}
	entry.id, entry.verdict, entry.instead, entry.program = "attribute-default", Risky, rule("default-changed").Instead, ""
	before, after := p.before.Literal(earlier.Default), p.before.Literal(current.Default)
	entry.text = name + " has another default: " + transition(before, after)
	p.record(entry)
}

// types compares the types of an attribute: breaking is a value that the constructor took and refuses now. Programs
// that read a status meet values that they did not before.
func (p *pythonAPI) types(entry finding, class model.Class, earlier model.Attr, current *model.Attr) {
	name := class.Name + "." + earlier.Name
	before, after := p.plain(&earlier.Field.Type, &current.Field.Type)
	same := p.pairs.same(&earlier.Field.Type, &current.Field.Type)
	entry.id, entry.text = "attribute-type", fmt.Sprintf("%s has another type: %s, now %s", name, earlier.Type,
		current.Type)
	entry.instead = rule("type-changed").Instead
	if same {
		entry.id, entry.text, entry.instead = "attribute-values", "", ""
	}
	value, narrower := loses(before, after)
	met, wider := loses(after, before)
	written := p.pairs.written[class.Definition]
	switch {
	case !same && p.otherClass(&earlier.Field.Type, &current.Field.Type):
		entry.program = p.instance(class, earlier)
	case narrower && written:
		if same {
			entry.text = fmt.Sprintf("%s may no longer be %s", name, clip(p.before.Literal(value)))
		}
		entry.program = p.construct(class, earlier.Name, p.before.Literal(value))
	case narrower && !same:
		entry.program = p.construct(class, earlier.Name, p.before.Literal(value))
	case wider && !written:
		entry.verdict, entry.instead = Risky, ""
		if same {
			entry.text = fmt.Sprintf("%s may be %s when it is read", name, clip(p.before.Literal(met)))
		}
	case same:
		return
	default:
		entry.verdict, entry.instead = Risky, ""
	}
	p.record(entry)
}

// plain are two types without what is told of their classes.
func (p *pythonAPI) plain(before, after *model.Type) (*model.Type, *model.Type) {
	a, b := innermost(before), innermost(after)
	if a.Shape != model.Reference || b.Shape != model.Reference {
		return before, after
	}
	return opaque(before), opaque(after)
}

// opaque is a type with any value in the place of its class.
func opaque(t *model.Type) *model.Type {
	if t.Elem == nil {
		return &model.Type{}
	}
	out := *t
	out.Elem = opaque(t.Elem)
	return &out
}

// otherClass says whether an object of the old class is none of the new one.
func (p *pythonAPI) otherClass(before, after *model.Type) bool {
	a, b := innermost(before), innermost(after)
	other := b.Definition == nil || p.pairs.now[a.Definition] != b.Definition
	return a.Definition != nil && !a.Definition.Kubernetes && other && b.Shape != model.Any
}

// instance is a program that gives an attribute an object of its class.
func (p *pythonAPI) instance(class model.Class, attr model.Attr) string {
	used := innermost(&attr.Field.Type).Definition.Name
	value := used + ".partial()"
	for t := &attr.Field.Type; t.Elem != nil; t = t.Elem {
		if t.Shape == model.Array {
			value = "[" + value + "]"
		} else {
			value = "{\"key\": " + value + "}"
		}
	}
	return p.program(fmt.Sprintf("%s.partial(%s=%s)", class.Name, attr.Name, value), class.Name, used)
}

// scope compares whether a kind's objects are in namespaces.
func (p *pythonAPI) scope(entry finding, before, after model.Class) {
	if before.Root == nil || after.Root == nil || before.Root.Plural == "" ||
		before.Root.Namespaced == after.Root.Namespaced {
		return
	}
	entry.id, entry.instead = "scope", rule("scope").Instead
	entry.text = "clients refuse a namespace: objects are in none"
	if after.Root.Namespaced {
		entry.text = "clients need a namespace"
	}
	statement := fmt.Sprintf("assert %s.NAMESPACED is %s", before.Name, p.before.Literal(before.Root.Namespaced))
	entry.program = p.program(statement, before.Name)
	p.record(entry)
}

// construct is a program that gives an attribute to a constructor, with what the old class needs, "" for nothing else.
func (p *pythonAPI) construct(class model.Class, name, value string) string {
	now := p.pairs.now[class.Definition]
	method, arguments := class.Name, map[string]string{}
	for _, attr := range class.Attrs {
		if !attr.Mandatory || attr.Name == name || preset(class, attr) {
			continue
		}
		value, ok := p.sample(&attr.Field.Type)
		if field := surface.Property(now.Fields, attr.Key); !ok || field == nil || name != "" &&
			!takes(&field.Type, sampler.Filled(schemaFor(&attr.Field.Type, sampler.MaxDepth))) {
			if name == "" {
				return ""
			}
			method, arguments = class.Name+".partial", map[string]string{}
			break
		}
		arguments[attr.Name] = value
	}
	if name != "" {
		arguments[name] = value
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(arguments)) {
		list = append(list, key+"="+arguments[key])
	}
	return p.program(method+"("+strings.Join(list, ", ")+")", class.Name)
}

// sample is a value that the old SDK takes, as Python; false if none was found.
func (p *pythonAPI) sample(t *model.Type) (string, bool) {
	value := sampler.Filled(schemaFor(t, sampler.MaxDepth))
	return p.before.Literal(value), takes(t, value)
}

// program imports classes and has a statement, "" for none.
func (p *pythonAPI) program(statement string, classes ...string) string {
	if p.module == "" {
		return ""
	}
	slices.Sort(classes)
	text := "from " + p.module + " import " + strings.Join(classes, ", ") + "\n"
	if statement != "" {
		text += "\n" + statement + "\n"
	}
	return text
}
