package config_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// beyond are the parser's messages for what a schema cannot say. All else that the parser refuses, the schema
// refuses too.
var beyond = []reason{
	{regexp.MustCompile(`is listed twice$`), "two items of a list have one key"},
	{regexp.MustCompile(`^\d+ API packages would be written to one directory$`), "one section depends on another"},
	{regexp.MustCompile(`^clients\.\w+ and clients\.\w+ are both`), "one key depends on another"},
	{regexp.MustCompile(`^generator names a jar, which only the engine`), "as before"},
	{regexp.MustCompile(`^invalid pattern "`), "the language of path.Match is no regular one"},
	{regexp.MustCompile(`^apis\[\d+\]\.package: (malformed|invalid) import path "`),
		"the rules of an import path are more than a pattern"},
	{regexp.MustCompile(`: ".*\w/\.\./\.\.[^"]*" is not a path inside the project$`),
		"the path leaves the project behind a directory of it"},
	{regexp.MustCompile(`^version: "[^"]*" is not a valid version$`),
		"the text of a number is not in the document: +1, .inf, 1_000"},
	{regexp.MustCompile(`^(crd\.)?year: "[^"]*" is not a year`), "as for the version"},
}

type reason struct {
	message *regexp.Regexp
	why     string
}

// structural says that no reason of an error is beyond a schema.
func structural(err error) bool {
	list, _ := errors.AsType[diag.List](err)
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool {
		return !slices.ContainsFunc(beyond, func(reason reason) bool { return reason.message.MatchString(d.Message) })
	})
}

// TestSchemaAgrees holds the parser and sdkgen.schema.json against each other, over all configurations of the
// tests and of the repository, and over mutations of those that the parser takes: what the schema refuses the
// parser refuses, and what the parser refuses the schema refuses, but for the reasons above.
func TestSchemaAgrees(t *testing.T) {
	validate := validator(t)
	refused, tried := 0, map[string]bool{}
	files := corpus(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		var doc any
		if err := yaml.Unmarshal(data, &doc); err != nil || strings.Contains(string(data), "\n---\n") {
			if _, err := config.Parse(name, data); err == nil {
				t.Errorf("%s is not one document, and the parser takes it", name)
			}
			continue
		}
		if !agree(t, validate, name, data) {
			refused++
			continue
		}
		for _, change := range mutations(plain(doc)) {
			if id := change.what + shape(section(doc, change.what)); tried[id] {
				continue
			} else {
				tried[id] = true
			}
			mutant, err := yaml.Marshal(change.doc)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, validate, name+", "+change.what, mutant)
		}
	}
	if refused < 10 || len(tried) < 2000 {
		t.Errorf("only %d bad configurations and %d mutations", refused, len(tried))
	}
}

// agree compares the parser's answer with the schema's, and returns the parser's.
func agree(t *testing.T, validate func([]byte) error, name string, data []byte) bool {
	t.Helper()
	_, parse := config.Parse("sdkgen.yaml", data)
	valid := validate(data)
	switch {
	case valid != nil && parse == nil:
		t.Errorf("%s: the parser takes it, but the schema does not: %v\n%s", name, valid, data)
	case valid == nil && parse != nil && structural(parse):
		t.Errorf("%s: the schema takes it, but the parser does not: %v\n%s", name, parse, data)
	}
	return parse == nil
}

// validator compiles sdkgen.schema.json.
func validator(t *testing.T) func([]byte) error {
	t.Helper()
	file, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaID, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(schemaID)
	if err != nil {
		t.Fatal(err)
	}
	return func(data []byte) error {
		var doc any
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatal(err)
		}
		return compiled.Validate(plain(doc))
	}
}

// corpus is every sdkgen.yaml of the tests and of the repository, by file.
func corpus(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, glob := range []string{"testdata/*.txtar", "../cli/testdata/*/*.txtar"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", glob, err)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if strings.HasSuffix(f.Name, ".yaml") && strings.HasPrefix(f.Name, "sdkgen") {
					all[file+" "+f.Name] = f.Data
				}
			}
		}
	}
	for _, glob := range []string{"../../../sdkgen.yaml", "../../../examples/*/*/sdkgen.yaml",
		"../../test/*/testdata/sdkgen.yaml", "../cli/testdata/project/sdkgen.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", glob, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all[file] = data
		}
	}
	return all
}

// plain turns what YAML decodes to into what JSON does.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, item := range value {
			value[key] = plain(item)
		}
	case map[any]any:
		keys := map[string]any{}
		for key, item := range value {
			keys[fmt.Sprint(key)] = plain(item)
		}
		return keys
	case []any:
		for i, item := range value {
			value[i] = plain(item)
		}
	case time.Time:
		return value.Format(time.DateOnly)
	}
	return value
}

// section is the part of a document that a mutation is in.
func section(doc any, what string) any {
	key, _, _ := strings.Cut(what, ":")
	sections, _ := doc.(map[string]any)
	return sections[key]
}

// shape is a document's keys, without the values.
func shape(doc any) string {
	var b strings.Builder
	switch doc := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(doc)) {
			b.WriteString(key + "{" + shape(doc[key]) + "}")
		}
	case []any:
		for _, item := range doc {
			b.WriteString("[" + shape(item) + "]")
		}
	}
	return b.String()
}

type mutation struct {
	what string
	doc  any
}

// values take the place of others.
var values = []any{
	nil, true, 7, -7, 1.5, "", "x", "a b", "1.0", "2026", "2023, 2026", "../x", "/x", "./../x", "..", "a/../x",
	"a/../../x", `a\b`, "a..b", "{version}", "[", "docs/", strings.Repeat("a", 64),
	[]any{}, []any{"x"}, []any{nil}, []any{7}, []any{map[string]any{}}, map[string]any{}, map[string]any{"x": "y"},
	map[string]any{"dir": "d"},
	map[string]any{"dir": "d", "package": "p"}, []any{map[string]any{"path": "p"},
		map[string]any{"package": "a.b/c", "dir": "d"}},
}

// mutations returns copies of a document, each with one change: a key or item removed or added, or a value
// replaced.
func mutations(doc any) []mutation {
	var out []mutation
	for i, value := range values {
		out = append(out, mutation{fmt.Sprintf("value %d", i), value})
	}
	switch doc := doc.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(doc)) {
			without := maps.Clone(doc)
			delete(without, key)
			out = append(out, mutation{"without " + key, without})
			for _, m := range mutations(doc[key]) {
				with := maps.Clone(doc)
				with[key] = m.doc
				out = append(out, mutation{key + ": " + m.what, with})
			}
		}
		for _, key := range []string{"unknown", "version", "year", "keep", "crd", "rules", "generator", "python", "dir",
			"path", "package", "sha256", "templates", "overlay"} {
			if _, has := doc[key]; has {
				continue
			}
			for i, value := range values {
				with := maps.Clone(doc)
				with[key] = value
				out = append(out, mutation{fmt.Sprintf("with %s, value %d", key, i), with})
			}
		}
	case []any:
		for i := range doc {
			out = append(out, mutation{fmt.Sprintf("without item %d", i), slices.Delete(slices.Clone(doc), i, i+1)})
			for _, m := range mutations(doc[i]) {
				with := slices.Clone(doc)
				with[i] = m.doc
				out = append(out, mutation{fmt.Sprintf("item %d: %s", i, m.what), with})
			}
		}
		for i, value := range values {
			out = append(out, mutation{fmt.Sprintf("and value %d", i), append(slices.Clone(doc), value)})
		}
	}
	return out
}
