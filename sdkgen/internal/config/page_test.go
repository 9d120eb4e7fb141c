package config_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

const pageFile = "../../../docs/use/configuration.md"

// The lines of the page between which its table is.
const (
	keysBegin = "<!-- keys of sdkgen.yaml, begin: written by `go test ./sdkgen/internal/config -run TestPage -update` " +
		"-->\n"
	keysEnd = "<!-- keys of sdkgen.yaml, end -->\n"
)

// TestPage prints the keys of sdkgen.schema.json into the page about sdkgen.yaml. With -update it writes the page.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(data), keysBegin)
	_, after, ends := strings.Cut(rest, keysEnd)
	if !begins || !ends {
		t.Fatalf("%s has no %q and %q", pageFile, keysBegin, keysEnd)
	}
	schema, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node // JSON is YAML, and a node keeps the order of the keys
	if err := yaml.Unmarshal(schema, &document); err != nil {
		t.Fatal(err)
	}
	p := &keyPage{root: document.Content[0]}
	p.rows("", p.root)
	got := before + keysBegin + "\n| key | type | meaning |\n|---|---|---|\n" + p.text.String() + "\n" + keysEnd + after
	if got == string(data) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("the page is stale (-have +want; -update writes it):\n%s", cmp.Diff(string(data), got))
	}
	if err := os.WriteFile(pageFile, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPageSamples parses what the page shows of sdkgen.yaml: the least of it, and all sections.
func TestPageSamples(t *testing.T) {
	if cfg := sample(t, "least"); cfg.Python == nil || cfg.CRD == nil {
		t.Error("the least leaves out a section")
	}
	cfg := sample(t, "sample")
	if cfg.Python == nil || cfg.Go == nil || cfg.CRD == nil || cfg.Clients == nil || cfg.Schemas == nil {
		t.Error("the sample leaves out a section")
	}
}

func sample(t *testing.T, name string) *config.Config {
	t.Helper()
	data, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), name+" of sdkgen.yaml, begin")
	_, rest, fenced := strings.Cut(rest, "```yaml\n")
	text, _, closed := strings.Cut(rest, "```")
	if !found || !fenced || !closed {
		t.Fatalf("the page has no %s of sdkgen.yaml", name)
	}
	cfg, err := config.Parse("configuration.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// keyPage prints the rows of a schema's keys.
type keyPage struct {
	root *yaml.Node
	text strings.Builder
}

// rows prints the properties of a schema, with the keys below them behind a dot.
func (p *keyPage) rows(prefix string, schema *yaml.Node) {
	required := map[string]bool{}
	for _, name := range list(value(schema, "required")) {
		required[name] = true
	}
	properties := value(schema, "properties")
	for i := 0; properties != nil && i+1 < len(properties.Content); i += 2 {
		name, property := properties.Content[i].Value, properties.Content[i+1]
		kind, below := p.kind(property)
		meaning := value(property, "description").Value
		if _, rest, ok := strings.Cut(meaning, " "); ok && strings.EqualFold(strings.Fields(meaning)[0], name) {
			// the comment of a Go field begins with its name
			meaning = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
		}
		if required[name] {
			meaning = "**Required.** " + meaning
		}
		if values := list(value(property, "enum")); len(values) > 0 {
			meaning += " One of `" + strings.Join(values, "`, `") + "`."
		}
		meaning = strings.ReplaceAll(strings.ReplaceAll(meaning, "\n", " "), "|", `\|`)
		fmt.Fprintf(&p.text, "| `%s` | %s | %s |\n", prefix+name, kind, meaning)
		if below != nil {
			suffix := "."
			if kind == "list" {
				suffix = "[]."
			}
			p.rows(prefix+name+suffix, below)
		}
	}
}

// kind names the type of a property and returns the schema of the keys below it, nil if there are none.
func (p *keyPage) kind(property *yaml.Node) (name string, below *yaml.Node) {
	if options := value(property, "anyOf"); options != nil {
		property = options.Content[0]
	}
	if ref := value(property, "$ref"); ref != nil {
		definition := value(value(p.root, "$defs"), strings.TrimPrefix(ref.Value, "#/$defs/"))
		return "section", definition
	}
	types := list(value(property, "type"))
	switch {
	case len(types) == 0:
		return "", nil
	case types[0] == "array":
		elem, below := p.kind(value(property, "items"))
		if below != nil {
			return "list", below
		}
		return "list of " + elem + "s", nil
	case types[0] == "object":
		return "map of strings", nil
	}
	return types[0], nil
}

// value returns the value of a key of a mapping; nil if there is none.
func value(node *yaml.Node, key string) *yaml.Node {
	for i := 0; node != nil && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// list returns a scalar, or the scalars of a sequence, without "" and null.
func list(node *yaml.Node) (values []string) {
	if node == nil {
		return nil
	}
	nodes := node.Content
	if node.Kind == yaml.ScalarNode {
		nodes = []*yaml.Node{node}
	}
	for _, item := range nodes {
		if item.Value != "" && item.Value != "null" {
			values = append(values, item.Value)
		}
	}
	return values
}
