package swagger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/spec"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// The parts of a case that it need not write.
const (
	docFile = `// +k8s:openapi-gen=true
// +groupName=CASE.example.org
package v1
`
	kindFile = `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is the root kind.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec WidgetSpec ` + "`json:\"spec\"`" + `
}
`
)

// everywhere are the definitions that every document has. Cases do not show them.
var everywhere = []string{"Widget", "V1ObjectMeta", "V1ManagedFieldsEntry", "V1OwnerReference"}

// TestBuild makes the documents of the API packages in testdata/build/*.txtar. A file without a
// directory belongs to the API package, which is example.org/op/NAME/v1; others lie beside it. It
// has a kind Widget with a WidgetSpec where the case has no kind.go. "want" holds the
// definitions, or what is wrong, and "refused" what the API server has against the CRD. In the comment, "show:" names
// the definitions to show, "names:" holds GOTYPE=NAME pairs for Options.Names, and "alone:" says that a case must not
// share its load with the others, because a generator's error is one for all that it has loaded, or because it
// allows floats, by "floats:". At the end, the generated files of all cases are compiled, and what
// they return is compared with what Evaluate makes of them.
func TestBuild(t *testing.T) {
	var together []*testkit.Case
	for _, c := range testkit.Cases(t, "build/*.txtar") {
		if c.Field("alone") == "" {
			together = append(together, c)
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			p, err := open(t, []*testkit.Case{c})
			if err != nil {
				c.Want(t, "want", err.Error()+"\n")
				return
			}
			p.run(t, c, 0)
		})
	}
	p, err := open(t, together)
	if err != nil {
		t.Fatalf("a case that cannot be loaded says alone:, %v", err)
	}
	for i, c := range together {
		t.Run(c.Name, func(t *testing.T) { p.run(t, c, i) })
	}
	t.Run("compiled", p.checkCompiled)
}

// checkCompiled compiles the generated files where they belong. What they return must be what
// Evaluate makes of them, and must give the same document.
func (p *project) checkCompiled(t *testing.T) {
	evaluated := map[string]openapi.Definitions{}
	for _, pkg := range p.api.Packages {
		name, src, err := p.openapi(pkg)
		if err != nil {
			continue
		}
		if definitions, err := openapi.Evaluate(pkg.Path, name, src); err == nil {
			testkit.Write(t, p.root, name, src)
			if names, ok := p.sources[path.Join(pkg.Dir, gocode.ModelNameFile)]; ok {
				testkit.Write(t, p.root, path.Join(pkg.Dir, gocode.ModelNameFile), names)
			}
			evaluated[pkg.Path] = definitions
		}
	}
	if len(evaluated) < 30 {
		t.Errorf("only %d generated files can be evaluated", len(evaluated))
	}
	compiled := testkit.Definitions(t, p.root, slices.Sorted(maps.Keys(evaluated)))
	for _, pkg := range p.api.Packages {
		want, got := compiled[pkg.Path], evaluated[pkg.Path]
		if got == nil {
			continue
		}
		names, err := p.gen.ModelNames(pkg)
		if err != nil {
			t.Fatal(err)
		}
		for name, goType := range names {
			want[goType] = want[name]
			delete(want, name)
		}
		// What only methods know is in compiled definitions alone.
		methods := len(names) > 0 || strings.Contains(string(p.sources[path.Join(pkg.Dir, gocode.OpenAPIFile)]),
			"OpenAPISchemaType")
		if want, got := testkit.Encode(t, want), testkit.Encode(t, got); want != got && !methods &&
			!testkit.HasConstant(evaluated[pkg.Path]) {
			t.Errorf("%s (-compiled +evaluated): %s", pkg.Path, cmp.Diff(want, got))
		}
		slow, slowErr := p.print(t, pkg, want, config.Swagger{})
		fast, fastErr := p.print(t, pkg, got, config.Swagger{})
		if fmt.Sprint(slowErr) != fmt.Sprint(fastErr) {
			t.Errorf("%s: the compiled way says %v, the fast way %v", pkg.Path, slowErr, fastErr)
		} else if want, got := testkit.Encode(t, slow), testkit.Encode(t, fast); want != got {
			t.Errorf("%s (-compiled +evaluated): %s", pkg.Path, cmp.Diff(want, got))
		}
	}
}

// project is a loaded module with an API package for each case.
type project struct {
	root    string
	api     *load.Result
	gen     *gocode.Generator
	source  *gotypes.Source
	crds    map[string]*apiextensionsv1.CustomResourceDefinition // see crd
	sources map[string][]byte                                    // see openapi
}

// offline is an environment in which the go command asks neither the network nor a C compiler.
func offline() []string {
	return append(testkit.Offline(), "GOWORK=off", "CGO_ENABLED=0")
}

func open(t *testing.T, list []*testkit.Case) (*project, error) {
	t.Helper()
	var archive txtar.Archive
	add := func(name, text string) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	var dirs []string
	for _, c := range list {
		dir := c.Name + "/v1"
		dirs = append(dirs, dir)
		add(dir+"/doc.go", strings.Replace(docFile, "CASE", c.Name, 1))
		add(dir+"/kind.go", kindFile)
		for _, f := range c.Files {
			if !strings.Contains(f.Name, "/") {
				f.Name = "v1/" + f.Name
			}
			add(c.Name+"/"+f.Name, string(f.Data))
		}
	}
	floats := slices.ContainsFunc(list, func(c *testkit.Case) bool { return c.Field("floats") != "" })
	return openWith(t, testkit.Project(t, &archive), dirs, floats)
}

func openProject(t *testing.T, root string, dirs []string) (*project, error) {
	t.Helper()
	return openWith(t, root, dirs, false)
}

func openWith(t *testing.T, root string, dirs []string, floats bool) (*project, error) {
	t.Helper()
	api, err := load.Load(context.Background(), load.Options{Root: root, Env: offline(), Dirs: dirs})
	if err != nil {
		return nil, err
	}
	source := gotypes.New(api, crd.Generator{AllowDangerousTypes: &floats})
	gen, err := gocode.New(source, gocode.Options{Root: root, Scratch: t.TempDir()})
	if err != nil {
		return nil, err
	}
	if _, err := source.Schemas(); err != nil {
		return nil, err
	}
	return &project{root: root, api: api, gen: gen, source: source, sources: map[string][]byte{}}, nil
}

// openapi returns what openapi-gen writes for a package.
func (p *project) openapi(pkg *load.Package) (name string, src []byte, err error) {
	name = path.Join(pkg.Dir, gocode.OpenAPIFile)
	if src, ok := p.sources[name]; ok {
		return name, src, nil
	}
	set, _, _, err := p.gen.OpenAPI(pkg)
	if err != nil {
		return "", nil, err
	}
	if names, ok := set.Lookup(path.Join(pkg.Dir, gocode.ModelNameFile)); ok {
		p.sources[names.Path] = names.Data
	}
	file, _ := set.Lookup(name)
	p.sources[name] = file.Data
	return name, file.Data, nil
}

func (p *project) run(t *testing.T, c *testkit.Case, i int) {
	t.Helper()
	pkg := p.api.Packages[i]
	opts := config.Swagger{Title: "cases", Names: map[string]string{}}
	for pair := range strings.FieldsSeq(c.Field("names")) {
		goType, name, _ := strings.Cut(pair, "=")
		opts.Names[goType] = name
	}
	doc, err := p.build(t, pkg, opts)
	refused, _ := errors.AsType[diag.List](err)
	if err != nil && doc == nil {
		c.Want(t, "want", err.Error()+"\n")
		return
	}
	printed := strings.Fields(c.Field("show"))
	visible := spec.Definitions{}
	for name, schema := range doc.Definitions {
		if slices.Contains(printed, name) || len(printed) == 0 && !slices.Contains(everywhere, name) {
			visible[name] = schema
		}
	}
	c.Want(t, "want", testkit.Encode(t, visible))
	p.check(t, pkg, opts, doc)
	if len(refused) == 0 {
		p.checkNoticed(t, pkg, opts, doc)
		c.Want(t, "refused", "")
	} else {
		c.Want(t, "refused", refused.Error()+"\n")
	}
}

// build returns the document of a package as the stage makes it. It returns one with the error where only the CRD is
// refused. The paths are left to TestPaths.
func (p *project) build(t *testing.T, pkg *load.Package, opts config.Swagger) (*spec.Swagger, error) {
	t.Helper()
	doc, err := p.buildPaths(t, pkg, opts)
	if doc == nil {
		return nil, err
	}
	return ofTypes(doc), err
}

// buildPaths is build with paths.
func (p *project) buildPaths(t *testing.T, pkg *load.Package, opts config.Swagger) (*spec.Swagger, error) {
	t.Helper()
	definitions, err := p.definitions(pkg)
	if err != nil {
		return nil, err
	}
	return p.print(t, pkg, definitions, opts)
}

func (p *project) definitions(pkg *load.Package) (openapi.Definitions, error) {
	name, src, err := p.openapi(pkg)
	if err != nil {
		return nil, err
	}
	return openapi.Evaluate(pkg.Path, name, src)
}

func (p *project) print(
	t *testing.T, pkg *load.Package, definitions openapi.Definitions, opts config.Swagger,
) (*spec.Swagger, error) {
	t.Helper()
	api, err := p.source.Model(pkg, definitions, opts)
	if api == nil {
		return nil, err
	}
	doc, printErr := swagger.Print(api)
	if printErr != nil {
		t.Fatal(printErr)
	}
	if d := p.compare(t, pkg, api, doc); err == nil && len(d) > 0 {
		return nil, d
	}
	return doc, err
}

// compare compares a document with the CRDs that are written to files.
func (p *project) compare(t *testing.T, pkg *load.Package, api *model.API, doc *spec.Swagger) diag.List {
	t.Helper()
	schemas, err := p.source.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	crd := func(goType string) *apiextensionsv1.CustomResourceDefinition {
		if schemas.CRD(goType) == nil { // none has this version
			return nil
		}
		kind := strings.TrimPrefix(goType, pkg.Path+".")
		if slices.ContainsFunc(pkg.Kinds, func(k load.Kind) bool { return k.Name == kind && !k.List }) {
			return p.crd(t, pkg, kind)
		}
		return nil
	}
	return swagger.Compare(doc, api, crd, p.source.Position)
}

// ofTypes is what a document has of the package's types: without paths, what only they reach, and the lists that the
// API server makes for kinds that have none.
func ofTypes(doc *spec.Swagger) *spec.Swagger {
	out := *doc
	out.Definitions = maps.Clone(doc.Definitions)
	maps.DeleteFunc(out.Definitions, func(_ string, schema spec.Schema) bool {
		_, isKind := schema.Extensions["x-kubernetes-group-version-kind"]
		return isKind && schema.Extensions["x-go-type"] == nil
	})
	return withoutPaths(&out)
}

// withoutPaths returns a document without its paths, their parameters, and the definitions that only
// paths reach.
func withoutPaths(doc *spec.Swagger) *spec.Swagger {
	if len(doc.Paths.Paths) == 0 {
		return doc
	}
	out := *doc
	out.Paths, out.Parameters, out.Definitions = &spec.Paths{Paths: map[string]spec.PathItem{}}, nil, spec.Definitions{}
	var reach func(name string)
	reach = func(name string) {
		if _, seen := out.Definitions[name]; seen || name == "" {
			return
		}
		out.Definitions[name] = doc.Definitions[name]
		for inner := range walk(doc.Definitions[name]) {
			reach(model.Referenced(inner))
		}
	}
	for name, definition := range doc.Definitions {
		if _, isKind := definition.Extensions["x-kubernetes-group-version-kind"]; isKind {
			reach(name)
		}
	}
	return &out
}
