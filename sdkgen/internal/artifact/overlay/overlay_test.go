package overlay_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact/overlay"
)

var update = flag.Bool("update", false, "rewrite what testdata/*.txtar expect")

// TestApply runs testdata/*.txtar. "rules" has lines "replace PATTERN" and "drop PATTERN"; files
// below "generated/" and "templates/" are the two sets; "out" has what is left, a line "PATH:
// TEXT" each, or "error" what is said.
func TestApply(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, got := apply(t, archive)
			if *update {
				name, data, _ := strings.Cut(got, "\n")
				last := len(archive.Files) - 1
				if old := archive.Files[last].Name; old != "out" && old != "error" {
					t.Fatalf("%s ends with %s, not with out or error", file, old)
				}
				archive.Files[last] = txtar.File{Name: name, Data: []byte(data)}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s", d)
			}
			for range 20 {
				if _, again := apply(t, archive); again != got {
					t.Fatal("a second run gave something else")
				}
			}
		})
	}
}

func apply(t *testing.T, archive *txtar.Archive) (want, got string) {
	t.Helper()
	var generated, templates artifact.Set
	var rules overlay.Rules
	put := func(set *artifact.Set, name, origin string, data []byte) {
		if err := set.Put(artifact.File{Path: name, Data: data, Origin: origin}); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range archive.Files {
		if name, ok := strings.CutPrefix(file.Name, "generated/"); ok {
			put(&generated, name, "jar", file.Data)
			continue
		}
		if name, ok := strings.CutPrefix(file.Name, "templates/"); ok {
			put(&templates, name, "overlay", file.Data)
			continue
		}
		switch file.Name {
		case "rules":
			rules = parse(t, string(file.Data))
		case "out", "error":
			want = file.Name + "\n" + string(file.Data)
		default:
			t.Fatalf("what is %q?", file.Name)
		}
	}
	counts := [2]int{generated.Len(), templates.Len()}
	out, err := overlay.Apply("sdk/x", &generated, &templates, rules)
	if counts != [2]int{generated.Len(), templates.Len()} {
		t.Error("an argument was changed")
	}
	if err != nil {
		return want, "error\n" + err.Error() + "\n"
	}
	var b strings.Builder
	for file := range out.All() {
		fmt.Fprintf(&b, "%s: %s, %s\n", file.Path, file.Origin, strings.TrimSpace(string(file.Data)))
	}
	return want, "out\n" + b.String()
}

func parse(t *testing.T, text string) (rules overlay.Rules) {
	t.Helper()
	for line := range strings.Lines(text) {
		verb, pattern, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch verb {
		case "replace":
			rules.Replace = append(rules.Replace, pattern)
		case "drop":
			rules.Drop = append(rules.Drop, pattern)
		default:
			t.Fatalf("rule %q", line)
		}
	}
	return rules
}

// TestMode checks that an executable template stays one.
func TestMode(t *testing.T) {
	var generated, templates artifact.Set
	if err := templates.Put(artifact.File{Path: "run.sh", Data: []byte("#!/bin/sh\n"), Mode: 0o755,
		Origin: "overlay"}); err != nil {
		t.Fatal(err)
	}
	out, err := overlay.Apply("sdk/x", &generated, &templates, overlay.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	if file, _ := out.Lookup("run.sh"); file.Mode != 0o755 {
		t.Errorf("mode %v", file.Mode)
	}
}
