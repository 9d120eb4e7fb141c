package testkit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/config/crd"
)

// Limit is what the CustomResourceDefinition says about the length of a value. A number that it does not
// limit is 0.
type Limit struct {
	// Kind is what the value is: string, list, or map.
	Kind string
	// Characters is the maximum length of a string, or of the strings in a list or map.
	Characters int
	// Keys is the maximum length of the keys of a map.
	Keys int
	// Entries is the maximum length of a list or map.
	Entries int
	// Strings reports whether a list or map holds strings.
	Strings bool
}

// String describes the limit.
func (l Limit) String() string {
	switch {
	case l.Kind == "string":
		return fmt.Sprintf("%d characters", l.Characters)
	case l.Kind == "list" && l.Strings:
		return fmt.Sprintf("%d items of %d characters", l.Entries, l.Characters)
	case l.Kind == "list":
		return fmt.Sprintf("%d items", l.Entries)
	case l.Strings:
		return fmt.Sprintf("%d entries, keys of %d characters, values of %d", l.Entries, l.Keys, l.Characters)
	}
	return fmt.Sprintf("%d entries, keys of %d characters", l.Entries, l.Keys)
}

// Complete reports whether all lengths are limited.
func (l Limit) Complete() bool {
	return (l.Entries > 0 || l.Kind == "string") && (l.Keys > 0 || l.Kind != "map") && (l.Characters > 0 || !l.Strings)
}

// Limits returns the limits of all strings, lists and maps of the spec, by path: "containers[].name",
// "volumes{}.path".
func Limits() (map[string]Limit, error) {
	var manifest apiextensions.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(crd.MiniClusters, &manifest); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	spec := manifest.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	all := map[string]Limit{}
	limit(all, "", &spec)
	return all, nil
}

func limit(all map[string]Limit, path string, p *apiextensions.JSONSchemaProps) {
	switch {
	case p.Type == "string" && len(p.Enum) > 0: // as long as its values are
	case p.Type == "string":
		all[path] = Limit{Kind: "string", Strings: true, Characters: number(p.MaxLength)}
	case p.Type == "array":
		l := Limit{Kind: "list", Entries: number(p.MaxItems), Strings: p.Items.Schema.Type == "string"}
		if l.Strings {
			l.Characters = number(p.Items.Schema.MaxLength)
		} else {
			limit(all, path+"[]", p.Items.Schema)
		}
		all[path] = l
	case p.AdditionalProperties != nil:
		value := p.AdditionalProperties.Schema
		l := Limit{Kind: "map", Entries: number(p.MaxProperties), Keys: rule(p, keys), Strings: value.Type == "string" ||
			value.XIntOrString}
		if l.Strings {
			l.Characters = rule(p, values)
		} else {
			limit(all, path+"{}", value)
		}
		all[path] = l
	}
	for name, property := range p.Properties {
		limit(all, strings.TrimPrefix(path+"."+name, "."), &property)
	}
}

func number(n *int64) int {
	if n == nil {
		return 0
	}
	return int(*n)
}

// The CEL rules that limit the keys and the values of a map.
var (
	keys   = regexp.MustCompile(`^self\.all\(key, size\(key\) <= (\d+)\)$`)
	values = regexp.MustCompile(`^self\.all\(key, (?:type\(self\[key\]\) != string \|\| )?size\(self\[key\]\) <= (\d+)\)$`)
)

// rule returns the number in the rule of a map that has the given form, if its message has it too.
func rule(p *apiextensions.JSONSchemaProps, form *regexp.Regexp) int {
	for _, r := range p.XValidations {
		if m := form.FindStringSubmatch(r.Rule); len(m) == 2 && strings.Contains(r.Message, " "+m[1]+" ") {
			n, err := strconv.Atoi(m[1])
			if err == nil {
				return n
			}
		}
	}
	return 0
}
