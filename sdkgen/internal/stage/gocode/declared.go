package gocode

import (
	"fmt"
	"go/ast"
	gobuild "go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
)

// CheckDeclared finds names that generated Go files declare beside the API's types, and other files there, which no
// stage made, declare too: the package would not compile. The generators do not see a file that another one
// wrote, and Go only says so when it compiles.
func CheckDeclared(p *stage.Project, generated *artifact.Set) error {
	ours := map[string][]artifact.File{} // by directory
	for file := range generated.All() {
		if path.Ext(file.Path) == ".go" && slices.ContainsFunc(p.Config.APIs,
			func(api config.API) bool { return api.Path == path.Dir(file.Path) }) {
			ours[path.Dir(file.Path)] = append(ours[path.Dir(file.Path)], file)
		}
	}
	var list diag.List
	for dir, files := range ours {
		others, err := otherSources(p, dir, generated)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			continue
		}
		taken := map[string]string{} // files by what they declare
		fset := token.NewFileSet()
		for _, file := range files {
			if syntax, err := parser.ParseFile(fset, file.Path, file.Data, parser.SkipObjectResolution); err == nil {
				for name := range declaredIn(syntax) {
					taken[name] = file.Path
				}
			}
		}
		for _, other := range others {
			list = append(list, declaredTwice(fset, other, taken)...)
		}
	}
	return list.Err()
}

// otherSources returns the Go files of a directory that Go compiles and no stage made, this time or before.
func otherSources(p *stage.Project, dir string, generated *artifact.Set) (others []artifact.File, err error) {
	entries, err := os.ReadDir(p.Env.Path(dir))
	if err != nil {
		return nil, nil // there is none yet
	}
	before := map[string]bool{}
	for file := range p.Lock.All() {
		before[file.Path] = true
	}
	linux := gobuild.Default // the answer is the same on every machine
	linux.GOOS, linux.GOARCH, linux.CgoEnabled, linux.BuildTags = "linux", "amd64", false, nil
	for _, entry := range entries {
		name := path.Join(dir, entry.Name())
		if _, ours := generated.Lookup(name); ours || before[name] || path.Ext(name) != ".go" || !entry.Type().IsRegular() {
			continue
		}
		if matches, err := linux.MatchFile(p.Env.Path(dir), entry.Name()); err != nil || !matches {
			continue
		}
		data, err := p.Files.ReadOptional(name)
		if err != nil {
			return nil, err
		}
		others = append(others, artifact.File{Path: name, Data: data})
	}
	return others, nil
}

// declaredTwice reports the first name of a file that is taken, and how many more are.
func declaredTwice(fset *token.FileSet, other artifact.File, taken map[string]string) (list diag.List) {
	syntax, err := parser.ParseFile(fset, other.Path, other.Data, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil // those who compile it are told
	}
	var clashes []string
	declared := declaredIn(syntax)
	for name := range declared {
		if taken[name] != "" {
			clashes = append(clashes, name)
		}
	}
	if len(clashes) == 0 {
		return nil
	}
	slices.SortFunc(clashes, func(a, b string) int { return int(declared[a] - declared[b]) })
	hint, more := "rename it, or remove it", ""
	if ast.IsGenerated(syntax) {
		hint = "remove the file, which another generator wrote"
	}
	if len(clashes) > 1 {
		more = fmt.Sprintf(", as are %d more", len(clashes)-1)
	}
	_, name, _ := strings.Cut(clashes[0], " ")
	list.Add(fset.Position(declared[clashes[0]]), "declared", hint, "%s is declared here and in the generated %s%s", name,
		path.Base(taken[clashes[0]]), more)
	return list
}

// declaredIn returns the names that a file declares in its package, with their positions: "PACKAGE NAME", and
// "PACKAGE TYPE.METHOD".
func declaredIn(file *ast.File) map[string]token.Pos {
	found := map[string]token.Pos{}
	add := func(id *ast.Ident, target string) {
		if id.Name != "_" && (id.Name != "init" || target != "") {
			found[file.Name.Name+" "+target+id.Name] = id.Pos()
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			subject := ""
			if decl.Recv != nil {
				subject = load.Receiver(decl) + "."
			}
			add(decl.Name, subject)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, "")
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(name, "")
					}
				}
			}
		}
	}
	return found
}
