package gosdk_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/internal/gosdk"
	"github.com/flux-framework/flux-operator/internal/swagger"
)

var update = flag.Bool("update", false, "rewrite what testdata/*.txtar expect")

// TestAnnotate runs testdata/*.txtar: of the document "swagger.json", "extension.json" is the
// extension of each definition that the jar gets to see, or "error" is what is said.
func TestAnnotate(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			got := txtar.File{Name: "extension.json"}
			encoded, err := annotate(c.swagger)
			if err != nil {
				got = txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
			} else {
				got.Data = extensions(t, encoded)
			}
			if *update {
				c.write(t, got)
				return
			}
			if d := cmp.Diff(string(c.archive.Files[1].Data), string(got.Data)); d != "" || c.archive.Files[1].Name != got.Name {
				t.Errorf("%s:\n%s", got.Name, d)
			}
			for range 20 {
				again, err := annotate(c.swagger)
				if err == nil && !bytes.Equal(again, encoded) || err != nil && err.Error()+"\n" != string(got.Data) {
					t.Fatal("a second run gave something else")
				}
			}
		})
	}
}

// annotated is one case of testdata.
type annotated struct {
	name    string
	file    string
	archive *txtar.Archive
	swagger []byte
}

func cases(t *testing.T) []annotated {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var out []annotated
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(archive.Files) != 2 && !*update || archive.Files[0].Name != "swagger.json" {
			t.Fatalf("%s: want swagger.json, then extension.json or error (run with -update)", file)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		out = append(out, annotated{name, file, archive, archive.Files[0].Data})
	}
	return out
}

func (c annotated) write(t *testing.T, got txtar.File) {
	t.Helper()
	c.archive.Files = append(c.archive.Files[:1], got)
	if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// annotate returns the document as the jar gets it.
func annotate(document []byte) ([]byte, error) {
	doc, err := swagger.Decode(document)
	if err != nil {
		return nil, err
	}
	out, err := gosdk.Annotate(doc)
	if err != nil {
		return nil, err
	}
	return swagger.Encode(out)
}

// extensions returns the extension of each definition. Beside it the jar may see nothing but
// that there are properties.
func extensions(t *testing.T, document []byte) []byte {
	t.Helper()
	var doc struct {
		Definitions map[string]map[string]any
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for name, definition := range doc.Definitions {
		found[name] = definition[gosdk.Extension]
		for key, value := range definition {
			if !slices.Contains([]string{"type", "properties", gosdk.Extension}, key) {
				t.Errorf("%s: the jar sees %s: %v", name, key, value)
			}
		}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(found); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
