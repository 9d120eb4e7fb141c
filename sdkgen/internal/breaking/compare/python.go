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

func (p *pythonAPI) added(entry finding, was, is model.Class, attr model.Attr) {
	entry.place, entry.id = at(entry.place, is, attr), "attribute-added"
	entry.verdict, entry.text = Compatible, fmt.Sprintf("%s.%s is new", is.Name, attr.Name)
	if attr.Mandatory && !preset(is, attr) {
		p.required(&entry, was, is.Name+"."+attr.Name)
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
func (p *pythonAPI) attribute(entry finding, class model.Class, was model.Attr, in model.Class) {
	entry.place = at(entry.place, class, was)
	name := class.Name + "." + was.Name
	is := attributeOf(in.Attrs, was.Key)
	if is == nil || is.Name != was.Name {
		entry.id, entry.text, entry.instead = "attribute-removed", noticed(name+" is gone", was.Deprecated),
			rule("field-removed").Instead
		if is != nil {
			entry.text = fmt.Sprintf("%s is %s now", name, is.Name)
		}
		entry.program = p.program(fmt.Sprintf("%s.from_dict({}).%s", class.Name, was.Name), class.Name)
		if value, ok := p.sample(&was.Field.Type); ok && p.pairs.written[class.Definition] {
			entry.program = p.construct(class, was.Name, value)
		}
		p.record(entry)
		return
	}
	if preset(class, was) {
		return
	}
	p.types(entry, class, was, is)
	entry.verdict = Breaking
	switch {
	case is.Mandatory && !was.Mandatory:
		p.required(&entry, class, name)
		p.record(entry)
	case was.Mandatory && !is.Mandatory:
		entry.id, entry.verdict, entry.text, entry.instead = "attribute-optional", Compatible,
			name+" may be absent when it is read", ""
		if !p.pairs.written[class.Definition] {
			entry.verdict = Risky
		}
		entry.program = ""
		p.record(entry)
	}
	if !p.pairs.written[class.Definition] || reflect.DeepEqual(was.Default, is.Default) || is.Mandatory || was.Mandatory {
		return
	}
	entry.id, entry.verdict, entry.instead, entry.program = "attribute-default", Risky, rule("default-changed").Instead, ""
	before, after := p.before.Literal(was.Default), p.before.Literal(is.Default)
	entry.text = name + " has another default: " + transition(before, after)
	p.record(entry)
}

// types compares the types of an attribute: breaking is a value that the constructor took and refuses now. Programs
// that read a status meet values that they did not before.
func (p *pythonAPI) types(entry finding, class model.Class, was model.Attr, is *model.Attr) {
	name := class.Name + "." + was.Name
	before, after := p.plain(&was.Field.Type, &is.Field.Type)
	same := p.pairs.same(&was.Field.Type, &is.Field.Type)
	entry.id, entry.text = "attribute-type", fmt.Sprintf("%s has another type: %s, now %s", name, was.Type, is.Type)
	entry.instead = rule("type-changed").Instead
	if same {
		entry.id, entry.text, entry.instead = "attribute-values", "", ""
	}
	value, narrower := loses(before, after)
	met, wider := loses(after, before)
	written := p.pairs.written[class.Definition]
	switch {
	case !same && p.otherClass(&was.Field.Type, &is.Field.Type):
		entry.program = p.instance(class, was)
	case narrower && written:
		if same {
			entry.text = fmt.Sprintf("%s may no longer be %s", name, clip(p.before.Literal(value)))
		}
		entry.program = p.construct(class, was.Name, p.before.Literal(value))
	case narrower && !same:
		entry.program = p.construct(class, was.Name, p.before.Literal(value))
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
func (p *pythonAPI) plain(was, is *model.Type) (*model.Type, *model.Type) {
	a, b := innermost(was), innermost(is)
	if a.Shape != model.Reference || b.Shape != model.Reference {
		return was, is
	}
	return opaque(was), opaque(is)
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
func (p *pythonAPI) otherClass(was, is *model.Type) bool {
	a, b := innermost(was), innermost(is)
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
func (p *pythonAPI) scope(entry finding, was, is model.Class) {
	if was.Root == nil || is.Root == nil || was.Root.Plural == "" || was.Root.Namespaced == is.Root.Namespaced {
		return
	}
	entry.id, entry.instead = "scope", rule("scope").Instead
	entry.text = "clients refuse a namespace: objects are in none"
	if is.Root.Namespaced {
		entry.text = "clients need a namespace"
	}
	statement := fmt.Sprintf("assert %s.NAMESPACED is %s", was.Name, p.before.Literal(was.Root.Namespaced))
	entry.program = p.program(statement, was.Name)
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
