package stage

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// checkNames reports groups and versions of the project's own that the API server does not accept,
// and groups without a valid Go name where clients are generated.
func checkNames(api *load.Result, clients bool) diag.List {
	var list diag.List
	for _, pkg := range api.Packages {
		if pkg.Foreign {
			continue
		}
		pos := token.Position{Filename: pkg.SourceDir + "/doc.go", Line: 1, Column: 1}
		first, _, dotted := strings.Cut(pkg.Group, ".")
		if len(validation.IsDNS1123Subdomain(pkg.Group)) > 0 || !dotted {
			list.Add(pos, "load", "write a domain that you own, in lower case, such as\n// +groupName=example.org",
				"group %q is not a valid DNS-1123 subdomain with at least one dot", pkg.Group)
		} else if clients && pkg.GroupGoName == "" && strings.Contains(first, "-") {
			list.Add(pos, "load", "add above the package clause, with the Go name of your choice:\n// +groupGoName="+
				camel(first),
				"group %q contains a dash, which is not valid in the Go name that the clients use", pkg.Group)
		}
		if len(validation.IsDNS1035Label(pkg.Version)) > 0 {
			list.Add(pos, "load", "name the package, or +versionName, v1alpha1, v1beta1 or v1, for example",
				"version %q is not a valid DNS-1035 label", pkg.Version)
		}
	}
	return list
}

// camel is a name with dashes as Go writes it.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}

// missingLists finds root kinds of the project's own without a list, which the clients need, and
// which the API server makes up.
func missingLists(api *load.Result) diag.List {
	var list diag.List
	for _, pkg := range api.Packages {
		for _, kind := range pkg.Kinds {
			if kind.List || pkg.Foreign || pkg.NoCRD || slices.Contains(pkg.Kinds,
				load.Kind{Name: kind.Name + "List", List: true}) {
				continue
			}
			list.Add(api.Pos(pkg.Path, kind.Name, ""), "load", fmt.Sprintf("add:\n"+
				"// %[1]sList is a list of them.\n// +kubebuilder:object:root=true\ntype %[1]sList struct {\n"+
				"\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []%[1]s "+
				"`json:\"items\"`\n}\n"+
				"or, if an aggregated API server serves the package, write beside path in sdkgen.yaml:\ncrd: false", kind.Name),
				"kind %[1]s has no list type %[1]sList with metav1.TypeMeta and metav1.ListMeta", kind.Name)
		}
	}
	return list
}
