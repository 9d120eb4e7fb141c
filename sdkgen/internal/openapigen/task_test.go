package openapigen_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/cache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/openapigen"
	"github.com/flux-framework/flux-operator/sdkgen/internal/prose"
)

// texts is a document with a text on its model.
func texts(t *testing.T, text, property string) []byte {
	t.Helper()
	quoted, err := json.Marshal(prose.Text(text))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"swagger": "2.0", "info": {"title": "t", "version": "v1"}, "paths": {}, "definitions": {
		"Island": {"type": "object", "x-text": %s, "properties": {%q: {"type": "string"}}}}}`, quoted, property)
}

// TestKeep: the jar makes nothing twice that differs in texts alone, and everything else anew.
func TestKeep(t *testing.T) {
	jar, templates, kept := findJar(t), t.TempDir(), t.TempDir()
	jar.Keep(cache.New(kept))
	model := filepath.Join(templates, "model.mustache")
	const template = "{{#models}}{{#model}}package {{packageName}}\n\n// {{vendorExtensions.x-text}}\n// {{{vendorExtensions.x-text}}}\nvar   {{classname}} =   \"{{#vars}}{{baseName}}{{/vars}}\"\n{{/model}}{{/models}}"
	write(t, model, template, 0o644)
	one := job("go", "go", templates)
	check := func(what string, starts int, text, property string) {
		t.Helper()
		one.Spec = texts(t, text, property)
		var log bytes.Buffer
		sets, err := jar.Run(t.Context(), slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), t.TempDir(), []openapigen.Job{one})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if n := strings.Count(log.String(), "starting openapi-generator"); n != starts {
			t.Errorf("%s: %d processes, not %d", what, n, starts)
		}
		file, _ := sets[0].Lookup("model_island.go")
		if got, want := string(file.Data), fmt.Sprintf("// %s\n// %s\nvar Island = %q\n", text, text, property); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, not %s", what, got, want)
		}
	}
	check("the first run", 1, `a <b> & "c" \ d`, "e")
	check("the same", 0, `a <b> & "c" \ d`, "e")
	check("another text", 0, "ümläut {{classname}} // */", "e")
	check("another property", 1, "a", "f")
	check("the one before", 0, "b", "e")
	write(t, model, "\n"+template, 0o644)
	check("another template", 1, "a", "e")
	one.Config["packageName"] = "other"
	check("another option", 1, "a", "e")
	entries, err := os.ReadDir(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		write(t, filepath.Join(kept, entry.Name()), "damaged", 0o644)
	}
	check("damaged entries", 1, "a", "e")
	check("mended entries", 0, "a", "e")
	jar.Keep(nil)
	check("without a cache", 1, "a", "e")
}
