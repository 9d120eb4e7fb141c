package testkit

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// Jar returns the pinned jar of this checkout.
func Jar(t *testing.T) *jar.Jar {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(Repository, ".tools", templates.Jar))
	if err != nil {
		t.Fatal(err)
	}
	jar, err := jar.Find(jar.Where{
		Jar: file, SHA256: templates.JarSHA256,
		JavaHome: os.Getenv("JAVA_HOME"), Path: os.Getenv("PATH"), Java: filepath.Join(filepath.Dir(file), "java"),
	})
	if err != nil {
		Missing(t, err.Error())
	}
	return jar
}

// Missing skips a test whose tool is not there, or fails it in CI.
func Missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// Annotations runs testdata/*.txtar: of the document "swagger.json", which annotate prepares for
// the jar, "extension.json" is the extension of each definition that the jar gets to see, or
// "error" is what is said.
func Annotations(t *testing.T, extension string, annotate func(document []byte) ([]byte, error)) {
	t.Helper()
	Each(t, "*.txtar", func(t *testing.T, c *Case) {
		c.Only(t, "swagger.json", "extension.json", "error")
		if !c.Has("swagger.json") {
			t.Fatal("there is no swagger.json")
		}
		document := []byte(c.Part("swagger.json"))
		encoded, err := annotate(document)
		seen, said := "", ""
		if err != nil {
			said = err.Error() + "\n"
		} else {
			seen = extensions(t, encoded, extension)
		}
		c.Want(t, "extension.json", seen)
		c.Want(t, "error", said)
		for range 20 {
			again, err := annotate(document)
			if err == nil && (said != "" || !bytes.Equal(again, encoded)) || err != nil && err.Error()+"\n" != said {
				t.Fatal("a second run gave something else")
			}
		}
	})
}

// extensions returns the extension of each definition. Beside it the jar may see nothing but
// that there are properties.
func extensions(t *testing.T, document []byte, extension string) string {
	t.Helper()
	var doc struct {
		Definitions map[string]map[string]any
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for name, definition := range doc.Definitions {
		found[name] = definition[extension]
		for key, value := range definition {
			if !slices.Contains([]string{"type", "properties", extension}, key) {
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
	return out.String()
}
