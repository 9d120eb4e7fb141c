package config

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const rule = "config"

// Sample is a minimal configuration, shown where none is found.
const Sample = `version: 0.1.0
apis:
  - path: api/v1alpha1
crd:
  dir: config/crd/bases`

// Parse decodes the configuration strictly. name is the file's name in messages. The error is a
// diag.List; unknown keys and paths that leave the project are errors.
func Parse(name string, data []byte) (*Config, error) {
	p := &checker{name: name}
	cfg, err := p.decode(data)
	if err != nil {
		return nil, err
	}
	p.check(cfg)
	if err := p.list.Err(); err != nil {
		return nil, err
	}
	cfg.at = p.at
	return cfg, nil
}

// checker collects the errors in a decoded configuration; doc gives the positions.
type checker struct {
	name string
	doc  yaml.Node
	list diag.List

	lines int // of the file
}

// at is Config.Pos.
func (p *checker) at(keys ...any) token.Position {
	n, _ := p.node(keys)
	return token.Position{Filename: p.name, Line: min(max(n.Line, 1), p.lines), Column: max(n.Column, 1)}
}

// node returns the node at keys, or the last on the way that there is, and whether there are all.
func (p *checker) node(keys []any) (n *yaml.Node, ok bool) {
	n = &p.doc
	if len(n.Content) > 0 {
		n = n.Content[0]
	}
	for _, key := range keys {
		next := child(n, key)
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}

// empty reports whether a key is written with an empty string.
func (p *checker) empty(keys ...any) bool {
	n, ok := p.node(keys)
	return ok && n.Kind == yaml.ScalarNode && n.Value == "" && n.ShortTag() == "!!str"
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

// versionText is valid in all package registries, and safe in source code.
var versionText = regexp.MustCompile(`^[0-9][0-9A-Za-z.+-]*$`)

// yearText is a year, a range or a list of them.
var yearText = regexp.MustCompile(`^[0-9]{4}([-, ]+[0-9]{4})*$`)

func (p *checker) check(cfg *Config) {
	if cfg.Version == "" {
		p.list.Add(p.at(), rule, "write, for example:\n"+Sample, "version, the version of the SDKs, is missing")
	} else if !versionText.MatchString(cfg.Version) {
		p.list.Add(p.at("version"), rule, "write numbers with dots, such as 0.1.0 or 1.0.0-rc.1",
			"version: %q is not a valid version", cfg.Version)
	}
	if len(cfg.APIs) == 0 {
		p.list.Add(p.at("apis"), rule, "write, for example:\n"+Sample,
			"apis is missing or empty: it lists the packages to generate from")
	}
	seen := map[string]bool{}
	for i := range cfg.APIs {
		key, value := p.api(&cfg.APIs[i], i)
		if seen[value] {
			p.list.Add(p.at("apis", i, key), rule, "remove one", "%q is listed twice", value)
		}
		seen[value] = true
	}
	p.path(&cfg.Header, false, "header")
	p.year(cfg.Year, "year")
	p.path(&cfg.Rules.Exceptions, false, "rules", "exceptions")
	p.path(&cfg.Breaking.Exceptions, false, "breaking", "exceptions")
	p.crd(cfg.CRD)
	p.docs(cfg.Docs)
	if cfg.Samples != nil {
		p.path(&cfg.Samples.Dir, true, "samples", "dir")
	}
	if cfg.Schemas != nil {
		p.path(&cfg.Schemas.Dir, true, "schemas", "dir")
	}
	p.clients(cfg.Clients)
	p.sdk(cfg, cfg.Python, "python")
	p.sdk(cfg, cfg.Go, "go")
	p.patterns(cfg.Keep, "keep")
	p.engine(cfg)
}

// api checks one API package, and returns the key and value of its output directory.
func (p *checker) api(api *API, i int) (key, dir string) {
	if len(api.Kinds) > 0 && len(api.Exclude) > 0 {
		p.list.Add(p.at("apis", i, "exclude"), rule, "remove exclude: kinds lists all that are kept",
			"apis[%d] has both kinds and exclude", i)
	}
	if api.Package == "" {
		p.path(&api.Path, true, "apis", i, "path")
		if api.Dir != "" {
			p.list.Add(p.at("apis", i, "dir"), rule, "remove it",
				"apis[%d].dir is only for a package of another module: the files of %q are written beside its types", i, api.Path)
		}
		return "path", api.Path
	}
	if err := module.CheckImportPath(api.Package); err != nil {
		p.list.Add(p.at("apis", i, "package"), rule, "write an import path, such as sigs.k8s.io/jobset/api/jobset/v1alpha2",
			"apis[%d].package: %v", i, err)
	}
	if api.Path != "" {
		p.list.Add(p.at("apis", i, "path"), rule, "keep path for a package of the project, package for one of another module",
			"apis[%d] has both path and package", i)
	}
	p.path(&api.Dir, true, "apis", i, "dir")
	return "dir", api.Dir
}

func (p *checker) sdk(cfg *Config, sdk *SDK, key string) {
	if sdk == nil {
		return
	}
	p.path(&sdk.Dir, true, key, "dir")
	if sdk.Package == "" && sdk.Config == "" {
		p.list.Add(p.at(key, "package"), rule,
			fmt.Sprintf("write the name to import it by, for example:\n%s:\n  dir: %s\n  package: example", key, sdk.Dir),
			"%s.package, the name of the package, is missing", key)
	}
	p.path(&sdk.Config, false, key, "config")
	p.path(&sdk.Templates, false, key, "templates")
	p.path(&sdk.Overlay.Dir, false, key, "overlay", "dir")
	for _, list := range []struct {
		name     string
		patterns []string
	}{{"replace", sdk.Overlay.Replace}, {"drop", sdk.Overlay.Drop}} {
		p.patterns(list.patterns, key, "overlay", list.name)
	}
}

// patterns checks a list of patterns of files.
func (p *checker) patterns(list []string, keys ...any) {
	for i, pattern := range list {
		if _, err := path.Match(pattern, "x"); err != nil {
			p.list.Add(p.at(append(keys, i)...), rule, "write a pattern such as *.md, or docs/ for a directory",
				"invalid pattern %q", pattern)
		}
	}
}

// engine checks the engine, and fills in the default.
func (p *checker) engine(cfg *Config) {
	cfg.Engine = cmp.Or(cfg.Engine, Native)
	if !slices.Contains(Engines, cfg.Engine) {
		p.list.Add(p.at("engine"), rule, "write one of "+strings.Join(Engines, ", "), "engine: unknown engine %q", cfg.Engine)
	}
	if cfg.Generator == (Generator{}) {
		return
	}
	if cfg.Engine == Native {
		p.list.Add(p.at("generator"), rule, "write `engine: "+OpenAPIGenerator+"`, or remove the section",
			"generator names a jar, which only the engine %s runs", OpenAPIGenerator)
	}
	p.generator(&cfg.Generator)
}

var hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (p *checker) generator(g *Generator) {
	p.path(&g.Jar, true, "generator", "jar")
	p.path(&g.Java, false, "generator", "java")
	if !hexSum.MatchString(g.SHA256) {
		p.list.Add(p.at("generator", "sha256"), rule,
			"write the SHA-256 checksum of the jar, or remove the section generator to use the pinned jar",
			"generator.sha256 is not 64 hexadecimal digits")
	}
}

// path checks and cleans one path of the project.
func (p *checker) path(value *string, required bool, keys ...any) {
	name := dotted(keys)
	switch {
	case *value == "" && required:
		p.list.Add(p.at(keys...), rule, "write a path relative to the project's root, with slashes", "%s is missing", name)
	case *value == "":
	case strings.ContainsAny(*value, "\\\x00"), !filepath.IsLocal(filepath.FromSlash(*value)):
		p.list.Add(p.at(keys...), rule, "write a path relative to the project's root, with slashes",
			"%s: %q is not a path inside the project", name, *value)
	default:
		*value = path.Clean(*value)
	}
}

// dotted formats keys as a path: python.dir, apis[0].path.
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
