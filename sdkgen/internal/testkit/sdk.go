package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
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

// Annotations runs testdata/*.txtar: of the document "swagger.json", "extension.json" has what the templates see of
// each model by annotate, or "error" its error.
func Annotations(t *testing.T, annotate func(*model.API) (render.API, error)) {
	t.Helper()
	Each(t, "*.txtar", func(t *testing.T, c *Case) {
		c.Only(t, "swagger.json", "extension.json", "error")
		if !c.Has("swagger.json") {
			t.Fatal("there is no swagger.json")
		}
		Annotation(t, c, "extension.json", annotate, func(api render.API) map[string]any {
			models := map[string]any{}
			for _, model := range api.Models {
				models[model.Name] = model.Value
			}
			return models
		})
	})
}

// Annotation holds the values of an API against the part of a case with that name, and the error against "error".
func Annotation(
	t *testing.T, c *Case, name string, annotate func(*model.API) (render.API, error),
	values func(render.API) map[string]any,
) {
	t.Helper()
	described := Model(t, []byte(c.Part("swagger.json")))
	run := func() (encoded, message string) {
		api, err := annotate(described)
		if err != nil {
			return "", err.Error() + "\n"
		}
		return Encode(t, values(api)), ""
	}
	encoded, message := run()
	c.Want(t, name, encoded)
	c.Want(t, "error", message)
	for range 20 {
		if again, other := run(); again != encoded || other != message {
			t.Fatal("a second run gave something else")
		}
	}
}
