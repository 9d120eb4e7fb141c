package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The longest that a hand-written Go file and a function in one may be, in lines.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
)

// TestSize holds every hand-written Go file of the module, tests and their data aside, to its longest.
func TestSize(t *testing.T) {
	root, files := ".", 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && name != root):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		return checkSize(t, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("only %d Go files below %s: is the module somewhere else?", files, root)
	}
}

func checkSize(t *testing.T, name string) error {
	t.Helper()
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	if lines := bytes.Count(source, []byte("\n")); lines > maxFileLines {
		t.Errorf("%s: %d lines, at most %d: split the file by what its parts are for", name, lines, maxFileLines)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var body *ast.BlockStmt
		called := "this function literal"
		switch n := n.(type) {
		case *ast.FuncDecl:
			body, called = n.Body, n.Name.Name
		case *ast.FuncLit:
			body = n.Body
		}
		if body == nil {
			return true
		}
		if lines := fset.Position(body.End()).Line - fset.Position(n.Pos()).Line + 1; lines > maxFunctionLines {
			t.Errorf("%s: %s has %d lines, at most %d: move a step of it into a function of its own", fset.Position(n.Pos()),
				called, lines, maxFunctionLines)
		}
		return true
	})
	return nil
}
