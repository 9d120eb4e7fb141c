package compare

import (
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// pairs are the definitions of two versions of a package that are the same type, and who uses them.
type pairs struct {
	now     map[*model.Definition]*model.Definition // by the old one
	was     map[*model.Definition]*model.Definition // by the new one
	written map[*model.Definition]bool              // old and new ones that users write, which are not only in a status
	users   map[*model.Definition][]Place           // fields whose type an old one is
}

// pair finds the types of a package in its other version: by the Go type, by name, or, of a type that was renamed, by
// the field that has it.
func (c *comparison) pair(old, now *surface.Package) *pairs {
	p := &pairs{
		now: map[*model.Definition]*model.Definition{}, was: map[*model.Definition]*model.Definition{},
		written: map[*model.Definition]bool{}, users: map[*model.Definition][]Place{},
	}
	for _, same := range []func(before, after *model.Definition) bool{
		func(earlier, current *model.Definition) bool {
			return earlier.GoType.Name != "" && c.newPath(surface.GoType(earlier)) == surface.GoType(current)
		},
		func(before, after *model.Definition) bool { return before.Name == after.Name },
	} {
		for _, earlier := range old.Document.Definitions {
			for _, current := range now.Document.Definitions {
				if same(earlier, current) {
					p.join(earlier, current)
				}
			}
		}
	}
	for found := true; found; {
		found = false
		for _, was := range old.Document.Definitions {
			if is := p.now[was]; is != nil && p.fields(was.Fields, is.Fields) {
				found = true
			}
		}
	}
	for _, side := range []*surface.Package{old, now} {
		for _, definition := range side.Document.Definitions {
			if definition.Root != nil {
				p.write(definition, definition.Root.Plural != "")
			}
			for _, field := range definition.Fields {
				if used := innermost(&field.Type).Definition; used != nil && side == old {
					p.users[used] = append(p.users[used], Place{GoType: c.newPath(surface.GoType(definition)), Property: field.Key})
				}
			}
		}
	}
	return p
}

// join notes that two definitions are one type, unless one of them is another's already.
func (p *pairs) join(before, after *model.Definition) bool {
	if p.now[before] != nil || p.was[after] != nil {
		return false
	}
	p.now[before], p.was[after] = after, before
	return true
}

// fields joins the types of fields that both versions of a type have.
func (p *pairs) fields(old, now []*model.Field) bool {
	found := false
	for _, earlier := range old {
		current := surface.Property(now, earlier.Key)
		if current == nil {
			continue
		}
		before, after := innermost(&earlier.Type), innermost(&current.Type)
		if before.Definition != nil && after.Definition != nil && alike(before.Definition, after.Definition) {
			found = p.join(before.Definition, after.Definition) || found
		}
	}
	return found
}

// alike says whether one definition may be the other under a new name: they have the same fields.
func alike(before, after *model.Definition) bool {
	return !before.Kubernetes && !after.Kubernetes &&
		slices.EqualFunc(before.Fields, after.Fields, func(a, b *model.Field) bool {
			return a.Key == b.Key && a.Shape == b.Shape && a.Mandatory == b.Mandatory
		})
}

// write marks what users write: all of a kind but its status.
func (p *pairs) write(d *model.Definition, kind bool) {
	if p.written[d] {
		return
	}
	p.written[d] = true
	for _, field := range d.Fields {
		if used := innermost(&field.Type).Definition; used != nil && (!kind || field.Key != "status") {
			p.write(used, false)
		}
	}
}

// innermost returns the type of the elements of lists and maps.
func innermost(t *model.Type) *model.Type {
	for t.Elem != nil {
		t = t.Elem
	}
	return t
}

// same says whether two types are one for the callers of an SDK, whatever classes are called.
func (p *pairs) same(before, after *model.Type) bool {
	if before == nil || after == nil {
		return before == after
	}
	if before.Shape != after.Shape || before.Format != after.Format && before.Shape != model.String ||
		!p.same(before.Elem, after.Elem) {
		return false
	}
	if before.Definition == nil || after.Definition == nil {
		return before.Definition == after.Definition
	}
	return p.now[before.Definition] == after.Definition
}

// newPath is a Go type of the old version as the new one has it, where a package has another import path.
func (c *comparison) newPath(goType string) string {
	i := strings.LastIndexByte(goType, '.')
	if path, ok := c.paths[goType[:max(i, 0)]]; ok {
		return path + goType[i:]
	}
	return goType
}
