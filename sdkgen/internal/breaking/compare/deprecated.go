package compare

import (
	"cmp"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// deprecation says what to use instead of a field, "" if it is not deprecated: by the document or, where that does not
// have the field, by the CRD's description.
func deprecation(field *model.Field, s *schema) string {
	if field != nil {
		return field.Deprecated
	}
	return model.Deprecation(s.Description)
}

// deprecated compares the deprecation notices of one place. Another text of a notice is no change.
func (c *comparison) deprecated(at node, before, after string) {
	switch {
	case before == "" && after != "":
		c.add("deprecated", at, "deprecated: "+after)
	case before != "" && after == "":
		c.add("undeprecated", at, "no longer deprecated")
	}
}

// afterNotice says that what is gone was deprecated, and what to do instead: the deprecation is no longer part of that.
func afterNotice(deprecated, instead string) correction {
	return func(c *Change) {
		c.Text = noticed(c.Text, deprecated)
		if deprecated != "" && c.Instead != "" {
			c.Instead = instead
		}
	}
}

// noticed adds the deprecation notice to the text about something that is gone.
func noticed(text, deprecated string) string {
	if deprecated == "" {
		return text
	}
	return text + "; it was deprecated: " + deprecated
}

// deprecatedVersion says what to use instead of a version of a kind, "" if it is not deprecated: by the comment of the
// type, or by the CRD.
func deprecatedVersion(root *model.Type, version apiextensionsv1.CustomResourceDefinitionVersion) string {
	switch {
	case root != nil && root.Definition != nil && root.Definition.Deprecated != "":
		return root.Definition.Deprecated
	case !version.Deprecated:
		return ""
	}
	return cmp.Or(pointed(version.DeprecationWarning, ""), "version "+version.Name)
}

// deprecatedKind is the deprecation of a kind all of whose served versions are deprecated, else "".
func deprecatedKind(crd *apiextensionsv1.CustomResourceDefinition) (text string) {
	for _, version := range crd.Spec.Versions {
		switch reason := deprecatedVersion(nil, version); {
		case !version.Served:
		case reason == "":
			return ""
		default:
			text = cmp.Or(text, reason)
		}
	}
	return text
}

// deprecatedTypes compares the types of an API package that are no root kinds.
func (c *comparison) deprecatedTypes(p *pairs, old *model.API) {
	for _, before := range old.Definitions {
		after := p.now[before]
		if after == nil || before.Root != nil || before.Kubernetes {
			continue
		}
		place := Place{Version: c.version, GoType: surface.GoType(after), Path: after.Name}
		change := &Change{Place: place, Pos: c.locate(place)}
		switch {
		case before.Deprecated == "" && after.Deprecated != "":
			change.Rule, change.Text = "deprecated", "deprecated: "+after.Deprecated
		case before.Deprecated != "" && after.Deprecated == "":
			change.Rule, change.Text = "undeprecated", "no longer deprecated"
		default:
			continue
		}
		c.changes = append(c.changes, change)
	}
}
