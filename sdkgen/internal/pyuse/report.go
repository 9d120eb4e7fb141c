package pyuse

import (
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

func (c *checker) report(pos python.Pos, rule, name, hint, format string, args ...any) {
	if !c.excuse.covers(rule, name) {
		c.list.Add(position(c.file, pos), rule, hint, format, args...)
	}
}

// attribute checks that a model has an attribute, or a method.
func (c *checker) attribute(v *value, pos python.Pos, name string) {
	class := c.facts.classes[v.name]
	_, has := class.byName[name]
	if has || class.open || class.names[name] || special(name) || v.kind == isClass && ofTypes[name] {
		return
	}
	c.report(pos, AttributeRule, name, c.instead(class, name), "%s has no attribute %q", v.name, name)
}

// keyword checks that a model's constructor takes a keyword.
func (c *checker) keyword(model string, pos python.Pos, name string) {
	if class := c.facts.classes[model]; !class.keywords[name] {
		c.report(pos, KeywordRule, name, c.instead(class, name), "%s takes no keyword %q", model, name)
	}
}

// key checks a key of a model's manifest.
func (c *checker) key(model string, key *python.String) {
	class := c.facts.classes[model]
	if _, has := class.byKey[key.Value]; has {
		return
	}
	hint := "its keys are " + joined(class.byKey)
	if attribute, is := class.byName[key.Value]; is {
		hint = "did you mean " + attribute.Key + "?"
	} else if right := diag.Nearest(key.Value, slices.Sorted(maps.Keys(class.byKey))); right != "" {
		hint = "did you mean " + right + "?"
	}
	c.report(key.Pos, KeyRule, key.Value, hint, "the manifest of %s has no key %q", model, key.Value)
}

// column checks a key of attribute_map or openapi_types.
func (c *checker) column(model string, key *python.String) {
	class := c.facts.classes[model]
	if _, has := class.byName[key.Value]; !has {
		c.report(key.Pos, KeyRule, key.Value, c.instead(class, key.Value), "%s has no attribute %q", model, key.Value)
	}
}

// instead says what may be meant by an attribute that a model does not have.
func (c *checker) instead(class *class, name string) string {
	if attribute, is := class.byKey[name]; is {
		return "did you mean " + attribute.Name + "?"
	}
	names := slices.Sorted(maps.Keys(class.byName))
	public := slices.DeleteFunc(slices.Sorted(maps.Keys(class.names)), func(name string) bool { return name[0] == '_' })
	if right := diag.Nearest(name, slices.Concat(names, public)); right != "" {
		return "did you mean " + right + "?"
	}
	for _, above := range names {
		if v := c.facts.typed(class.byName[above].Type); v != nil && v.kind == isObject {
			if _, has := c.facts.classes[v.name].byName[name]; has {
				return "did you mean " + above + "." + name + "?"
			}
		}
	}
	return "remove it, or give the Go type the field; the attributes of " + class.name + " are " + joined(class.byName)
}

func joined(names map[string]Attribute) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// moduleExists checks that there is a module.
func (c *checker) moduleExists(pos python.Pos, module string) bool {
	if !c.facts.inside(module) || c.facts.modules[module] != nil {
		return true
	}
	hint := "remove it: the SDK is made without it"
	if right := diag.Nearest(module, slices.Sorted(maps.Keys(c.facts.modules))); right != "" {
		hint = "did you mean " + right + "?"
	}
	c.report(pos, ImportRule, module, hint, "there is no module %q", module)
	return false
}

// exported checks that a module of the SDK has a name.
func (c *checker) exported(pos python.Pos, module, name string) {
	if !c.facts.inside(module) || c.facts.modules[module] == nil || c.facts.has(module, name) {
		return
	}
	hint := "remove it: the SDK is made without it"
	if right := diag.Nearest(name, c.facts.public(module)); right != "" {
		hint = "did you mean " + right + "?"
	}
	c.report(pos, ImportRule, name, hint, "%s has no %q", module, name)
}
