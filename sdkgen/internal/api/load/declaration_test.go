package load_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestDeclarations loads the projects in testdata/declaration/*.txtar and finds what "find" names, a line each:
// PACKAGE.Type or PACKAGE.Type#property, where the package "api" is that of the project.
func TestDeclarations(t *testing.T) {
	eachCase(t, "declaration/*.txtar", func(t *testing.T, root string, c *testkit.Case) string {
		res, err := load.Load(context.Background(), load.Options{Root: root, Env: testkit.Offline(), Dirs: dirs(c)})
		if err != nil {
			t.Fatal(err)
		}
		all := res.Declarations()
		var b strings.Builder
		for _, query := range strings.Fields(c.Part("find")) {
			goType, property, _ := strings.Cut(query, "#")
			dot := strings.LastIndexByte(goType, '.')
			importPath := goType[:dot]
			if importPath == "api" {
				importPath = res.Packages[0].Path
			}
			fmt.Fprintf(&b, "%s\n", query)
			describe(&b, all.Find(importPath, goType[dot+1:], property), "  ")
		}
		return b.String()
	})
}

func describe(b *strings.Builder, d *load.Declaration, indent string) {
	if d == nil {
		fmt.Fprintf(b, "%snone\n", indent)
		return
	}
	pos := d.Pos.String()
	if filepath.IsAbs(pos) {
		pos = "the module cache" // the line depends on its version
	}
	fmt.Fprintf(b, "%s%s: %s %s %q\n", indent, pos, d.Name, d.Type, d.Markers)
	if d.Of != nil {
		describe(b, d.Of, indent+"  ")
	}
}
