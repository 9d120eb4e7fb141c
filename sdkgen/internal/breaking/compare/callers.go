package compare

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/probe"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// CallerRule is one kind of change for programs that call an SDK, or import the API's Go package. How bad it is
// depends on what they do with it: a program that shows it settles that.
type CallerRule struct {
	ID   string
	What string   // what the change is
	Same []string // the rules for CRDs that say the same of the field, or kind: the changes are told as one
}

// CallerRules is every rule for callers, in the order in which docs/use/breaking.md has them.
var CallerRules = []CallerRule{
	{"package-renamed", "a package of an SDK has another name", nil},
	{ID: "class-removed", What: "a class, or a type, is gone or has another name",
		Same: []string{"kind-removed", "version-removed"}},
	{"class-changed", "a Go type is made of another type, or its values can no longer be compared", nil},
	{"class-added", "a Go type is new", nil},
	{"name-removed", "a Go constant, variable or function is gone", nil},
	{"name-changed", "a Go constant, variable or function is another", nil},
	{"name-added", "a Go constant, variable or function is new", nil},
	{ID: "attribute-removed", What: "an attribute, a field or a method is gone or has another name",
		Same: []string{"field-removed"}},
	{"attribute-added", "an attribute, a field or a method is new", []string{"field-added"}},
	{ID: "attribute-type", What: "an attribute, a field or a method has another type",
		Same: []string{"type-changed", "enum-narrowed", "enum-widened", "format-changed", "format-removed"}},
	{ID: "attribute-values", What: "an attribute takes fewer values, or has others when it is read",
		Same: []string{"enum-narrowed", "bound-tightened", "pattern-added", "format-changed", "type-changed", "list-type",
			"unknown-fields-dropped", "enum-widened"}},
	{"attribute-required", "an attribute must be given to the constructor", []string{"required-added"}},
	{"attribute-optional", "an attribute may be absent when it is read", []string{"required-removed"}},
	{"attribute-default", "an attribute has another default", []string{"default-changed"}},
	{"scope", "clients take a namespace, or refuse it", []string{"scope"}},
}

// sameOf returns the rules for CRDs that say the same as a rule for callers.
func sameOf(id string) []string {
	for _, rule := range CallerRules {
		if rule.ID == id {
			return rule.Same
		}
	}
	return nil
}

// Caller is a program that works with the old version of an SDK, or of the API's Go package, and fails with the new
// one.
type Caller struct {
	Audience string `json:"audience"`
	Program  string `json:"program"`
}

// finding is a change as one audience of callers sees it.
type finding struct {
	who     Audience
	id      string
	place   Place
	near    []Place // where to look for a position if the new source does not have the place
	verdict Verdict
	text    string
	instead string
	program string // that shows it; "" if there is none
}

// callers compares what programs see: the classes of the SDKs and the exported Go API.
func (c *comparison) callers() {
	for i := range c.before.Packages {
		old := &c.before.Packages[i]
		c.version = old.Document.Version
		now := c.after.Find(old.Document.Group, c.version)
		if now == nil {
			c.unversioned(old)
			continue
		}
		c.paths[old.Path] = now.Path
		pairs := c.pair(old, now)
		c.deprecatedTypes(pairs, old.Document)
		c.packages(old, now)
		if old.Python != nil && now.Python != nil {
			api := &pythonAPI{comparison: c, pairs: pairs, module: old.Module}
			c.classes(api, Python, "the class ", pairs, old.Python, now.Python)
		}
		if old.Client != nil && now.Client != nil {
			(&client{comparison: c, pairs: pairs, path: old.Import}).compare(old.Client, now.Client)
		}
		if old.Types != nil && now.Types != nil {
			(&goAPI{comparison: c, pairs: pairs, old: old.Types, now: now.Types}).compare()
		}
	}
}

// packages compares by what names programs import what the SDKs make of a package. That a module has another path, as
// the next major version has, is no change of it.
func (c *comparison) packages(old, now *surface.Package) {
	entry := finding{
		id: "package-renamed", verdict: Breaking,
		place: Place{Version: c.version, GoType: now.Path + ".", Path: old.Module},
		instead: "keep the names in the configuration, and, as an SDK of several API versions has a package for each, " +
			"their number",
	}
	if old.Module != now.Module && old.Module != "" && now.Module != "" {
		entry.who, entry.text = Python, fmt.Sprintf("the Python package is %s, now %s", old.Module, now.Module)
		entry.program = fmt.Sprintf("from %s import %s\n", old.Module, rootOf(old))
		c.record(entry)
	}
	if path.Base(old.Import) != path.Base(now.Import) && old.Import != "" && now.Import != "" {
		entry.who, entry.place.Path = Go, old.Import
		entry.text = fmt.Sprintf("the package of the Go client is %s, now %s", old.Import, now.Import)
		entry.program = fmt.Sprintf("package caller\n\nimport . %q\n\nvar _ %s\n", old.Import, rootOf(old))
		c.record(entry)
	}
}

// rootOf is the class of the first kind of a package.
func rootOf(p *surface.Package) string {
	for _, definition := range p.Document.Definitions {
		if definition.Root != nil && definition.Root.Plural != "" {
			return definition.Name
		}
	}
	return ""
}

// unversioned tells of a version that the new API does not have: its packages are gone.
func (c *comparison) unversioned(old *surface.Package) {
	for _, definition := range old.Document.Definitions {
		if definition.Root == nil || definition.Root.Plural == "" {
			continue
		}
		entry := finding{
			id: "class-removed", verdict: Breaking,
			instead: "keep the version, with +kubebuilder:deprecatedversion, for some releases",
			place:   Place{Version: c.version, GoType: surface.GoType(definition), Path: definition.Name},
			text:    "the packages of " + c.version + " are gone",
			near:    c.related(old.Document.Group, definition.Name),
		}
		if entry.who = Python; old.Python != nil {
			if old.Module != "" {
				entry.program = "from " + old.Module + " import " + definition.Name + "\n"
			}
			c.record(entry)
		}
		entry.who, entry.program = Go, ""
		if object := old.Types.Scope().Lookup(definition.GoType.Name); object != nil {
			p := probe.New(old.Types, old.Types, strings.Clone)
			p.Write("var _ pkg.%s", object.Name())
			entry.program = p.String()
		}
		c.record(entry)
	}
}

// sdk compares what is particular to the SDK of a language. entry is a breaking change of the class, to be completed.
type sdk interface {
	use(class model.Class) (program string)
	scope(entry finding, before, after model.Class)
	attribute(entry finding, class model.Class, before model.Attr, in model.Class)
	added(entry finding, before, after model.Class, attr model.Attr)
}

// classes compares the classes of an SDK; noun is what reports call one.
func (c *comparison) classes(s sdk, who Audience, noun string, p *pairs, old, now []model.Class) {
	for _, before := range old {
		entry := p.finding(who, c.version, before)
		after := classOf(now, p.now[before.Definition])
		if after == nil || after.Name != before.Name {
			gone := entry
			gone.id, gone.program = "class-removed", s.use(before)
			gone.text = noticed(noun+before.Name+" is gone", before.Deprecated)
			gone.instead = "keep the type for a release, marked \"// Deprecated:\""
			if after != nil {
				gone.text = fmt.Sprintf("%s%s is %s now", noun, before.Name, after.Name)
				gone.instead = "keep the name with swagger.names in the configuration"
			}
			c.record(gone)
		}
		if after == nil {
			continue
		}
		s.scope(entry, before, *after)
		for _, attr := range before.Attrs {
			s.attribute(entry, before, attr, *after)
		}
		for _, attr := range after.Attrs {
			if attributeOf(before.Attrs, attr.Key) == nil {
				s.added(entry, before, *after, attr)
			}
		}
	}
}

// finding is a breaking change of a class, for the parts to fill in.
func (p *pairs) finding(who Audience, version string, class model.Class) finding {
	return finding{
		who: who, verdict: Breaking, near: p.users[class.Definition],
		place: Place{Version: version, GoType: surface.GoType(class.Definition), Path: class.Name},
	}
}

// record adds an effect on callers: with a change of the same field, or as a change of its own.
func (c *comparison) record(entry finding) {
	entry.place.GoType = c.newPath(entry.place.GoType)
	effect := Effect{Verdict: entry.verdict}
	if entry.verdict != Compatible {
		effect.Reason = entry.text
	}
	change := c.sameField(entry)
	if change == nil {
		pos := c.locate(append([]Place{entry.place}, entry.near...)...)
		change = &Change{Rule: entry.id, Place: entry.place, Pos: pos, Text: entry.text}
		c.changes = append(c.changes, change)
	}
	if change.Effects[entry.who].Verdict <= entry.verdict {
		change.Effects[entry.who] = effect
	}
	if entry.verdict != Compatible {
		change.Instead = cmp.Or(change.Instead, entry.instead)
	}
	if entry.program != "" && entry.verdict != Compatible {
		change.Callers = append(change.Callers, Caller{entry.who.String(), entry.program})
	}
}

// sameField returns the change that says the same of the same field, or type, for others; nil if there is none.
func (c *comparison) sameField(entry finding) *Change {
	i := slices.IndexFunc(c.changes, func(change *Change) bool {
		switch after, before := entry.place, change.Place; {
		case after.Version != before.Version || after.GoType != before.GoType || after.Property != before.Property:
			return false
		case change.Rule != entry.id:
			return after.GoType != "" && slices.Contains(sameOf(entry.id), change.Rule)
		case after.GoType != "" && after.Property != "":
			return true
		default: // of a type there may be several: its methods
			return last(after.Path) == last(before.Path) ||
				entry.id == "class-removed" && change.Effects[entry.who].Verdict == Compatible
		}
	})
	if i < 0 {
		return nil
	}
	return c.changes[i]
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func at(place Place, class model.Class, attr model.Attr) Place {
	place.Property, place.Path = attr.Key, class.Name+"."+attr.Key
	return place
}

func attributeOf(attrs []model.Attr, key string) *model.Attr {
	for i := range attrs {
		if attrs[i].Key == key {
			return &attrs[i]
		}
	}
	return nil
}

func classOf(classes []model.Class, target *model.Definition) *model.Class {
	for i := range classes {
		if target != nil && classes[i].Definition == target {
			return &classes[i]
		}
	}
	return nil
}
