// Package published knows the names in what the API server publishes for a custom resource.
package published

import (
	"slices"
	"strings"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Expand returns a document that the API server publishes for a version of a CRD. In the template, <group>, <version>,
// <kind>, <list>, <plural>, <model>, <tag>, <id> and <article> stand for what depends on the CRD.
func Expand(template string, crd *apiextensionsv1.CustomResourceDefinition, version string) string {
	names := crd.Spec.Names
	return strings.NewReplacer(
		"<group>", crd.Spec.Group, "<version>", version, "<kind>", names.Kind, "<list>", names.ListKind, "<plural>",
		names.Plural,
		"<tag>", tag(crd.Spec.Group, version), "<id>", id(crd.Spec.Group, version), "<article>", article(names.Kind),
		"<model>", ModelPrefix(crd.Spec.Group, version),
	).Replace(template)
}

// placeholders are the names of the sample in the documents that are made into templates, and what they become. The
// order counts: a name may be part of another.
var placeholders = []string{
	"groupZz_zv1", "<tag>", "GroupZzZv1", "<id>", "zz.group.zv1.", "<model>", "group.zz", "<group>", "zv1", "<version>",
	"zplurals", "<plural>", "Zlist", "<list>",
	"create a Zkind", "create<article><kind>", "delete a Zkind", "delete<article><kind>", "Zkind", "<kind>",
}

// Template makes a template of what the API server publishes for Sample.
func Template(document string) string { return strings.NewReplacer(placeholders...).Replace(document) }

// Sample is a CRD with all subresources and with names that occur nowhere else in what the API server publishes of it.
func Sample(scope apiextensionsv1.ResourceScope) *apiextensionsv1.CustomResourceDefinition {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "group.zz", Scope: scope,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "zplurals", Kind: "Zkind", ListKind: "Zlist"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "zv1", Served: true, Storage: true,
			Subresources: &apiextensionsv1.CustomResourceSubresources{
				Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
				Scale:  &apiextensionsv1.CustomResourceSubresourceScale{},
			},
		}},
	}
	return crd
}

// ModelPrefix is how the API server begins the names of definitions in a group and version.
func ModelPrefix(group, version string) string {
	parts := strings.Split(group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, version), ".") + "."
}

// tag is the API server's tag of operations in a group and version: exampleOrg_v1 for example.org/v1.
func tag(group, version string) string {
	return camelCase(strings.TrimSuffix(group, ".k8s.io")) + "_" + camelCase(version)
}

// id is the same in the ids of operations: ExampleOrgV1.
func id(group, version string) string {
	var out string
	for part := range strings.SplitSeq(tag(group, version), "_") {
		out += strings.ToUpper(part[:1]) + part[1:]
	}
	return out
}

// camelCase leaves out what is neither a letter nor a digit, and makes the letter after it a capital.
func camelCase(name string) string {
	var b strings.Builder
	capital := false
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)):
			capital = true
			continue
		case capital:
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		capital = false
	}
	return b.String()
}

// article is what the API server puts between a verb and a kind.
func article(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		return " "
	case strings.ContainsAny(kind[:1], "AEIOUaeiou"):
		return " an "
	}
	return " a "
}
