package model

import (
	"cmp"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// deprecatedPrefix begins the paragraph of a comment that deprecates what it is about.
const deprecatedPrefix = "Deprecated: "

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

// deprecateVersion marks a root kind whose version +kubebuilder:deprecatedversion deprecates, and says so in its
// description. A deprecation in the comment of the type wins.
func deprecateVersion(kind *Definition, crd *apiextensionsv1.CustomResourceDefinition, gv schema.GroupVersion) {
	version, ok := versionOf(crd, gv.Version)
	if !ok || !version.Deprecated || kind.Deprecated != "" {
		return
	}
	text := gv.String() + " " + kind.Root.Kind + " is deprecated" // the API server's own warning
	if version.DeprecationWarning != nil {
		text = cmp.Or(strings.Join(strings.Fields(*version.DeprecationWarning), " "), text)
	}
	kind.Deprecated = text
	kind.Description = strings.TrimLeft(strings.TrimSpace(kind.Description)+"\n\n"+deprecatedPrefix+text, "\n")
}
