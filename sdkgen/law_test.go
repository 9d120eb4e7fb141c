package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const internal = "github.com/flux-framework/flux-operator/sdkgen/internal/"

// ground is what every package may import.
var ground = []string{"diag", "config", "artifact"}

// floors are the directories below internal and what else of internal the packages in them may import. A package may
// also
// import the packages below its house, and those that it lies in: stage/golang/link may import stage and stage/golang,
// and neither may import another stage.
var floors = map[string][]string{
	"diag":     {},
	"config":   {"diag"},
	"artifact": {"diag"},
	"api":      append([]string{"api"}, ground...),
	"render":   append([]string{"render"}, ground...),
	"stage":    append([]string{"api", "render"}, ground...),
	"breaking": {"diag", "api"},
	"project":  append([]string{"api", "render", "stage", "breaking", "project"}, ground...),
	"cli":      append([]string{"api", "render", "stage", "breaking", "project"}, ground...),
}

// TestImportLaw holds every package below internal against floors.
func TestImportLaw(t *testing.T) {
	imports := 0
	for file, syntax := range sources(t, parser.ImportsOnly) {
		from := strings.TrimPrefix(path.Dir(file), "internal/")
		floor, _, _ := strings.Cut(from, "/")
		if !strings.HasPrefix(file, "internal/") || floor == "testkit" {
			continue
		}
		for _, spec := range syntax.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			to, own := strings.CutPrefix(name, internal)
			if err != nil || !own {
				continue
			}
			imports++
			top, _, _ := strings.Cut(to, "/")
			allowed := slices.Contains(floors[floor], top) || house(from) == house(to) || strings.HasPrefix(from, to+"/")
			if !allowed {
				t.Errorf("%s: %s may not import %s", file, from, to)
			}
		}
	}
	if imports < 100 {
		t.Errorf("only %d imports were found: the check sees nothing", imports)
	}
}

// house is the directory whose packages may import each other: a stage, or a floor.
func house(pkg string) string {
	parts := strings.Split(pkg, "/")
	if parts[0] == "stage" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// reserved are functions with an effect outside of the process, and the directories below internal whose packages may
// call them.
var reserved = map[string][]string{
	"exec.Command":        {"render", "project", "stage/gocode"},
	"exec.CommandContext": {"render", "project", "stage/gocode"},
	// scratch directories, -o FILE, the directory of tools
	"os.WriteFile": {"render", "project", "stage/gocode", "cli"},
	"os.MkdirAll":  {"render", "project", "stage/gocode"},
	"os.MkdirTemp": {"render", "project"},
	"os.CopyFS":    {"render"},
	"os.RemoveAll": {"render", "project"},
	"os.OpenFile":  {"render"},
	"os.Rename":    {"render"},
	"os.Create":    {},
	"os.Remove":    {},
	"os.Getwd":     {},
	"os.Getenv":    {},
	"os.Environ":   {"cli"},
	"time.Now":     {},
	"fmt.Print":    {},
	"fmt.Println":  {},
	"fmt.Printf":   {},
}

// TestEffects finds calls of the reserved functions where they do not belong: only artifact writes the project, through
// os.Root.
func TestEffects(t *testing.T) {
	calls := 0
	for file, syntax := range sources(t, parser.SkipObjectResolution) {
		dir, inside := strings.CutPrefix(path.Dir(file), "internal/")
		if !inside || strings.HasPrefix(dir, "testkit") {
			continue
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := selector.X.(*ast.Ident)
			if !ok {
				return true
			}
			callers, known := reserved[x.Name+"."+selector.Sel.Name]
			if !known {
				return true
			}
			calls++
			if !slices.ContainsFunc(callers, func(caller string) bool {
				return dir == caller ||
					strings.HasPrefix(dir, caller+"/")
			}) {
				t.Errorf("%s may not call %s.%s", file, x.Name, selector.Sel.Name)
			}
			return true
		})
	}
	if calls == 0 {
		t.Error("no call was found: the check sees nothing")
	}
}

// sources parses the module's Go files but for tests and their data, by path with slashes.
func sources(t *testing.T, mode parser.Mode) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = parser.ParseFile(token.NewFileSet(), name, source, mode)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
