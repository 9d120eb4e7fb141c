package scaffold

import (
	"errors"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	gomodule "golang.org/x/mod/module"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// module is the Go module in the project's root.
type module struct {
	path string
	file *modfile.File
}

// readModule reads go.mod.
func (p *project) readModule() (module, error) {
	data, err := fs.ReadFile(p.tree, "go.mod")
	if errors.Is(err, fs.ErrNotExist) {
		return module{}, diag.Errorf(token.Position{}, rule,
			"run `go mod init` in the project's root, or name the root with -C", "no go.mod in the project's root")
	}
	if err != nil {
		return module{}, err
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if list, ok := errors.AsType[modfile.ErrorList](err); ok {
		var found diag.List
		for _, e := range list {
			found.Add(token.Position{Filename: e.Filename, Line: e.Pos.Line, Column: e.Pos.LineRune}, rule,
				"run `go mod edit -fmt`", "%v", e.Err)
		}
		return module{}, found
	}
	if err != nil {
		return module{}, err
	}
	if file.Module == nil {
		return module{}, diag.Errorf(token.Position{Filename: "go.mod"}, rule,
			"write, for example: module example.org/project", "missing module directive")
	}
	return module{file.Module.Mod.Path, file}, nil
}

// major is the last element of the path of a module of version 2 or later.
var major = regexp.MustCompile(`^v[0-9]+$`)

// name is what the module is called: the last element of its path, without a major version. A module of an operator's
// types alone, such as example.org/op/api, is called by the operator.
func (m module) name() string { return moduleName(m.path) }

func moduleName(modulePath string) string {
	if major.MatchString(path.Base(modulePath)) && strings.Contains(modulePath, "/") {
		modulePath = path.Dir(modulePath)
	}
	dir, base := path.Split(modulePath)
	if (base == "api" || base == "apis") && strings.Count(dir, "/") > 1 {
		modulePath = path.Clean(dir)
	}
	return path.Base(modulePath)
}

// require returns the requirement of a module, nil if there is none.
func (m module) require(modulePath string) *modfile.Require {
	for _, r := range m.file.Require {
		if r.Mod.Path == modulePath {
			return r
		}
	}
	return nil
}

// provider returns the required module that an import path is most likely of, "" if there is none.
func (m module) provider(importPath string) string {
	longest := ""
	for _, r := range m.file.Require {
		if within(importPath, r.Mod.Path) && len(r.Mod.Path) > len(longest) {
			longest = r.Mod.Path
		}
	}
	return longest
}

// within says whether an import path is the module's or below it.
func within(importPath, modulePath string) bool {
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

// foreign makes the API packages of those that the command line names.
func (p *project) foreign() error {
	var list diag.List
	for _, importPath := range p.opts.Packages {
		if err := gomodule.CheckImportPath(importPath); err != nil {
			list.Add(token.Position{}, rule, "write an import path, such as sigs.k8s.io/jobset/api/jobset/v1alpha2",
				"--package: %v", err)
			continue
		}
		if p.own(importPath) {
			list.Add(token.Position{}, rule, "leave out --package, or use --sdk-only to leave the types alone",
				"%s is a package of this module", importPath)
			continue
		}
		from := p.module.provider(importPath)
		if from == "" {
			list.Add(token.Position{Filename: "go.mod"}, rule, "run `go get "+importPath+"`",
				"no module that go.mod requires provides %s", importPath)
			continue
		}
		p.name = moduleName(from)
		version := path.Base(importPath)
		p.apis = append(p.apis, &api{importPath: importPath, version: version, group: path.Dir(importPath)})
	}
	return list.Err()
}
