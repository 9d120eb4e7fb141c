package gocode

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// train are the modules that are released together, with apimachinery; a go.mod requires them at one version. The
// others that generated code imports are in apimachinery's own module graph, so that `go mod tidy` knows their version.
var train = []string{apimachinery, "k8s.io/api", "k8s.io/client-go"}

const apimachinery = "k8s.io/apimachinery"

// oldest is the oldest version of the train that generated code is tested with.
const oldest = "v0.29.0"

// Requirements finds modules that generated Go code imports and that the go.mod above it lacks, or requires at a
// version that nobody has tried. What `go mod tidy` cannot bring right is an error.
func Requirements(p *stage.Project, set *artifact.Set) diag.List {
	var list diag.List
	imported := importsOf(p, set)
	for _, dir := range slices.Sorted(maps.Keys(imported)) {
		goMod, err := load.GoModOf(p.LoadOptions(), dir)
		if err != nil {
			continue // loading said what is wrong
		}
		for _, name := range slices.Sorted(maps.Keys(imported[dir])) {
			list = append(list, need(p, goMod, name, imported[dir][name])...)
		}
	}
	return list.Sorted()
}

// importsOf returns what generated Go files import: by the directory of their module, then by import path, the first
// file that imports it.
func importsOf(p *stage.Project, set *artifact.Set) map[string]map[string]string {
	imported := map[string]map[string]string{}
	modules := map[string]string{} // directory of the module by that of a package
	for file := range set.All() {
		if path.Ext(file.Path) != ".go" {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Data, parser.ImportsOnly)
		if err != nil {
			continue // a template of the project's own may be wrong
		}
		module, known := modules[path.Dir(file.Path)]
		if !known {
			if module, err = load.ModuleDir(p.Env.Root, path.Dir(file.Path)); err != nil {
				continue // loading said what is wrong
			}
			modules[path.Dir(file.Path)] = module
		}
		if imported[module] == nil {
			imported[module] = map[string]string{}
		}
		for _, spec := range syntax.Imports {
			if name, err := strconv.Unquote(spec.Path.Value); err == nil && imported[module][name] == "" {
				imported[module][name] = file.Path
			}
		}
	}
	return imported
}

// need is Requirements for one import.
func need(p *stage.Project, goMod *load.GoMod, name, file string) (list diag.List) {
	module := moduleOf(name)
	required, ok := goMod.Provides(name)
	switch first, _, _ := strings.Cut(name, "/"); {
	case !strings.Contains(first, "."): // the standard library's
	case ok && slices.Contains(train, module) && required.Version != "" && semver.Compare(required.Version, oldest) < 0:
		list.Warn(required.Pos, "requires", fmt.Sprintf("run `go get %s@%s`%s", module, oldest, goMod.Dir),
			"generated code is not tested with %s %s: %s is the oldest", module, required.Version, oldest)
	case ok:
	case slices.Contains(train, module):
		list.Add(required.Pos, "requires", fmt.Sprintf("run `go get %s@%s`%s", module, trainVersion(p, goMod), goMod.Dir),
			"the module does not require %s, which generated code imports", module)
	default:
		list.Warn(required.Pos, "requires", "run `go mod tidy`"+goMod.Dir+" afterwards",
			"the module does not require %s, which %s imports", module, file)
	}
	return list
}

// trainVersion returns the version of apimachinery that a module requires, else the one that the API's does.
func trainVersion(p *stage.Project, goMod *load.GoMod) string {
	mods := []*load.GoMod{goMod}
	for _, api := range p.Config.APIs {
		if mod, err := load.GoModOf(p.LoadOptions(), api.Path); err == nil {
			mods = append(mods, mod)
		}
	}
	for _, mod := range mods {
		if required, ok := mod.Require(apimachinery); ok && required.Version != "" {
			return required.Version
		}
	}
	return cmp.Or(p.Env.Modules[apimachinery], "latest")
}

// dotted is a module of gopkg.in, whose path ends in a version after a dot.
var dotted = regexp.MustCompile(`^gopkg\.in/(?:[^/]+/)?[^/]+\.v[0-9]+`)

// moduleOf returns the module of an import path, as far as generated code needs it: all of these but gopkg.in's have
// two elements, and maybe a version.
func moduleOf(name string) string {
	if found := dotted.FindString(name); found != "" {
		return found
	}
	parts := strings.Split(name, "/")
	n := min(2, len(parts))
	if len(parts) > 2 && len(parts[2]) > 1 && parts[2][0] == 'v' && strings.Trim(parts[2][1:], "0123456789") == "" &&
		parts[0] != "k8s.io" {
		n = 3
	}
	return strings.Join(parts[:n], "/")
}
