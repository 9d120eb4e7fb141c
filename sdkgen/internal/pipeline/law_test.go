package pipeline_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/flux-framework/flux-operator/sdkgen/"

// allowed says which packages of this module each package of the toolchain may import.
var allowed = map[string][]string{
	"internal/diag":       {},
	"internal/artifact":   {"internal/diag"},
	"internal/codegen":    {"internal/artifact", "internal/config"},
	"internal/config":     {"internal/diag"},
	"internal/load":       {"internal/diag"},
	"internal/gogen":      {"internal/artifact", "internal/config", "internal/diag", "internal/load"},
	"internal/loss":       {},
	"internal/backtrack":  {},
	"internal/lint":       {"internal/backtrack", "internal/diag", "internal/load"},
	"internal/rules":      {"internal/diag"},
	"internal/published":  {},
	"internal/swagger":    {"internal/apiserver", "internal/diag", "internal/published"},
	"internal/constraint": {},
	"internal/document":   {"internal/constraint", "internal/swagger"}, // it knows the document's conventions
	"internal/pysdk":      {"internal/backtrack", "internal/document", "internal/sampler"},
	"internal/gosdk":      {"internal/document", "internal/swagger"},
	"internal/gosource":   {},
	"internal/golink":     {"internal/artifact", "runtime"},
	"internal/mustache":   {"internal/diag"},
	"internal/engine":     {"internal/artifact", "internal/diag", "internal/mustache"},
	"internal/native":     {"internal/artifact", "internal/config", "internal/diag", "internal/document", "internal/engine", "internal/mustache"},
	"internal/openapigen": {"internal/artifact", "internal/diag", "internal/engine"},
	"internal/tools":      {"internal/diag", "internal/openapigen", "templates"},
	"internal/policy":     {"internal/artifact", "internal/document"},
	"internal/docs":       {"internal/artifact", "internal/constraint", "internal/document"},
	"internal/samples":    {"internal/apiserver", "internal/artifact", "internal/diag", "internal/sampler"},
	"internal/schemas":    {"internal/apiserver", "internal/artifact", "internal/document", "internal/published"},
	"internal/overlay":    {"internal/artifact", "internal/diag"},
	"internal/scaffold":   {"internal/artifact", "internal/config", "internal/diag", "internal/gosdk", "internal/pysdk"},
	"internal/stray":      {},
	"internal/baseline":   {"internal/diag"},
	"internal/apiserver":  {},
	"internal/sampler":    {},
	"internal/breaking":   {"internal/apiserver", "internal/diag", "internal/document", "internal/pysdk", "internal/sampler"},
	"internal/explain":    {"internal/constraint", "internal/diag", "internal/document"},
	"templates":           {},
	"runtime":             {},
	goRuntime:             {},
	goRuntime + "/fake":   {},
	testkit:               {"internal/artifact", "internal/engine", "internal/native", "internal/openapigen", "templates"},
	"internal/pipeline": {
		"internal/artifact", "internal/baseline", "internal/breaking", "internal/codegen", "internal/config", "internal/constraint", "internal/diag", "internal/docs", "internal/document", "internal/engine", "internal/explain", "internal/gogen", "internal/golink", "internal/gosdk", "internal/gosource", "internal/lint", "internal/load", "internal/loss",
		"internal/native", "internal/openapigen", "internal/overlay", "internal/policy", "internal/pysdk", "internal/rules", "internal/samples", "internal/schemas", "internal/stray", "internal/swagger", "internal/tools",
		"runtime", "templates",
	},
	"internal/cli": {"internal/artifact", "internal/breaking", "internal/config", "internal/diag", "internal/explain", "internal/pipeline", "internal/scaffold"},
	"swagger":      {"internal/config", "internal/diag", "internal/pipeline", "internal/swagger"},
	".":            {"internal/cli"},
}

// testkit is part of the tests: nothing else may import it.
const testkit = "internal/testkit"

// goRuntime is code of the SDKs, with a package below, which sdkgen copies and does not run.
const goRuntime = "runtime/go"

type listed struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	Imports      []string // of GoFiles; the others are of tests
	TestImports  []string
	XTestImports []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,TestImports,XTestImports", "../../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var pkg listed
		if err := dec.Decode(&pkg); err != nil {
			t.Fatal(err)
		}
		all = append(all, pkg)
	}
	if len(all) < len(allowed) {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}

// TestImportLaw holds every package against the table above.
func TestImportLaw(t *testing.T) {
	seen := 0
	for _, pkg := range packages(t) {
		name := relative(pkg.ImportPath)
		limit, ruled := allowed[name]
		if ruled {
			seen++
		}
		if !ruled && !strings.HasPrefix(name, "test/") {
			t.Errorf("%s is not in the table: say what it may import", name)
		}
		for _, imported := range pkg.Imports {
			other, own := strings.CutPrefix(imported, module)
			if !own {
				continue
			}
			if ruled && !slices.Contains(limit, other) {
				t.Errorf("%s may not import %s", name, other)
			}
		}
	}
	if seen != len(allowed) {
		t.Errorf("the table names %d packages, %d of them exist", len(allowed), seen)
	}
}

// TestTestkit: only tests import golden, and some do.
func TestTestkit(t *testing.T) {
	tests := 0
	for _, pkg := range packages(t) {
		if slices.Contains(pkg.Imports, module+testkit) {
			t.Errorf("%s may import %s in its tests only", pkg.ImportPath, testkit)
		}
		if slices.Contains(slices.Concat(pkg.TestImports, pkg.XTestImports), module+testkit) {
			tests++
		}
	}
	if tests == 0 {
		t.Errorf("no test imports %s: the check sees nothing", testkit)
	}
}

// relative is an import path below the module's, "." for the module's own.
func relative(path string) string {
	if path+"/" == module {
		return "."
	}
	return strings.TrimPrefix(path, module)
}

// reserved are functions with an effect outside the process, and the packages of the toolchain
// that may call them.
var reserved = map[string][]string{
	"exec.Command":        {"internal/openapigen"},
	"exec.CommandContext": {"internal/baseline", "internal/codegen", "internal/openapigen", "internal/stray", "internal/tools"}, // git and go, go, Java, git, pip
	// Scratch, -o FILE, and the directory of tools.
	"os.WriteFile": {"internal/baseline", "internal/codegen", "internal/gogen", "internal/openapigen", "internal/pipeline", "internal/cli", "internal/tools"},
	"os.MkdirAll":  {"internal/codegen", "internal/openapigen", "internal/pipeline", "internal/tools"},
	"os.MkdirTemp": {"internal/pipeline", "internal/tools"},
	"os.CopyFS":    {"internal/openapigen"}, // templates, to scratch
	"os.RemoveAll": {"internal/pipeline", "internal/tools"},
	"os.Create":    {},
	"os.OpenFile":  {"internal/tools"},
	"os.Remove":    {},
	"os.Rename":    {"internal/tools"},
	"os.Getwd":     {},
	"os.Getenv":    {},
	"os.Environ":   {"internal/cli", "swagger"},
	"time.Now":     {},
	"fmt.Print":    {},
	"fmt.Println":  {},
	"fmt.Printf":   {},
}

// TestEffects finds calls of the reserved functions where they do not belong: only artifact
// writes the project (through os.Root), tools its own directory; only openapigen, stray and tools start
// processes; the environment is an argument everywhere below cmd/. What is part of the tests or of the SDKs may call them.
func TestEffects(t *testing.T) {
	calls := 0
	for _, pkg := range packages(t) {
		name := relative(pkg.ImportPath)
		if _, ruled := allowed[name]; !ruled || name == testkit || strings.HasPrefix(name, goRuntime) {
			continue
		}
		for _, file := range pkg.GoFiles {
			syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, file), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(syntax, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if x, ok := selector.X.(*ast.Ident); ok {
					call := x.Name + "." + selector.Sel.Name
					if who, is := reserved[call]; is {
						calls++
						if !slices.Contains(who, name) {
							t.Errorf("%s/%s may not call %s", name, file, call)
						}
					}
				}
				return true
			})
		}
	}
	if calls == 0 {
		t.Error("no call was found at all: the check sees nothing")
	}
}
