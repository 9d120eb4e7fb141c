package swagger

import (
	"cmp"
	"strings"

	"github.com/go-openapi/spec"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
)

// deprecatedExtension says what to use instead of a deprecated property or definition.
const deprecatedExtension = "x-sdkgen-deprecated"

// deprecatedPrefix begins the paragraph of a Go comment that deprecates what it is about.
const deprecatedPrefix = "Deprecated: "

// DeprecatedOf returns what to use instead of what a schema stands for; "" if it is not deprecated.
func DeprecatedOf(s spec.Schema) string {
	text, _ := s.Extensions[deprecatedExtension].(string)
	return text
}

// Deprecation returns the text of a description's first paragraph that begins with "Deprecated: ", as go doc and
// staticcheck find it, on one line; "" if there is none.
func Deprecation(description string) string {
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(description, "\r\n", "\n"), "\n\n") {
		if text, ok := strings.CutPrefix(strings.TrimLeft(paragraph, "\n"), deprecatedPrefix); ok {
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return ""
}

// deprecate marks a schema whose description says that it is deprecated. Types of Kubernetes are left as they are:
// clients take them from Kubernetes' own packages.
func (b *builder) deprecate(schema *spec.Schema, goType string) {
	if _, kubernetes := KubernetesName(goType); kubernetes && goTypePackage(goType) != b.api.Package {
		return
	}
	if text := Deprecation(schema.Description); text != "" {
		schema.AddExtension(deprecatedExtension, text)
	}
}

// deprecateVersion marks a root kind whose version is deprecated by +kubebuilder:deprecatedversion, and says so in its
// description. A deprecation in the comment of the type wins.
func (b *builder) deprecateVersion(kind Kind, schema *spec.Schema) {
	if b.api.CRD == nil || kind.List || DeprecatedOf(*schema) != "" {
		return
	}
	crd := b.api.CRD(kind.Name)
	if crd == nil {
		return
	}
	for _, version := range crd.Spec.Versions {
		if version.Name != b.api.Version || !version.Deprecated {
			continue
		}
		var warning string
		if version.DeprecationWarning != nil {
			warning = strings.Join(strings.Fields(*version.DeprecationWarning), " ")
		}
		// The API server's own warning.
		gv := apischema.GroupVersion{Group: b.api.Group, Version: b.api.Version}
		text := cmp.Or(warning, gv.String()+" "+kind.Name+" is deprecated")
		schema.AddExtension(deprecatedExtension, text)
		schema.Description = strings.TrimLeft(strings.TrimSpace(schema.Description)+"\n\n"+deprecatedPrefix+text, "\n")
	}
}
