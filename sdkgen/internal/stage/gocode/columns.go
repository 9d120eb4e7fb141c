package gocode

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// checkPaths finds printer columns, selectable fields and paths of the scale subresource that name fields which do
// not exist. The API server accepts most of them, and shows nothing. In a package of another module they
// are warnings.
func checkPaths(source *gotypes.Source) (diag.List, error) {
	schemas, err := source.Schemas()
	if err != nil {
		return nil, err
	}
	var list diag.List
	for _, pkg := range source.API.Packages {
		for _, kind := range pkg.Kinds {
			if crd := schemas.CRD(pkg.Path + "." + kind.Name); crd != nil {
				list = append(list, kindPaths(source.API, pkg, kind.Name, crd)...)
			}
		}
	}
	return list.Sorted(), nil
}

// kindPaths is checkPaths for one kind.
func kindPaths(
	api *load.Result, pkg *load.Package, kind string, crd *apiextensionsv1.CustomResourceDefinition,
) diag.List {
	var list diag.List
	for _, version := range crd.Spec.Versions {
		if version.Name != pkg.Version || version.Schema == nil {
			continue
		}
		for _, path := range paths(version) {
			at, keys := unresolved(version.Schema.OpenAPIV3Schema, path.path)
			if at == "" {
				continue
			}
			list.Add(api.MarkerPos(pkg, kind, path.marker, path.path), "path", "the fields there are "+strings.Join(keys, ", "),
				"%s of %s: there is no field %s", path.name, kind, at)
			if pkg.Foreign {
				list[len(list)-1].Severity = diag.Warning
			}
		}
	}
	return list
}

// markedPath is a JSONPath.
type markedPath struct {
	marker string // that it is from
	name   string // for messages
	path   string
}

// paths are the JSONPaths of a version.
func paths(version apiextensionsv1.CustomResourceDefinitionVersion) []markedPath {
	var all []markedPath
	for _, column := range version.AdditionalPrinterColumns {
		all = append(all, markedPath{"+kubebuilder:printcolumn", fmt.Sprintf("+kubebuilder:printcolumn %q", column.Name),
			column.JSONPath})
	}
	for _, field := range version.SelectableFields {
		all = append(all, markedPath{"+kubebuilder:selectablefield", "+kubebuilder:selectablefield", field.JSONPath})
	}
	if version.Subresources == nil || version.Subresources.Scale == nil {
		return all
	}
	scale, marker := version.Subresources.Scale, "+kubebuilder:subresource:scale"
	all = append(all, markedPath{marker, "specpath", scale.SpecReplicasPath},
		markedPath{marker, "statuspath", scale.StatusReplicasPath})
	if scale.LabelSelectorPath != nil {
		all = append(all, markedPath{marker, "selectorpath", *scale.LabelSelectorPath})
	}
	return all
}

// unresolved returns the part of a JSONPath up to the first name that the schema lacks, and the names that are there;
// "" if there is none. It looks no further than the first escape, or what is neither a name nor in brackets.
func unresolved(schema *apiextensionsv1.JSONSchemaProps, path string) (at string, keys []string) {
	if i := strings.IndexAny(path, `\`); i >= 0 {
		path = path[:strings.LastIndexByte(path[:i], '.')+1]
	}
	for path = strings.TrimPrefix(path, "."); path != ""; path = strings.TrimPrefix(path, ".") {
		if strings.HasPrefix(path, "[") {
			end := closing(path)
			if schema = below(schema); schema == nil || end < 0 {
				return "", nil
			}
			at, path = at+path[:end], path[end:]
			continue
		}
		end := len(path)
		if i := strings.IndexAny(path, ".[(*{@?"); i >= 0 {
			end = i
		}
		name := path[:end]
		open := schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
		if name == "" || open || len(schema.Properties) == 0 ||
			at == "" && slices.Contains([]string{"metadata", "kind", "apiVersion"}, name) {
			return "", nil
		}
		at, path = at+"."+name, path[end:]
		next, ok := schema.Properties[name]
		if !ok {
			return at, slices.Sorted(maps.Keys(schema.Properties))
		}
		schema = &next
	}
	return "", nil
}

// closing returns the index behind the bracket that closes the one at the start of a JSONPath, -1 if there is none.
func closing(path string) int {
	depth, quote := 0, byte(0)
	for i := range len(path) {
		switch c := path[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// below is the schema of a list's items; nil for other schemas.
func below(schema *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if schema.Items == nil {
		return nil
	}
	return schema.Items.Schema
}
