package model

import (
	"errors"
	"fmt"
	"go/token"
	"path"
	"regexp"
	"strings"
	"unicode"
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
		return name, true, &sameName{other, goType, name}
	}
	n.byName[name] = goType
	return name, true, nil
}

// sameName says that two Go types would have one name.
type sameName struct{ first, second, name string }

// Error implements error.
func (e *sameName) Error() string {
	return fmt.Sprintf("%s and %s would both be named %s", e.first, e.second, e.name)
}

// versionNames are the names of types of another version than the API's own that share theirs with another
// type, such as V1beta1Probe.
type versionNames map[string]string

// add names two types of different versions apart; false if that is not possible. Those of the API's own
// package, and those that have a name in the table, keep it.
func (v versionNames) add(same *sameName, own string, table map[string]string) bool {
	first, second := path.Base(PackageOf(same.first)), path.Base(PackageOf(same.second))
	if first == second || !IsVersion(first) || !IsVersion(second) {
		return false
	}
	for _, goType := range []string{same.first, same.second} {
		pkg, name := splitType(goType)
		_, kubernetes := KubernetesName(goType)
		if _, named := table[goType]; pkg != own && !kubernetes && !named {
			version := path.Base(pkg)
			v[goType] = strings.ToUpper(version[:1]) + version[1:] + name
		}
	}
	return v[same.first] != "" || v[same.second] != ""
}

// renameHint says what to write so that one of two types has another name.
func renameHint(err error, own string) string {
	hint := "rename one of the types with swagger.names in sdkgen.yaml"
	same, ok := errors.AsType[*sameName](err)
	if !ok {
		return hint
	}
	other := same.second
	if PackageOf(other) == own {
		other = same.first
	}
	pkg, name := splitType(other)
	part := path.Base(path.Dir(pkg))
	if !IsVersion(path.Base(pkg)) {
		part = path.Base(pkg)
	}
	part = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, part)
	if part == "" {
		return hint
	}
	return hint + ":\nswagger:\n  names:\n    " + other + ": " + strings.ToUpper(part[:1]) + part[1:] + name
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
		strings.HasPrefix(pkg, "k8s.io/apiextensions-apiserver/pkg/apis/") ||
		strings.HasPrefix(pkg, "k8s.io/kube-aggregator/pkg/apis/")
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
