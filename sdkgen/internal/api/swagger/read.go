package swagger

import (
	"github.com/go-openapi/spec"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The document's conventions, for those who read it: where a schema keeps its Go type, its
// kind and its reference.

const (
	// goTypeExtension is go-swagger's extension that names the Go type of a schema. Definitions
	// carry it, and so do places where a type of another module (a Quantity, a Time) is written out.
	goTypeExtension = "x-go-type"
	kindExtension   = "x-kubernetes-group-version-kind"
	pluralExtension = "x-sdkgen-plural"
	// storageExtension is for root kinds with several versions.
	storageExtension = "x-sdkgen-storage-version"
	// pointerExtension is for an optional scalar whose zero value is something else than none.
	pointerExtension = "x-sdkgen-pointer"
	// listExtension names the list of a root kind that no CRD serves.
	listExtension = "x-sdkgen-list"
	// clusterExtension is for a cluster-scoped root kind without paths.
	clusterExtension = "x-sdkgen-cluster"
	// openExtension is for what may be any JSON here, though the CRD says something else.
	openExtension = "x-sdkgen-open"
	// ownExtension is for types of an API package that is one of Kubernetes itself.
	ownExtension = "x-sdkgen-own"
)

func goTypeValue(goType string) any {
	pkg, name := splitType(goType)
	return map[string]any{"type": name, "import": map[string]any{"package": pkg}}
}

// GoType returns the Go type, as package and name, that a schema stands for; empty if it
// does not say.
func GoType(s spec.Schema) (pkg, name string) { return goTypeOf(s.Extensions) }

func goTypeOf(extensions map[string]any) (pkg, name string) {
	value, ok := extensions[goTypeExtension].(map[string]any)
	if !ok {
		return "", ""
	}
	name, _ = value["type"].(string)
	if source, ok := value["import"].(map[string]any); ok {
		pkg, _ = source["package"].(string)
	}
	return pkg, name
}

// IsKubernetes says whether a definition is a type of Kubernetes itself, which clients take
// from Kubernetes' own packages; not if it is what the document is about.
func IsKubernetes(s spec.Schema) bool {
	pkg, name := GoType(s)
	_, ok := KubernetesName(pkg + "." + name)
	own, _ := s.Extensions[ownExtension].(bool)
	return ok && !own
}

// IsPointer says whether a property is an optional scalar whose zero value is something else than none.
func IsPointer(s spec.Schema) bool {
	is, _ := s.Extensions[pointerExtension].(bool)
	return is
}

func kindValue(gvk schema.GroupVersionKind) any {
	return []any{map[string]any{"group": gvk.Group, "version": gvk.Version, "kind": gvk.Kind}}
}

// KindOf returns a root kind's (or its list's) group, version and kind; false for other definitions.
func KindOf(s spec.Schema) (schema.GroupVersionKind, bool) {
	list, ok := s.Extensions[kindExtension].([]any)
	if !ok || len(list) != 1 {
		return schema.GroupVersionKind{}, false
	}
	gvk, ok := list[0].(map[string]any)
	text := func(key string) string { s, _ := gvk[key].(string); return s }
	return schema.GroupVersionKind{Group: text("group"), Version: text("version"), Kind: text("kind")}, ok
}

// PluralOf returns the resource name of a root kind, such as miniclusters; "" for other definitions.
func PluralOf(s spec.Schema) string {
	plural, _ := s.Extensions[pluralExtension].(string)
	return plural
}

// StorageVersionOf returns the version in which the API server stores the objects of a root kind; "" for one
// with a single version, and for other definitions.
func StorageVersionOf(s spec.Schema) string {
	version, _ := s.Extensions[storageExtension].(string)
	return version
}

// ListOf returns the definition of the list of a root kind that no CRD serves; "" for other definitions.
func ListOf(s spec.Schema) string {
	list, _ := s.Extensions[listExtension].(string)
	return list
}

// IsCluster says whether a root kind without paths is cluster-scoped.
func IsCluster(s spec.Schema) bool {
	is, _ := s.Extensions[clusterExtension].(bool)
	return is
}

// Referenced returns the name of the definition that a schema refers to, plainly or by an
// allOf that adds constraints; "" if it refers to none.
func Referenced(s spec.Schema) string {
	refs := []spec.Ref{s.Ref}
	for _, part := range s.AllOf {
		refs = append(refs, part.Ref)
	}
	for _, ref := range refs {
		if tokens := ref.GetPointer().DecodedTokens(); len(tokens) == 2 && tokens[0] == "definitions" {
			return tokens[1]
		}
	}
	return ""
}

// IsIntOrString says whether a value may be an integer or a string, such as a port or a quantity.
func IsIntOrString(s spec.Schema) bool {
	yes, _ := s.Extensions["x-kubernetes-int-or-string"].(bool)
	return yes
}
