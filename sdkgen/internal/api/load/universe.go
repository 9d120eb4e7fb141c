package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/packages"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/parser"
)

// Parser returns a gengo parser that holds the API packages and all they import. It takes the
// packages of more, which they import, for API packages too.
//
// gengo has no way to take packages that are loaded already: on its own it lists them
// twice, and parses and checks all of them (some 270, standard library included) with
// function bodies, which is most of what its tools spend. Parser therefore sets the four
// private fields that gengo's own loading would set. TestParserFields holds them against
// the pinned version; where they do not match, gengo loads the packages itself, which
// gives the same output in more time.
func (r *Result) Parser(more ...string) (*parser.Parser, error) {
	p := parser.NewWithOptions(parser.Options{BuildTags: []string{gengo.StdBuildTag}})
	fields, err := fieldsOf(p)
	if err != nil {
		return p, r.loadAgain(p, more)
	}
	r.fill(fields)
	for _, path := range more {
		(*fields.userRequested)[path] = true
	}
	return p, nil
}

// loadAgain has gengo load the packages by itself.
func (r *Result) loadAgain(p *parser.Parser, more []string) error {
	paths := slices.Clone(more)
	for _, pkg := range r.Packages {
		paths = append(paths, pkg.Path)
	}
	if err := p.LoadPackagesWithConfigForTesting(&r.config, paths...); err != nil {
		return fmt.Errorf("loading packages for gengo: %w", err)
	}
	return nil
}

// parserFields are the private fields of gengo's parser.
type parserFields struct {
	goPkgs        *map[string]*packages.Package
	userRequested *map[string]bool
	fset          **token.FileSet
	comments      reflect.Value // map[fileLine]*ast.CommentGroup, fileLine being struct{file string; line int}
}

func fieldsOf(p *parser.Parser) (*parserFields, error) {
	v := reflect.ValueOf(p).Elem()
	field := func(name string) (reflect.Value, error) {
		f := v.FieldByName(name)
		if !f.IsValid() {
			return f, fmt.Errorf("gengo's parser has no field %s", name)
		}
		return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())), nil
	}
	out := &parserFields{}
	var err error
	if out.goPkgs, err = assign[map[string]*packages.Package](field("goPkgs")); err != nil {
		return nil, err
	}
	if out.userRequested, err = assign[map[string]bool](field("userRequested")); err != nil {
		return nil, err
	}
	if out.fset, err = assign[*token.FileSet](field("fset")); err != nil {
		return nil, err
	}
	comments, err := field("endLineToCommentGroup")
	if err != nil {
		return nil, err
	}
	out.comments = comments.Elem()
	return out, checkComments(out.comments.Type())
}

func assign[T any](ptr reflect.Value, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	out, ok := ptr.Interface().(*T)
	if !ok {
		return nil, fmt.Errorf("gengo's parser has a field of type %s where %s was", ptr.Type().Elem(), reflect.TypeFor[T]())
	}
	return out, nil
}

func checkComments(t reflect.Type) error {
	if t.Kind() != reflect.Map || t.Elem() != reflect.TypeFor[*ast.CommentGroup]() || t.Key().Kind() != reflect.Struct ||
		t.Key().NumField() != 2 || t.Key().Field(0).Type.Kind() != reflect.String ||
		t.Key().Field(1).Type.Kind() != reflect.Int {
		return fmt.Errorf("gengo's parser keeps comments in a %s", t)
	}
	return nil
}

// fill puts the loaded packages into gengo's parser, as its own loading would.
func (r *Result) fill(p *parserFields) {
	*p.fset = r.fset
	roots := make([]*packages.Package, 0, len(r.Packages))
	for _, pkg := range r.Packages {
		(*p.userRequested)[pkg.Path] = true
		roots = append(roots, pkg.Source.Package)
	}
	keyType := p.comments.Type().Key()
	packages.Visit(roots, nil, func(pkg *packages.Package) {
		(*p.goPkgs)[pkg.PkgPath] = pkg
		for _, file := range pkg.Syntax {
			for _, group := range file.Comments {
				end := r.fset.Position(group.End())
				key := reflect.New(keyType).Elem()
				setPrivate(key.Field(0)).SetString(end.Filename)
				setPrivate(key.Field(1)).SetInt(int64(end.Line))
				p.comments.SetMapIndex(key, reflect.ValueOf(group))
			}
		}
	})
}

// setPrivate returns a settable view of an addressable private field.
func setPrivate(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}
