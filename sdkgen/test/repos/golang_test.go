package repos

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/apidiff"
	"golang.org/x/tools/go/packages"
)

// tree is what a repository has of what sdkgen makes.
type tree struct {
	crds     crds
	deepcopy map[string]string // by file: all from the package clause on
	clients  map[string]*packages.Package
	errors   []string // why the packages do not compile
}

// tree reads what a repository has, and checks that its clients and other packages compile.
func (r *repository) tree(t *testing.T, root string, compile ...string) tree {
	t.Helper()
	got := tree{crds: readCRDs(t, root, r.CRDs), deepcopy: map[string]string{}, clients: map[string]*packages.Package{}}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasPrefix(entry.Name(), "zz_generated.deepcopy") {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if _, code, found := strings.Cut(string(read(t, name)), "\npackage "); found {
			got.deepcopy[filepath.ToSlash(rel)] = code
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, dir := range r.Clients {
		patterns = append(patterns, "./"+dir+"/...")
	}
	if patterns = append(patterns, compile...); len(patterns) == 0 {
		return got
	}
	for _, pkg := range load(t, root, patterns) {
		if slices.ContainsFunc(r.Clients,
			func(dir string) bool { return strings.HasPrefix(pkg.PkgPath+"/", r.Module+"/"+dir+"/") }) {
			got.clients[pkg.PkgPath] = pkg
		}
		for _, err := range pkg.Errors {
			got.errors = append(got.errors, strings.ReplaceAll(err.Error(), root+string(filepath.Separator), ""))
		}
	}
	return got
}

// load type-checks packages of a repository, from source: nothing is compiled.
func load(t *testing.T, root string, patterns []string) []*packages.Package {
	t.Helper()
	all, err := packages.Load(&packages.Config{
		Dir:  root,
		Env:  environ(),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, src, parser.AllErrors|parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				dropBodies(file)
			}
			return file, err
		},
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// dropBodies removes what the types of a dependency do not need. A generic function has to have a body.
func dropBodies(file *ast.File) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Type.TypeParams != nil {
			continue
		}
		if f.Recv == nil && (f.Name.Name == "init" || f.Name.Name == "main") {
			f.Body = &ast.BlockStmt{}
			continue
		}
		f.Body = nil
	}
}

// compareDeepcopy holds deepcopy code, its header aside, against that which was shipped.
func compareDeepcopy(d *differences, before, after map[string]string) share {
	got := share{all: len(before)}
	for _, name := range names(before, after) {
		switch {
		case before[name] == after[name]:
			got.same++
		case before[name] == "":
			d.add("deepcopy %s: new", name)
		case after[name] == "":
			d.add("deepcopy %s: gone", name)
		default:
			d.add("deepcopy %s: %s", name, firstChange(before[name], after[name]))
		}
	}
	return got
}

// firstChange says where two texts differ first.
func firstChange(before, after string) string {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	i := 0
	for i < min(len(old), len(now))-1 && old[i] == now[i] {
		i++
	}
	return fmt.Sprintf("%d and %d lines, first %q -> %q", len(old), len(now), old[i], now[i])
}

// compareClients compares what the packages export.
func compareClients(d *differences, before, after map[string]*packages.Package) share {
	got := share{all: len(before)}
	for _, path := range names(before, after) {
		if after[path] == nil || before[path] == nil {
			d.add("client %s: %s", path, map[bool]string{true: "gone", false: "new"}[after[path] == nil])
			continue
		}
		changes := apidiff.Changes(before[path].Types, after[path].Types).Changes
		if len(changes) == 0 {
			got.same++
		}
		for _, change := range changes {
			d.add("client %s: %s", path, change.Message)
		}
	}
	return got
}

// TestLoad: an error in a package is reported, and one in a function of a dependency is not looked for.
func TestLoad(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n",
		"a/a.go": "package a\n\nimport \"fmt\"\n\nfunc A(n int) string { return fmt.Sprint(n) }\n\ntype T struct{ Old int " +
			"}\n",
		"b/b.go":  "package b\n\nimport \"example.org/m/a\"\n\nvar B int = a.A(1)\n",
		"a2/a.go": "package a\n\nfunc A(n int, _ ...bool) string { return \"\" }\n\ntype T struct{ New int }\n",
	} {
		if err := (step{Write: name, New: text}).change(root); err != nil {
			t.Fatal(err)
		}
	}
	all := map[string]*packages.Package{}
	for _, pkg := range load(t, root, []string{"./..."}) {
		all[pkg.Name+fmt.Sprint(len(pkg.Errors))+filepath.Base(pkg.PkgPath)] = pkg
	}
	if got, want := names(all, all), []string{"a0a", "a0a2", "b1b"}; !slices.Equal(got, want) {
		t.Fatalf("packages, with their errors: %q, want %q", got, want)
	}
	d := &differences{}
	same := compareClients(d, map[string]*packages.Package{"a": all["a0a"], "b": all["b1b"]},
		map[string]*packages.Package{"a": all["a0a2"], "c": all["b1b"]})
	want := []string{"client a: A: changed from func(int) string to func(int, ...bool) string", "client a: T.Old: removed",
		"client a: T.New: added", "client b: gone", "client c: new"}
	if !slices.Equal(d.unknown, want) || same != (share{0, 2}) {
		t.Errorf("%v the same, differences %q, want %q", same, d.unknown, want)
	}
}
