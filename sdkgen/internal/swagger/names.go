package swagger

import (
	"fmt"
	"go/token"
	"path"
	"regexp"
	"strings"
)

// namer gives each Go type the name of its definition, and no name twice.
type namer struct {
	own    string            // import path of the API package
	table  map[string]string // from sdkgen.yaml
	byType map[string]string
	byName map[string]string
}

func newNamer(own string, table map[string]string) *namer {
	return &namer{own: own, table: table, byType: map[string]string{}, byName: map[string]string{}}
}

// name returns the type's name and whether this is the first request for it. A name that another type
// has, and one that is not an identifier, is an error.
func (n *namer) name(goType string) (name string, fresh bool, err error) {
	goType = goSpelling(goType)
	if name, ok := n.byType[goType]; ok {
		return name, false, nil
	}
	name = n.choose(goType)
	n.byType[goType] = name
	if !token.IsIdentifier(name) {
		return name, true, fmt.Errorf("%s would be named %q, which is not a valid type name", goType, name)
	}
	if other, taken := n.byName[name]; taken {
		return name, true, fmt.Errorf("%s and %s would both be named %s", other, goType, name)
	}
	n.byName[name] = goType
	return name, true, nil
}

func (n *namer) choose(goType string) string {
	if name, ok := n.table[goType]; ok {
		return name
	}
	pkg, name := splitType(goType)
	if pkg == n.own {
		return name
	}
	if k8sName, ok := KubernetesName(goType); ok {
		return k8sName
	}
	return name
}

// KubernetesName returns the name that a type of k8s.io/api or apimachinery has in the
// kubernetes Python client, such as V1ObjectMeta; false for other types. Both spellings are
// known: k8s.io/api/core/v1.Pod, and io.k8s.api.core.v1.Pod, which Kubernetes uses since 1.35.
func KubernetesName(goType string) (string, bool) {
	pkg, name := splitType(goSpelling(goType))
	if special, ok := specialNames[pkg+"."+name]; ok {
		return special, true
	}
	inside := strings.HasPrefix(pkg, "k8s.io/api/") || strings.HasPrefix(pkg, "k8s.io/apimachinery/pkg/apis/") ||
		strings.HasPrefix(pkg, "k8s.io/apiextensions-apiserver/pkg/apis/") || strings.HasPrefix(pkg, "k8s.io/kube-aggregator/pkg/apis/")
	version := path.Base(pkg)
	if !inside || !IsVersion(version) {
		return "", false
	}
	group := path.Base(path.Dir(pkg))
	prefix := "V" + version[1:]
	if version == "v1" && ambiguous[name][group] {
		return strings.ToUpper(group[:1]) + group[1:] + prefix + name, true
	}
	return prefix + name, true
}

// IsVersion says whether a name is a version as Kubernetes spells them: v1, v1beta2.
func IsVersion(name string) bool { return versionName.MatchString(name) }

var versionName = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// goSpelling turns io.k8s.api.core.v1.Pod into k8s.io/api/core/v1.Pod.
func goSpelling(goType string) string {
	rest, ok := strings.CutPrefix(goType, "io.k8s.")
	if !ok {
		return goType
	}
	dots := strings.Split(rest, ".")
	return "k8s.io/" + strings.Join(dots[:len(dots)-1], "/") + "." + dots[len(dots)-1]
}

// specialNames are types whose name in the client does not follow from their version.
var specialNames = map[string]string{
	"k8s.io/apimachinery/pkg/version.Info": "VersionInfo",
}

// ambiguous are the types of a version v1 whose name the client starts with the group, for these
// groups. Read off the models of kubernetes 36 and 37; TestClientModels holds it against the latter.
var ambiguous = map[string]map[string]bool{
	"EndpointPort":        {"core": true, "discovery": true},
	"Event":               {"core": true, "events": true},
	"EventList":           {"core": true, "events": true},
	"EventSeries":         {"core": true, "events": true},
	"ResourceClaim":       {"core": true, "resource": true},
	"ServiceReference":    {"admissionregistration": true, "apiextensions": true, "apiregistration": true},
	"Subject":             {"flowcontrol": true, "rbac": true},
	"TokenRequest":        {"authentication": true, "storage": true},
	"WebhookClientConfig": {"admissionregistration": true, "apiextensions": true},
}
