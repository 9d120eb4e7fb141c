package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Problems returns the errors that make the packages unusable: list and parse errors, errors in type
// declarations, and those that controller-tools' generators have recorded on the packages since.
// Type errors outside of declarations are due to loading only what types need.
func (r *Result) Problems() error {
	asked := map[*packages.Package]*Package{}
	direct := map[*packages.Package]bool{} // imported by those
	roots := make([]*packages.Package, 0, len(r.Packages))
	for _, pkg := range r.Packages {
		asked[pkg.Source.Package] = pkg
		roots = append(roots, pkg.Source.Package)
		for _, imported := range pkg.Source.Package.Imports {
			direct[imported] = true
		}
	}
	var causes, indirect, effects diag.List
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		api, own := asked[pkg]
		if own && !api.Foreign && !r.hasGoFiles(api.Dir) {
			causes.Add(token.Position{Filename: api.Dir}, rule,
				"add the types and a doc.go with the package's markers, or correct apis in sdkgen.yaml",
				"no Go files besides tests")
			return
		}
		place := pkg.PkgPath
		if own {
			place = api.place()
		}
		for _, e := range oneEach(pkg.Errors) {
			found := r.diagnostic(place, e)
			if e.Kind == packages.UnknownError { // of controller-tools
				found = r.Advise(diag.List{found})[0]
			}
			switch {
			case e.Kind == packages.UnknownError && !isLocal(pkg) && misapplied.MatchString(e.Msg):
				r.warn(diag.List{found})
			case e.Kind == packages.TypeError:
				if (own || isLocal(pkg)) && inTypeDecl(r.fset, pkg, parsePosition(e.Pos)) {
					effects = append(effects, found)
				}
			case e.Kind == packages.ListError && !own && !direct[pkg] &&
				(found.Pos.Line == 0 || !filepath.IsLocal(found.Pos.Filename)):
				if len(pkg.GoFiles) == 0 && pkg.Module == nil { // gengo reads every package that there is
					indirect = append(indirect, found)
				}
			case e.Kind == packages.ListError || found.Pos.Line > 0:
				causes = append(causes, found)
			default:
				effects = append(effects, found)
			}
		}
	})
	if err := causes.Err(); err != nil {
		return err
	}
	if len(indirect) > 0 {
		return r.unresolved(indirect)
	}
	return effects.Err()
}

// unresolved reports packages that only dependencies import and that the go command does not find, as one error in
// go.mod: those who have it cannot change these imports.
func (r *Result) unresolved(indirect diag.List) error {
	d := indirect[0]
	if len(indirect) > 1 {
		d.Message += fmt.Sprintf("; packages not found: %d", len(indirect))
	}
	if !r.home.foreign { // see advice
		d.Hint = "go.mod and go.sum are not tidy: run `go mod tidy`" + in(r.root, r.home.dir)
	}
	d.Pos = relative(r.root, token.Position{Filename: filepath.Join(r.home.dir, "go.mod")})
	return diag.List{d}
}

// misapplied are the errors of controller-tools for markers that it then ignores. Where nobody here can correct
// the marker, the CRD is the one without it, as that of the API's own project is.
var misapplied = regexp.MustCompile(`^must apply | applied to version .* not in CRD$`)

// oneEach puts errors that go on about the one before them, which begin with a tab, on a line of
// their own below it.
func oneEach(errs []packages.Error) []packages.Error {
	var out []packages.Error
	for _, e := range errs {
		if more, ok := strings.CutPrefix(e.Msg, "\t"); ok && len(out) > 0 {
			out[len(out)-1].Msg += "\n" + more + ": " + e.Pos
		} else {
			out = append(out, e)
		}
	}
	return out
}

// isLocal says whether a package is of the project's module, or of one that go.work or a
// replace directive finds in a directory.
func isLocal(pkg *packages.Package) bool {
	m := pkg.Module
	return m != nil && (m.Main || m.Replace != nil && m.Replace.Version == "")
}

// hasGoFiles says whether a directory has Go files that are not tests. The go command, asked for
// the import path of an empty directory, looks for it in other modules.
func (r *Result) hasGoFiles(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(r.root, filepath.FromSlash(dir)))
	return err != nil || slices.ContainsFunc(entries, isSource)
}

// isSource says whether a file of a package's directory is Go source and no test.
func isSource(entry os.DirEntry) bool {
	return !entry.IsDir() && strings.HasSuffix(entry.Name(), ".go") && !strings.HasSuffix(entry.Name(), "_test.go")
}

// diagnostic converts an error of the go command, the parser or the type checker; the package, by
// directory or path, stands for its position where it has none.
func (r *Result) diagnostic(pkg string, e packages.Error) diag.Diagnostic {
	pos := r.relative(parsePosition(e.Pos))
	if pos.Line == 0 {
		pos = token.Position{Filename: pkg}
	}
	message, hint := r.advice(e.Msg)
	return diag.Diagnostic{Pos: pos, Rule: rule, Message: message, Hint: hint}
}

// advice splits an error of the go command into the message, which is one line, and the hint.
func (r *Result) advice(text string) (message, hint string) {
	message, hint, _ = strings.Cut(strings.ReplaceAll(text, r.root+string(filepath.Separator), ""), "\n")
	hint = strings.TrimSpace(hint)
	if strings.HasPrefix(hint, "go ") {
		hint = "run `" + hint + "`" + in(r.root, r.home.dir)
		message = toDo.ReplaceAllString(message, "")
	}
	for _, known := range unsupported {
		if m := known.said.FindStringSubmatchIndex(message); m != nil {
			return string(known.said.ExpandString(nil, known.message, message, m)), known.hint
		}
	}
	if missing, ok := strings.CutPrefix(message, "no required module provides package "); ok {
		hint = cmp.Or(r.home.misplaced(r.root, missing), hint)
	}
	if missing, ok := strings.CutPrefix(message, "cannot find module providing package "); ok {
		missing, _, _ = strings.Cut(missing, ":")
		hint = cmp.Or(hint, "run `go get "+missing+"@latest`"+in(r.root, r.home.dir))
	}
	if strings.HasPrefix(message, "missing go.sum entry") {
		if !r.home.foreign || hint == "" { // where no Go file imports a package, go mod tidy leaves its module out
			hint = "run `go mod tidy`" + in(r.root, r.home.dir)
		}
		hint = "go.mod and go.sum are not tidy: " + hint
	}
	return message, hint
}

// toDo is what the go command puts before the command to run.
var toDo = regexp.MustCompile(`; to [a-z]+( it)?:$`)

// misplaced says where in the project a package that the go command does not find would be; "" if
// no module of the project has such a path.
func (h *home) misplaced(root, importPath string) string {
	above, _ := moduleOf(root, root) // without one, the module that is loaded from is all there is
	for _, m := range []module{h.module, above} {
		if m.path == "" || !m.holds(importPath) {
			continue
		}
		dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(importPath, m.path)))
		switch holder, err := moduleOf(root, dir); {
		case err != nil || !holder.holds(importPath):
		case holder == h.module:
			return "the module's directory " + directory(root, dir) + " has no Go files"
		default:
			return "the package belongs to the module in " + directory(root, holder.dir) +
				": move what the API needs of it, or " + h.reach(root, holder)
		}
	}
	return ""
}

// listError reports a failure of the go command itself.
func (r *Result) listError(err error) error {
	text := err.Error()
	if _, stderr, _ := strings.Cut(text, "stderr: "); strings.TrimSpace(stderr) != "" {
		text = stderr
	}
	message, hint := r.advice(strings.TrimSpace(text))
	if hint == "" {
		hint = "check that the go command is on PATH and that `go list` succeeds here"
	}
	return diag.Errorf(token.Position{}, rule, hint, "%s", message)
}

var positionForm = regexp.MustCompile(`^(.*?)(?::(\d+))?(?::(\d+))?$`)

// parsePosition parses "file:line:col", "file:line", "file" or "-".
func parsePosition(s string) token.Position {
	m := positionForm.FindStringSubmatch(s)
	if m == nil || s == "-" {
		return token.Position{}
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	return token.Position{Filename: m[1], Line: line, Column: column}
}

func inTypeDecl(fset *token.FileSet, src *packages.Package, pos token.Position) bool {
	for _, file := range src.Syntax {
		if fset.Position(file.FileStart).Filename != pos.Filename {
			continue
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if ok && gen.Tok == token.TYPE && fset.Position(gen.Pos()).Line <= pos.Line &&
				pos.Line <= fset.Position(gen.End()).Line {
				return true
			}
		}
	}
	return false
}
