package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// checker validates files of the authors.
type checker struct {
	kinds        []*kind
	held         map[string]bool // the ids of the kinds that the files have
	placeholders map[string]bool // files that may be replaced if they are kubebuilder's
	replaced     map[string]bool // those that are
	list         diag.List
}

// manifest is a document of a file.
type manifest struct {
	file   string
	line   int // of the file, above its first
	root   *yamlv3.Node
	object map[string]any
}

// placeholder is the comment in the samples that kubebuilder writes.
const placeholder = "# TODO(user): Add fields here"

// file validates the objects in a file that are of the API's kinds.
func (c *checker) file(name string, data []byte) {
	objects := 0
	for _, text := range documents(data) {
		m, err := parse(name, text)
		if err != nil {
			c.syntax(name, text, err)
			return
		}
		if m == nil {
			continue
		}
		for _, m := range m.objects() {
			objects++
			if kind := c.kindOf(m); kind != nil {
				c.object(kind, m, data)
			}
		}
	}
	if objects == 0 {
		c.list.Warn(token.Position{Filename: name}, Stage,
			"move it to another directory, or name it in a kustomization.yaml if it is a patch",
			"not a manifest: it has no object with apiVersion and kind")
	}
}

// object validates an object of a file, unless it is a placeholder.
func (c *checker) object(kind *kind, m *manifest, data []byte) {
	if Placeholder(data) {
		if c.placeholders[m.file] {
			c.replaced[m.file] = true
			return
		}
		c.list.Warn(m.at("spec"), Stage, "write the fields, or have sdkgen write the file: sdkgen generate --adopt",
			"kubebuilder's placeholder of %s has no fields", kind.id())
	}
	c.held[kind.id()] = true
	c.validate(kind, m)
}

// objects returns the objects of a list, such as kubectl prints and takes, or the object itself.
func (m *manifest) objects() []*manifest {
	items, isList := m.object["items"].([]any)
	if kind, _ := m.object["kind"].(string); !isList || !strings.HasSuffix(kind, "List") {
		return []*manifest{m}
	}
	var all []*manifest
	at, _, _ := m.step(m.root, "items")
	if at != nil && at.Kind == yamlv3.AliasNode {
		at = at.Alias
	}
	for i, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			continue
		}
		root := m.root // where a merge key adds the items
		if at != nil && i < len(at.Content) {
			root = at.Content[i]
		}
		all = append(all, (&manifest{m.file, m.line, root, object}).objects()...)
	}
	return all
}

// Placeholder says whether a file is as kubebuilder wrote it: with its comment, and nothing in the spec.
func Placeholder(data []byte) bool {
	head, rest, found := bytes.Cut(data, []byte("spec:\n  "+placeholder))
	return found && bytes.HasPrefix(head, []byte("apiVersion:")) && len(bytes.TrimSpace(rest)) == 0
}

// kindOf returns the kind of a document; nil, with a warning, if the API has the group and not the kind.
func (c *checker) kindOf(m *manifest) *kind {
	apiVersion, _ := m.object["apiVersion"].(string)
	name, _ := m.object["kind"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	var known []string
	for _, k := range c.kinds {
		if k.id() == apiVersion+" "+name {
			return k
		}
		if k.definition.Spec.Group == group {
			known = append(known, k.id())
		}
	}
	if len(known) > 0 {
		c.list.Warn(m.at("kind"), Stage, "the kinds of sdkgen.yaml are: "+strings.Join(known, ", "),
			"not validated: no API in sdkgen.yaml has the kind %s %s", apiVersion, name)
	}
	return nil
}

// validate reports what keeps the API server from taking a manifest.
func (c *checker) validate(k *kind, m *manifest) {
	_, pruned, errs := k.server.Create(m.object)
	errs = append(errs, k.metadata(m.object)...)
	for _, err := range errs {
		if err.Type == unknownField {
			pruned = append(pruned, err.Field)
			continue
		}
		path := strings.TrimPrefix(strings.TrimPrefix(err.Field, "<nil>"), ".")
		detail, _, _ := strings.Cut(err.ErrorBody(), "\n")
		hint := "correct the value, or the rule in the API types"
		if err.Type == field.ErrorTypeRequired {
			hint = "add the field" + k.suggestion(m, path)
		}
		c.list.Add(m.at(path), Stage, hint, "%s does not validate: %s: %s", k.definition.Spec.Names.Kind, orObject(path),
			detail)
	}
	for _, path := range slices.Sorted(slices.Values(pruned)) {
		c.unknown(k, m, strings.TrimPrefix(path, "."))
	}
}

func orObject(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// unknown reports a field that the schema does not have.
func (c *checker) unknown(k *kind, m *manifest, path string) {
	hint := "remove it"
	if owner, name := owner(k.schema, m.object, path); owner != nil && len(owner.Properties) > 0 {
		names := slices.Sorted(maps.Keys(owner.Properties))
		if near := diag.Nearest(name, names); near != "" {
			hint = "write " + near + ", or remove it"
		} else if len(names) <= 20 {
			hint = "remove it; the fields are " + strings.Join(names, ", ")
		}
	}
	c.list.Add(m.at(path), Stage, hint, "%s does not validate: unknown field %s", k.definition.Spec.Names.Kind, path)
}

// owner returns the schema of the object that has the last step of a path, and that step.
func owner(s *schema, at any, path string) (*schema, string) {
	name := ""
	for rest := path; rest != ""; {
		step, key, after := cut(at, rest)
		if step == nil {
			return s, name
		}
		if name = key; after == "" {
			return s, name
		}
		if s = below(s, step); s == nil {
			return nil, ""
		}
		at, rest = index(at, step), after
	}
	return s, name
}

// suggestion is a value for a field that is missing.
func (k *kind) suggestion(m *manifest, path string) string {
	s, at := k.schema, any(m.object)
	for rest := path; rest != ""; {
		step, _, after := cut(at, rest)
		if step == nil {
			name := strings.TrimPrefix(rest, ".")
			if property, ok := s.Properties[name]; ok {
				if data, err := json.Marshal(value(&property, name)); err == nil {
					return fmt.Sprintf(", for example %s: %s", name, data)
				}
			}
			return ""
		}
		if s = below(s, step); s == nil {
			return ""
		}
		at, rest = index(at, step), after
	}
	return ""
}

// at returns the position of a field, or of what is nearest above it.
func (m *manifest) at(path string) token.Position {
	n, pos := m.root, m.root
	for rest := path; rest != ""; {
		if n.Kind == yamlv3.AliasNode {
			n = n.Alias
		}
		next, key, after := m.step(n, rest)
		if next == nil {
			break
		}
		n, pos, rest = next, key, after
	}
	return token.Position{Filename: m.file, Line: m.line + pos.Line, Column: pos.Column}
}

// step returns the node of the first step of a path, and that by which it is found: its key, or itself.
func (m *manifest) step(n *yamlv3.Node, path string) (value, found *yamlv3.Node, rest string) {
	if n.Kind == yamlv3.SequenceNode {
		if number, rest, ok := cutIndex(path); ok && number < len(n.Content) {
			return n.Content[number], n.Content[number], rest
		}
		return nil, nil, ""
	}
	if n.Kind != yamlv3.MappingNode {
		return nil, nil, ""
	}
	var keys []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i].Value)
	}
	step, key, rest := cutKey(keys, path)
	if step == nil {
		return nil, nil, ""
	}
	i := 2 * slices.Index(keys, key)
	return n.Content[i+1], n.Content[i], rest
}

// document is a part of a file between separators.
type document struct {
	line int // lines above
	data []byte
}

// documents splits a file at lines that begin with ---.
func documents(data []byte) []document {
	all := []document{{}}
	number := 0
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("---")) {
			all = append(all, document{line: number})
			line = append([]byte("   "), line[3:]...)
		}
		last := &all[len(all)-1]
		last.data = append(last.data, line...)
		number++
	}
	return all
}

// parse reads a document as kubectl does; nil if it has nothing, or is no object.
func parse(file string, text document) (*manifest, error) {
	var node yamlv3.Node
	if err := yamlv3.Unmarshal(text.data, &node); err != nil {
		return nil, err
	}
	if len(node.Content) == 0 || node.Content[0].Kind != yamlv3.MappingNode {
		return nil, nil
	}
	data, err := yaml.YAMLToJSONStrict(text.data)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(data); err != nil {
		return nil, nil //nolint:nilerr // it has no kind: it is no object of Kubernetes'
	}
	if object.GetAPIVersion() == "" {
		return nil, nil
	}
	return &manifest{file, text.line, node.Content[0], object.Object}, nil
}

var yamlLine = regexp.MustCompile(`\bline (\d+): `)

// syntax reports a file that is not valid YAML.
func (c *checker) syntax(name string, text document, err error) {
	pos, message := token.Position{Filename: name, Line: text.line + 1}, strings.TrimPrefix(err.Error(), "yaml: ")
	if found := yamlLine.FindStringSubmatch(message); found != nil {
		line, _ := strconv.Atoi(found[1])
		pos.Line, message = text.line+line, yamlLine.ReplaceAllString(message, "")
	}
	message, _, _ = strings.Cut(strings.TrimPrefix(message, "unmarshal errors:\n  "), "\n")
	c.list.Add(pos, Stage, "correct the indentation, colons and quotes", "the file is not valid YAML: %s", message)
}
