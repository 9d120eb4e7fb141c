package pipeline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// pathWarnings finds printer columns and paths of the scale subresource that name fields which do not exist. The API
// server accepts them, and shows nothing.
func (s *source) pathWarnings() (diag.List, error) {
	schemas, err := s.schemas()
	if err != nil {
		return nil, err
	}
	var list diag.List
	for _, pkg := range s.Packages {
		for _, kind := range pkg.Kinds {
			crd := schemas.CRD(pkg.Path + "." + kind.Name)
			if crd == nil || pkg.Foreign {
				continue
			}
			for _, version := range crd.Spec.Versions {
				if version.Name != pkg.Version || version.Schema == nil {
					continue
				}
				for _, path := range paths(version) {
					if at, keys := unresolved(version.Schema.OpenAPIV3Schema, path.path); at != "" {
						list.Warn(s.position(pkg.Path+"."+kind.Name, ""), "path", "the fields there are "+strings.Join(keys, ", "),
							"%s of %s: there is no field %s", path.marker, kind.Name, at)
					}
				}
			}
		}
	}
	return list.Sorted(), nil
}

type markedPath struct{ marker, path string }

// paths are the JSONPaths of a version, and the markers that they are from.
func paths(version apiextensionsv1.CustomResourceDefinitionVersion) []markedPath {
	var all []markedPath
	for _, column := range version.AdditionalPrinterColumns {
		all = append(all, markedPath{fmt.Sprintf("+kubebuilder:printcolumn %q", column.Name), column.JSONPath})
	}
	if version.Subresources == nil || version.Subresources.Scale == nil {
		return all
	}
	scale := version.Subresources.Scale
	all = append(all, markedPath{"specpath", scale.SpecReplicasPath}, markedPath{"statuspath", scale.StatusReplicasPath})
	if scale.LabelSelectorPath != nil {
		all = append(all, markedPath{"selectorpath", *scale.LabelSelectorPath})
	}
	return all
}

// unresolved returns the part of a JSONPath up to the first name that the schema lacks, and the names that are there;
// "" if there is none. It looks no further than the first filter, index or escape.
func unresolved(schema *apiextensionsv1.JSONSchemaProps, path string) (at string, keys []string) {
	if i := strings.IndexAny(path, `\`); i >= 0 {
		path = path[:strings.LastIndexByte(path[:i], '.')+1]
	}
	plain := path
	if i := strings.IndexAny(path, "[(*{@?"); i >= 0 {
		plain = path[:i]
	}
	for name := range strings.SplitSeq(strings.Trim(plain, "."), ".") {
		open := schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
		if name == "" || open || len(schema.Properties) == 0 || at == "" && slices.Contains([]string{"metadata", "kind", "apiVersion"}, name) {
			return "", nil
		}
		at += "." + name
		next, ok := schema.Properties[name]
		if !ok {
			return at, slices.Sorted(maps.Keys(schema.Properties))
		}
		schema = &next
	}
	return "", nil
}
