package load

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/parser"
	"k8s.io/gengo/v2/types"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

func gengoParser() *parser.Parser {
	return parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
}

// TestParserFields says whether the pinned gengo still has the private fields that Parser
// sets. Where it fails, look at k8s.io/gengo/v2/parser and set what its loading sets now.
func TestParserFields(t *testing.T) {
	if _, err := fieldsOf(gengoParser()); err != nil {
		t.Fatalf("every run loads all packages a second time: %v", err)
	}
}

// TestSameUniverse compares what gengo sees of an API in the packages that are loaded
// already with what it sees where it loads them by itself, which Parser falls back to.
func TestSameUniverse(t *testing.T) {
	root, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("this", func(t *testing.T) {
		sameUniverse(t, Options{Root: root, Env: os.Environ(), Dirs: []string{"api/v1alpha1"}}, 60)
	})
	testkit.Each(t, "universe/*.txtar", func(t *testing.T, c *testkit.Case) {
		sameUniverse(t, Options{Root: testkit.Project(t, c.Archive), Env: testkit.Offline(), Dirs: []string{"api/v1"}}, 300)
	})
}

func sameUniverse(t *testing.T, opts Options, atLeast int) {
	t.Helper()
	res, err := Load(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	injected, err := res.Parser()
	if err != nil {
		t.Fatal(err)
	}
	alone := gengoParser()
	if err := res.loadAgain(alone, nil); err != nil {
		t.Fatal(err)
	}
	path := res.Packages[0].Path
	got, want := universe(t, injected, path), universe(t, alone, path)
	if len(want.Types) < atLeast {
		t.Errorf("only %d types are compared", len(want.Types))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-gengo alone +injected)\n%s", d)
	}
}

// view is what generators read of an API package and of all types that it reaches.
type view struct {
	Name, Path, Dir string
	Comments, Doc   []string
	Imports         []string
	Inputs          []string
	Functions       []string
	Constants       map[string]string
	Types           map[string]typeView
}

type typeView struct {
	Kind                types.Kind
	Comments, Detached  []string
	Members             []memberView
	Elem, Key, Underlay string
	Methods             []string
	Len                 int64
}

type memberView struct {
	Name, Type, Tags string
	Embedded         bool
	Comments         []string
}

func universe(t *testing.T, p *parser.Parser, path string) view {
	t.Helper()
	ctx, err := generator.NewContext(p, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	pkg := ctx.Universe.Package(path)
	v := view{
		Name: pkg.Name, Path: pkg.Path, Dir: pkg.Dir, Comments: pkg.Comments, Doc: pkg.DocComments, Inputs: ctx.Inputs,
		Imports:   slices.Sorted(maps.Keys(pkg.Imports)),
		Functions: slices.Sorted(maps.Keys(pkg.Functions)),
		Constants: map[string]string{}, Types: map[string]typeView{},
	}
	for name, constant := range pkg.Constants {
		v.Constants[name] = constant.Underlying.String() + " " + *constant.ConstValue
	}
	for _, typ := range pkg.Types {
		v.add(typ)
	}
	return v
}

// add adds a type and those it is made of.
func (v view) add(t *types.Type) {
	if t == nil {
		return
	}
	if _, ok := v.Types[t.String()]; ok {
		return
	}
	name := func(t *types.Type) string {
		if t == nil {
			return ""
		}
		return t.String()
	}
	out := typeView{
		Kind: t.Kind, Comments: t.CommentLines, Detached: t.SecondClosestCommentLines, Len: t.Len,
		Elem: name(t.Elem), Key: name(t.Key), Underlay: name(t.Underlying), Methods: slices.Sorted(maps.Keys(t.Methods)),
	}
	for _, m := range t.Members {
		out.Members = append(out.Members, memberView{m.Name, m.Type.String(), m.Tags, m.Embedded, m.CommentLines})
	}
	v.Types[t.String()] = out
	for _, part := range []*types.Type{t.Elem, t.Key, t.Underlying} {
		v.add(part)
	}
	for _, m := range t.Members {
		v.add(m.Type)
	}
}
