package swagger

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/go-openapi/spec"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// published is what the API server publishes for a CRD of each scope with all subresources: documents of Swagger 2.0,
// their operations with the ids of the official clients. <group>, <version>, <kind>, <list>, <plural>, <model>, <tag> and
// <article> stand for what depends on the CRD. TestPublished writes them, with the API server's own code, which takes a
// quarter of sdkgen's build where it is linked.
//
//go:embed published
var published embed.FS

// readPublished returns what the API server publishes for a version of a CRD.
func readPublished(crd *apiextensionsv1.CustomResourceDefinition, version string) (*spec.Swagger, error) {
	data, err := published.ReadFile(publishedFile(crd.Spec.Scope))
	if err != nil {
		return nil, fmt.Errorf("reading the published document: %w", err)
	}
	names := crd.Spec.Names
	text := strings.NewReplacer(
		"<group>", crd.Spec.Group, "<version>", version, "<kind>", names.Kind, "<list>", names.ListKind, "<plural>", names.Plural,
		"<tag>", tag(crd.Spec.Group, version), "<article>", article(names.Kind), "<model>", modelPrefix(crd.Spec.Group, version),
	).Replace(string(data))
	doc := &spec.Swagger{}
	if err := json.Unmarshal([]byte(text), doc); err != nil {
		return nil, fmt.Errorf("reading %s: %w", publishedFile(crd.Spec.Scope), err)
	}
	served, _ := versionOf(crd, version)
	has := served.Subresources
	maps.DeleteFunc(doc.Paths.Paths, func(path string, _ spec.PathItem) bool {
		return strings.HasSuffix(path, "/{name}/status") && (has == nil || has.Status == nil) ||
			strings.HasSuffix(path, "/{name}/scale") && (has == nil || has.Scale == nil)
	})
	return doc, nil
}

// publishedFile is the file of a scope in published.
func publishedFile(scope apiextensionsv1.ResourceScope) string {
	return "published/" + string(scope) + ".json"
}

// modelPrefix is how the API server begins the names of definitions in a group and version.
func modelPrefix(group, version string) string {
	parts := strings.Split(group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, version), ".") + "."
}

// tag is the API server's tag of operations in a group and version: exampleOrg_v1 for example.org/v1.
func tag(group, version string) string {
	return camelCase(strings.TrimSuffix(group, ".k8s.io")) + "_" + camelCase(version)
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
