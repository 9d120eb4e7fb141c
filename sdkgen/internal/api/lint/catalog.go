package lint

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/applyconfiguration"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"
)

// known is a marker that some tool reads.
type known struct {
	name  string
	reads [readers]target // where each tool reads it
	args  []string        // names of its arguments, sorted; nil if its value is one thing or there is none
	plain bool            // it has a value that is one thing
}

// on says at what any tool reads the marker.
func (k *known) on() target {
	var all target
	for _, on := range k.reads {
		all |= on
	}
	return all
}

// only says whether the reader is the one tool that knows the marker.
func (k *known) only(r reader) bool {
	for other, on := range k.reads {
		if on != 0 && reader(other) != r {
			return false
		}
	}
	return k.reads[r] != 0
}

// catalog is the set of all known markers.
type catalog struct {
	registry *markers.Registry // controller-tools' markers, with their parsers
	byName   map[string]*known
	spelled  []string // names, and name:argument, sorted
}

func newCatalog() (*catalog, error) {
	c := &catalog{registry: &markers.Registry{}, byName: map[string]*known{}}
	for _, register := range []func(*markers.Registry) error{
		crdmarkers.Register, deepcopy.Generator{}.RegisterMarkers, rbac.Generator{}.RegisterMarkers,
		webhook.Generator{}.RegisterMarkers, applyconfiguration.Generator{}.RegisterMarkers,
	} {
		if err := register(c.registry); err != nil {
			return nil, err
		}
	}
	for _, def := range c.registry.AllDefinitions() {
		k := c.named(def.Name)
		k.reads[controllerGen] |= targetOf(def.Target)
		k.plain = k.plain || def.AnonymousField()
		if !def.AnonymousField() {
			for arg := range def.Fields {
				k.args = append(k.args, arg)
			}
		}
		slices.Sort(k.args)
		k.args = slices.Compact(k.args)
	}
	for _, table := range tables {
		for _, name := range table.names {
			c.named(name).reads[table.reader] |= table.on
		}
	}
	for name, k := range c.byName {
		c.spelled = append(c.spelled, name)
		for _, arg := range k.args {
			c.spelled = append(c.spelled, name+":"+arg)
		}
	}
	slices.Sort(c.spelled)
	// controller-gen takes k8s:enum on fields only to refuse it.
	c.named("k8s:enum").reads[controllerGen] &^= onField
	return c, nil
}

func (c *catalog) named(name string) *known {
	k := c.byName[name]
	if k == nil {
		k = &known{name: name}
		c.byName[name] = k
	}
	return k
}

func targetOf(t markers.TargetType) target {
	return [...]target{markers.DescribesPackage: onPackage, markers.DescribesType: onType,
		markers.DescribesField: onField}[t]
}

// find returns what a marker's text, "+name…", is, nil if no tool would take it for any of its
// markers. It looks the name up as the tools do: controller-gen takes "name:argument=" and
// "name:=" too, and validation-gen "name(arguments)=" and a comment at the end.
func (c *catalog) find(text string) *known {
	key, _, _ := strings.Cut(text[1:], "=")
	for _, target := range []markers.TargetType{markers.DescribesField, markers.DescribesType, markers.DescribesPackage} {
		def := c.registry.Lookup(text, target)
		// What stands between the name of a marker without arguments and the value is dropped.
		if def != nil && (key == def.Name || key == def.Name+":" || !def.AnonymousField() && !def.Empty()) {
			return c.byName[def.Name]
		}
	}
	if k := c.byName[key]; k != nil {
		return k
	}
	for _, family := range families {
		for _, prefix := range family.names {
			if strings.HasPrefix(key, prefix) {
				k := &known{name: key}
				k.reads[family.reader] = family.on
				return k
			}
		}
	}
	if path, ok := strings.CutPrefix(word(text), validationPrefix); ok && isValidationPath(path) {
		k := &known{name: validationPrefix + path}
		k.reads[openapiGen] = onType | onField
		return k
	}
	name := word(text)
	rest := strings.TrimLeft(text[1+len(name):], " ")
	// A name that switches validation-gen itself counts whatever follows.
	if k := c.byName[name]; k != nil && k.reads[validationGen] != 0 &&
		(rest == "" || rest[0] == '(' || rest[0] == '#' || strings.HasPrefix(name, "k8s:validation-gen")) {
		return k
	}
	return nil
}

// definition returns controller-tools' definition of a marker at a target, nil if it has none.
func (c *catalog) definition(m *marker) *markers.Definition {
	if m.known == nil || m.known.reads[controllerGen]&m.decl.target == 0 {
		return nil
	}
	for _, t := range []markers.TargetType{markers.DescribesField, markers.DescribesType, markers.DescribesPackage} {
		if targetOf(t) == m.decl.target {
			return c.registry.Lookup(m.text, t)
		}
	}
	return nil
}

// word returns the name at the beginning of a marker's text, up to the first character that no
// name has.
func word(text string) string {
	end := strings.IndexAny(text, " \t=(>#\"'`,;{")
	if end < 0 {
		end = len(text)
	}
	return text[1:end]
}

// validationPrefix begins the names of kube-openapi's validation markers.
const validationPrefix = "k8s:validation:"

// validations are the schema keywords that may follow validationPrefix, and what is below cel[i].
var (
	validations = []string{
		"enum", "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties", "maximum",
		"minItems", "minLength", "minProperties", "minimum", "multipleOf", "nullable", "pattern", "uniqueItems",
	}
	celKeys = []string{"fieldPath", "message", "messageExpression", "optionalOldSelf", "reason", "rule"}
)

// isValidationPath says whether kube-openapi knows all parts of what follows validationPrefix. It
// says nothing itself about an unknown one, below the first.
func isValidationPath(path string) bool {
	first, rest, deeper := strings.Cut(path, ":")
	switch {
	case !deeper:
		return slices.Contains(validations, first)
	case first == "items", first == "additionalProperties":
		return isValidationPath(rest)
	case first == "properties":
		_, rest, deeper = strings.Cut(rest, ":")
		return deeper && isValidationPath(rest)
	case strings.HasPrefix(first, "cel[") && strings.HasSuffix(first, "]"):
		return slices.Contains(celKeys, rest)
	}
	return false
}
