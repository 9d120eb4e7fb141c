package crd_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// facts is what a CRD promises on the wire, and what the contract demands of it. An
// aspect that is not there has no entry.
type facts map[fact]string

// fact names an aspect (type, default, …) of the field at a path, or of the names, whose
// path is "names".
type fact struct{ path, aspect string }

func (f facts) set(path, aspect, value string) {
	if value != "" {
		f[fact{path, aspect}] = value
	}
}

// diff says where the CRD's facts are not those of the contract, sorted by path.
func diff(contract, crd facts) []string {
	all := maps.Clone(contract)
	maps.Copy(all, crd)
	keys := slices.SortedFunc(maps.Keys(all), func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.aspect, b.aspect))
	})
	var lines []string
	for _, k := range keys {
		if contract[k] != crd[k] {
			lines = append(lines, fmt.Sprintf("%s: %s: contract has %s, CRD has %s",
				k.path, k.aspect, cmp.Or(contract[k], "none"), cmp.Or(crd[k], "none")))
		}
	}
	return lines
}

var header = regexp.MustCompile(`^# Wire contract of (?<group>\S+)/(?<version>\w+), kind (?<kind>\w+)` +
	` \(list (?<listKind>\w+), plural (?<plural>\w+), singular (?<singular>\w+), (?<scope>\w+)\)\.\n` +
	`# Subresources: (?<subresources>.+)\.\n`)

// parseContract reads the contract: a header comment with the names, then a line for each
// path with its type, format, required, default and other aspects, separated by tabs.
func parseContract(tsv string) (facts, error) {
	f := facts{}
	names := header.FindStringSubmatch(tsv)
	if names == nil {
		return nil, fmt.Errorf("parsing the contract: the header does not match %s", header)
	}
	for i, aspect := range header.SubexpNames()[1:] {
		f.set("names", aspect, names[i+1])
	}
	for line := range strings.Lines(tsv) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := f.parseLine(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, err
		}
	}
	f.addServices()
	return f, nil
}

func (f facts) parseLine(line string) error {
	columns := strings.Split(line, "\t")
	if len(columns) != 6 {
		return fmt.Errorf("parsing the contract: %d columns, not 6: %q", len(columns), line)
	}
	path, value := columns[0], columns[4]
	if value != "" && columns[1] == "string" {
		quoted, err := json.Marshal(value)
		if err != nil {
			return fmt.Errorf("parsing the contract: %w", err)
		}
		value = string(quoted)
	}
	f.set(path, "type", columns[1])
	f.set(path, "format", columns[2])
	f.set(path, "required", columns[3])
	f.set(path, "default", value)
	aspect, value, _ := strings.Cut(columns[5], "=")
	f.set(path, aspect, value)
	return nil
}

// addServices gives services the fields of containers, which the contract lists once.
func (f facts) addServices() {
	for k, value := range maps.Clone(f) {
		if field, ok := strings.CutPrefix(k.path, "spec.containers[]."); ok {
			f.set("spec.services[]."+field, k.aspect, value)
		}
	}
}

// crdFacts reads a CRD. What all kinds have (apiVersion, kind, metadata) is left out.
func crdFacts(manifest []byte) (facts, error) {
	var crd apiextensions.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(manifest, &crd); err != nil {
		return nil, fmt.Errorf("reading the CRD: %w", err)
	}
	if len(crd.Spec.Versions) != 1 {
		return nil, fmt.Errorf("reading the CRD: %d versions, not 1", len(crd.Spec.Versions))
	}
	f, version := facts{}, crd.Spec.Versions[0]
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("reading the CRD: version %s has no schema", version.Name)
	}
	f.set("names", "group", crd.Spec.Group)
	f.set("names", "version", version.Name)
	f.set("names", "kind", crd.Spec.Names.Kind)
	f.set("names", "listKind", crd.Spec.Names.ListKind)
	f.set("names", "plural", crd.Spec.Names.Plural)
	f.set("names", "singular", crd.Spec.Names.Singular)
	f.set("names", "scope", string(crd.Spec.Scope))
	f.set("names", "subresources", subresources(version.Subresources))

	root := version.Schema.OpenAPIV3Schema
	for _, standard := range []string{"apiVersion", "kind", "metadata"} {
		delete(root.Properties, standard)
	}
	f.addProperties("", root)
	return f, nil
}

func subresources(s *apiextensions.CustomResourceSubresources) string {
	var all []string
	if s != nil && s.Status != nil {
		all = append(all, "status")
	}
	if s != nil && s.Scale != nil {
		selector := ""
		if s.Scale.LabelSelectorPath != nil {
			selector = *s.Scale.LabelSelectorPath
		}
		all = append(all, fmt.Sprintf("scale (spec %s, status %s, selector %s)",
			s.Scale.SpecReplicasPath, s.Scale.StatusReplicasPath, selector))
	}
	return strings.Join(all, "; ")
}

// addProperties adds the properties of a schema; prefix is their path up to their names.
func (f facts) addProperties(prefix string, s *apiextensions.JSONSchemaProps) {
	for name, property := range s.Properties {
		f.addSchema(prefix+name, &property)
	}
	for _, name := range s.Required {
		f.set(prefix+name, "required", "required")
	}
}

func (f facts) addSchema(path string, s *apiextensions.JSONSchemaProps) {
	f.addAspects(path, s)
	f.addProperties(path+".", s)
	if s.Items != nil && s.Items.Schema != nil {
		f.addSchema(path+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		f.addSchema(path+"{}", s.AdditionalProperties.Schema)
	}
}

func (f facts) addAspects(path string, s *apiextensions.JSONSchemaProps) {
	f.set(path, "type", s.Type)
	f.set(path, "format", s.Format)
	if s.Default != nil {
		f.set(path, "default", string(s.Default.Raw))
	}
	if s.XIntOrString {
		f.set(path, "type", cmp.Or(s.Type, "int-or-string"))
		f.set(path, "int-or-string", "true")
	}
	if s.XListType != nil {
		f.set(path, "list-type", *s.XListType)
	}
	if s.XMapType != nil {
		f.set(path, "map-type", *s.XMapType)
	}
	if s.XPreserveUnknownFields != nil {
		f.set(path, "preserve-unknown-fields", fmt.Sprint(*s.XPreserveUnknownFields))
	}
	if s.Nullable {
		f.set(path, "nullable", "true")
	}
	f.set(path, "enum", enum(s.Enum))
}

func enum(values []apiextensions.JSON) string {
	var all []string
	for _, v := range values {
		all = append(all, strings.Trim(string(v.Raw), `"`))
	}
	return strings.Join(all, ",")
}
