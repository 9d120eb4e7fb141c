package pipeline

import (
	"cmp"
	"path/filepath"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/openapigen"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// Tools returns the directory that the jar and Java are looked for in, absolute, where the
// configuration says nothing of them.
func (p *Project) Tools() string {
	dir := filepath.FromSlash(cmp.Or(p.env.Tools, load.Getenv(p.env.Environ, "SDKGEN_TOOLS"), ".tools"))
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(p.env.Root, dir)
}

// where says where the jar and Java are looked for.
func (p *Project) where() openapigen.Where {
	found := openapigen.Where{JavaHome: load.Getenv(p.env.Environ, "JAVA_HOME"), Path: load.Getenv(p.env.Environ, "PATH")}
	if g := p.cfg.Generator; g != (config.Generator{}) {
		found.Jar, found.SHA256, found.Java = p.env.path(g.Jar), g.SHA256, p.env.path(g.Java)
		found.Hint = "generator in sdkgen.yaml names it; without that section the jar and Java are those of --tools"
		return found
	}
	tools := p.Tools()
	found.Jar, found.SHA256, found.Java = filepath.Join(tools, templates.Jar), templates.JarSHA256, filepath.Join(tools, "java")
	found.Hint = "--tools or SDKGEN_TOOLS names another directory; to fetch the jar, and Java where there is none, run in sdkgen's repository:\n" +
		"python3 hack/tools.py --dir " + tools
	return found
}

// Java returns the java program that would run the jar, and its major version.
func (p *Project) Java() (program string, version int, err error) {
	return openapigen.FindJava(p.where())
}

// Jar returns the jar's path, and an error if it is missing or not the pinned one.
func (p *Project) Jar() (string, error) {
	where := p.where()
	_, err := openapigen.Find(where)
	return where.Jar, err
}

// NeedsJava says whether an SDK is made by the jar.
func (p *Project) NeedsJava() bool { return p.cfg.Python != nil || p.cfg.Go != nil }
