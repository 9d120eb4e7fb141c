// Package pyuse checks how Python that people write by hand uses a generated SDK: that the modules,
// the classes and the attributes that it names are those that the SDK has.
//
// It knows the types of values as far as they can be seen: by constructors, annotations and what
// follows from them, within one file. What it does not know it leaves alone, so that what it finds
// is wrong.
package pyuse

import (
	"errors"
	"go/token"
	"slices"
	"sync"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
)

// The rules.
const (
	SyntaxRule    = "python_syntax"    // the file is Python
	ImportRule    = "python_import"    // a module, or a name in one, exists
	KeywordRule   = "python_keyword"   // a model's constructor takes the keyword
	AttributeRule = "python_attribute" // a model has the attribute
	KeyRule       = "python_key"       // a model's manifest, or table of attributes, has the key
)

// SDK is a generated package.
type SDK struct {
	Package string                 // its name in imports
	Files   *artifact.Set          // what will be installed, with paths such as PACKAGE/models/x.py
	Models  map[string][]Attribute // by class
}

// Attribute is one of a model.
type Attribute struct {
	Name string
	Key  string // in the manifest
	Type string // as openapi_types spells it: list[int], dict(str, X)
}

// File is one that was written by hand.
type File struct {
	Path   string // in findings
	Inside string // its path in the SDK's directory, such as PACKAGE/client.py; "" if it is no part of it
	Data   []byte
}

// Check returns what is wrong in files that use the SDK, sorted.
func (f *Facts) Check(files []File) diag.List {
	var list diag.List
	for i, parsed := range parse(files) {
		file := files[i]
		if broken, ok := errors.AsType[*python.Error](parsed.err); ok {
			list.Add(position(file.Path, broken.Pos), SyntaxRule, "correct it: nothing else in the file was checked", "%s", broken.Message)
			continue
		}
		c := &checker{facts: f, file: file.Path}
		if file.Inside != "" {
			c.module, c.isPackage = moduleName(file.Inside)
		}
		c.check(parsed.body)
		list = append(list, c.list...)
	}
	return list.Sorted()
}

// parsed is what a file says.
type parsed struct {
	body []python.Stmt
	err  error
}

// parse reads files, all at once.
func parse(files []File) []parsed {
	all := make([]parsed, len(files))
	var work sync.WaitGroup
	for i, file := range files {
		work.Go(func() { all[i].body, all[i].err = python.Parse(file.Data) })
	}
	work.Wait()
	return all
}

// Common returns the findings of all lists that have their like, by position and rule, in each.
func Common(lists []diag.List) diag.List {
	if len(lists) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(lists[0]), func(d diag.Diagnostic) bool {
		return slices.ContainsFunc(lists, func(list diag.List) bool {
			return !slices.ContainsFunc(list, func(o diag.Diagnostic) bool { return o.Rule == d.Rule && o.Pos == d.Pos })
		})
	})
}

func position(file string, pos python.Pos) token.Position {
	return token.Position{Filename: file, Line: pos.Line, Column: pos.Column}
}
