package config

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/flux-framework/flux-operator/internal/diag"
)

const rule = "config"

// Sample is a smallest configuration, what a newcomer is shown to write.
const Sample = `version: 0.1.0
apis:
  - path: api/v1alpha1
crd:
  dir: config/crd/bases`

// Parse reads the configuration. name is the file's name in messages. The error is a
// diag.List with a position for each finding; unknown keys and paths that leave the
// project are findings.
func Parse(name string, data []byte) (*Config, error) {
	p := &checker{name: name}
	if err := yaml.Unmarshal(data, &p.doc); err != nil {
		return nil, p.yamlError(err)
	}
	cfg := &Config{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(cfg); err != nil && !errors.Is(err, io.EOF) {
		return nil, p.yamlError(err)
	}
	p.check(cfg)
	if err := p.list.Err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// checker collects what is wrong with a decoded configuration; doc gives the positions.
type checker struct {
	name string
	doc  yaml.Node
	list diag.List
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
var unknownField = regexp.MustCompile(`^field (\S+) not found in type config\.(\w+)$`)

// yamlError turns the decoder's messages, one a line, into findings.
func (p *checker) yamlError(err error) error {
	messages := []string{err.Error()}
	if typed, ok := errors.AsType[*yaml.TypeError](err); ok {
		messages = typed.Errors
	}
	for _, text := range messages {
		pos, hint := token.Position{Filename: p.name}, ""
		if m := yamlLine.FindStringSubmatch(text); m != nil {
			pos.Line, _ = strconv.Atoi(m[1])
			text = m[2]
		}
		if m := unknownField.FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("unknown key %q", m[1])
			hint = "keys of this section: " + strings.Join(keysOf(m[2]), ", ")
			pos.Column = p.columnOf(&p.doc, pos.Line, m[1])
		}
		p.list.Add(pos, rule, hint, "%s", text)
	}
	return p.list.Err()
}

// columnOf returns the column of the scalar with that value on that line, 0 if there is none.
func (p *checker) columnOf(n *yaml.Node, line int, value string) int {
	if n.Kind == yaml.ScalarNode && n.Line == line && n.Value == value {
		return n.Column
	}
	for _, child := range n.Content {
		if col := p.columnOf(child, line, value); col > 0 {
			return col
		}
	}
	return 0
}

// at returns the position of the value under the keys, or of the nearest one above it that is there.
func (p *checker) at(keys ...any) token.Position {
	n := &p.doc
	if len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, key := range keys {
		next := child(n, key)
		if next == nil {
			break
		}
		n = next
	}
	return token.Position{Filename: p.name, Line: max(n.Line, 1), Column: max(n.Column, 1)}
}

func child(n *yaml.Node, key any) *yaml.Node {
	switch key := key.(type) {
	case int:
		if n.Kind == yaml.SequenceNode && key < len(n.Content) {
			return n.Content[key]
		}
	case string:
		for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

func (p *checker) check(cfg *Config) {
	if cfg.Version == "" {
		p.list.Add(p.at(), rule, "write, for example:\n"+Sample, "version is missing: the version of the SDKs")
	}
	if len(cfg.APIs) == 0 {
		p.list.Add(p.at("apis"), rule, "write, for example:\n"+Sample, "apis is empty: there is no package to generate from")
	}
	seen := map[string]bool{}
	for i := range cfg.APIs {
		p.path(&cfg.APIs[i].Path, true, "apis", i, "path")
		if seen[cfg.APIs[i].Path] {
			p.list.Add(p.at("apis", i, "path"), rule, "remove one", "%q is listed twice", cfg.APIs[i].Path)
		}
		seen[cfg.APIs[i].Path] = true
	}
	p.path(&cfg.Header, false, "header")
	p.path(&cfg.Rules.Exceptions, false, "rules", "exceptions")
	if cfg.CRD != nil {
		p.path(&cfg.CRD.Dir, true, "crd", "dir")
	}
	if cfg.Clients != nil {
		p.path(&cfg.Clients.Dir, true, "clients", "dir")
	}
	p.sdk(cfg, cfg.Python, "python")
	p.sdk(cfg, cfg.Go, "go")
	if cfg.Python != nil || cfg.Go != nil {
		p.generator(&cfg.Generator)
	}
}

func (p *checker) sdk(cfg *Config, sdk *SDK, key string) {
	if sdk == nil {
		return
	}
	p.path(&sdk.Dir, true, key, "dir")
	if len(cfg.APIs) > 1 && !strings.Contains(sdk.Dir, versionMark) {
		p.list.Add(p.at(key, "dir"), rule, fmt.Sprintf("write: dir: %s/%s", sdk.Dir, versionMark),
			"%d API packages would be written to one folder", len(cfg.APIs))
	}
	p.path(&sdk.Config, true, key, "config")
	p.path(&sdk.Templates, false, key, "templates")
	p.path(&sdk.Overlay.Dir, false, key, "overlay", "dir")
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"replace", sdk.Overlay.Replace}, {"drop", sdk.Overlay.Drop}} {
		for i, pattern := range list.patterns {
			if _, err := path.Match(pattern, "x"); err != nil {
				p.list.Add(p.at(key, "overlay", list.name, i), rule, "", "bad pattern %q", pattern)
			}
		}
	}
}

var hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (p *checker) generator(g *Generator) {
	p.path(&g.Jar, true, "generator", "jar")
	p.path(&g.Java, false, "generator", "java")
	if !hexSum.MatchString(g.SHA256) {
		p.list.Add(p.at("generator", "sha256"), rule, "openapi-generator-cli 6.6.0 has\nsha256: 9718ff7844e89462c75dcd9b20a35136f6db257bfe1b874db1e3002e99de4609",
			"generator.sha256 is not 64 hexadecimal digits")
	}
}

// path checks and cleans one path of the project.
func (p *checker) path(value *string, required bool, keys ...any) {
	name := dotted(keys)
	switch {
	case *value == "" && required:
		p.list.Add(p.at(keys...), rule, "", "%s is missing", name)
	case *value == "":
	case strings.ContainsAny(*value, "\\\x00"), !filepath.IsLocal(filepath.FromSlash(*value)):
		p.list.Add(p.at(keys...), rule, "write it relative to the project's root, with slashes",
			"%s: %q is not a path inside the project", name, *value)
	default:
		*value = path.Clean(*value)
	}
}

// dotted spells keys as the configuration's reader would: python.dir, apis[0].path.
func dotted(keys []any) string {
	var b strings.Builder
	for i, key := range keys {
		switch key := key.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", key)
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}
