package lint_test

import (
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/parser"
	gengotypes "k8s.io/gengo/v2/types"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// real are packages whose comments were written for the tools, by others.
var real = []string{"k8s.io/api/core/v1", "k8s.io/api/resource/v1", "k8s.io/api/networking/v1",
	"k8s.io/apimachinery/pkg/apis/meta/v1"}

// TestAsTheToolsSee holds what the linter believes of where the tools see markers against
// controller-tools' collector and gengo's parser, on the cases and on packages of Kubernetes.
func TestAsTheToolsSee(t *testing.T) {
	all := slices.DeleteFunc(readCases(t), func(c *testCase) bool { return !c.tame() })
	root := writeCases(t, all)
	patterns := append([]string{"./..."}, real...)
	roots := loadPackages(t, root, patterns...)

	raw, err := lint.RawRegistry()
	if err != nil {
		t.Fatal(err)
	}
	collector := &markers.Collector{Registry: raw}
	universe := gengoUniverse(t, root, patterns)
	seen := 0
	for _, pkg := range roots {
		controllerGen, openapiGen, err := lint.SeenInPackage(pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range controllerGen {
			seen += len(list)
		}
		found, structs := collected(t, collector, pkg)
		if diff := cmp.Diff(sorted(found), sorted(controllerGen)); diff != "" {
			t.Errorf("%s: controller-gen sees -, the linter believes +\n%s", pkg.PkgPath, diff)
		}
		if diff := cmp.Diff(sorted(commented(t, universe[pkg.PkgPath], structs)), sorted(openapiGen)); diff != "" {
			t.Errorf("%s: openapi-gen sees -, the linter believes +\n%s", pkg.PkgPath, diff)
		}
	}
	if seen < 1000 {
		t.Errorf("only %d markers were compared", seen)
	}
}

// tame says whether the tools themselves understand the Go of the case, as they do of all but one.
func (c *testCase) tame() bool { return c.name != "odd" }

func sorted(seen lint.Seen) lint.Seen {
	for _, list := range seen {
		slices.Sort(list)
	}
	return seen
}

// collected returns what controller-tools' collector finds, and which types are declared as structs.
func collected(
	t *testing.T, collector *markers.Collector, pkg *loader.Package,
) (out lint.Seen, structs map[string]bool) {
	t.Helper()
	out, structs = lint.Seen{}, map[string]bool{}
	add := func(key string, values markers.MarkerValues) {
		for name, list := range values {
			for _, value := range list {
				if name == "k8s:enum" && strings.Contains(key, ".") {
					continue // it is taken at fields only to be parseFailed
				}
				out.Add(key, name, string(value.(markers.RawArguments)))
			}
		}
	}
	err := markers.EachType(collector, pkg, func(info *markers.TypeInfo) {
		structs[info.Name] = info.Fields != nil
		add(info.Name, info.Markers)
		for i, field := range info.Fields {
			if i > 0 && info.Fields[i-1].RawField == field.RawField {
				continue // of "A, B int" the linter has the first
			}
			name := field.Name
			if name == "" {
				name = embeddedName(field)
			}
			add(info.Name+"."+name, field.Markers)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	values, err := markers.PackageMarkers(collector, pkg)
	if err != nil {
		t.Fatal(err)
	}
	add("", values)
	return out, structs
}

func embeddedName(field markers.FieldInfo) string {
	name := types.ExprString(field.RawField.Type)
	return name[strings.LastIndexByte(name, '.')+1:]
}

func gengoUniverse(t *testing.T, root string, patterns []string) gengotypes.Universe {
	t.Helper()
	p := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	if err := p.LoadPackagesWithConfigForTesting(&packages.Config{Dir: root, Env: offline()}, patterns...); err != nil {
		t.Fatal(err)
	}
	universe, err := p.NewUniverse()
	if err != nil {
		t.Fatal(err)
	}
	return universe
}

// commented returns the markers of openapi-gen in the comments that gengo gives to types and fields.
func commented(t *testing.T, pkg *gengotypes.Package, structs map[string]bool) lint.Seen {
	t.Helper()
	atTypes, atFields, err := lint.OpenAPIMarkers()
	if err != nil {
		t.Fatal(err)
	}
	out := lint.Seen{}
	add := func(key string, lines []string, reads func(string) bool) {
		for name, values := range gengo.ExtractCommentTags("+", lines) { //nolint:staticcheck // what openapi-gen itself reads markers by
			for _, value := range values {
				if reads(name) {
					out.Add(key, name, value)
				}
			}
		}
	}
	for name, typ := range pkg.Types {
		add(name, typ.CommentLines, atTypes)
		for _, member := range typ.Members {
			key := name + "." + member.Name
			if !structs[name] {
				continue // they are those of the type that it is declared by
			}
			if key == "Spec.Next" && strings.HasSuffix(pkg.Path, "/detached/api/v1") {
				continue // it has the marker behind the field before, which is a diagnostic there
			}
			add(key, member.CommentLines, atFields)
		}
	}
	return out
}

func collectorOf(t *testing.T) *markers.Collector {
	t.Helper()
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		t.Fatal(err)
	}
	return &markers.Collector{Registry: registry}
}

// refusals says that wherever controller-gen refuses a marker of the case, there is a diagnostic. It
// returns how often controller-gen parseFailed one.
func refusals(t *testing.T, c *testCase, diagnostics diag.List) (parseFailed int) {
	t.Helper()
	p := &crd.Parser{Collector: collectorOf(t), Checker: &loader.TypeChecker{}, AllowDangerousTypes: true}
	crd.AddKnownTypes(p)
	for i, pkg := range c.pkgs {
		p.NeedPackage(pkg)
		for _, name := range pkg.Types.Scope().Names() {
			if ident := (crd.TypeIdent{Package: pkg, Name: name}); p.Types[ident] != nil {
				p.NeedSchemaFor(ident)
			}
		}
		for _, e := range pkg.Errors {
			if strings.Contains(e.Msg, "without JSON tag") {
				continue
			}
			parseFailed++
			first, last, file := markersOf(t, pkg, e.Pos)
			if !slices.ContainsFunc(diagnostics, func(d diag.Diagnostic) bool {
				return d.Pos.Filename == path.Join(c.dirs[i], file) && first <= d.Pos.Line && d.Pos.Line <= last
			}) {
				t.Errorf("no diagnostic where controller-gen says %s: %s", e.Pos, e.Msg)
			}
		}
	}
	return parseFailed
}

// markersOf returns the lines of a position and of the comment above it, and the name of its file.
func markersOf(t *testing.T, pkg *loader.Package, at string) (first, last int, file string) {
	t.Helper()
	parts := strings.Split(at, ":")
	last, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	first = last
	for _, syntax := range pkg.Syntax {
		for _, group := range syntax.Comments {
			if end := pkg.Fset.Position(group.End()); end.Filename == parts[0] && end.Line == last-1 {
				first = pkg.Fset.Position(group.Pos()).Line
			}
		}
	}
	return first, last, filepath.Base(parts[0])
}
