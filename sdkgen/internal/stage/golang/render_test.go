package golang_test

import (
	"bytes"
	"context"
	"encoding/json"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-openapi/spec"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
)

// TestRender sends every case of testdata through both engines with the project's template:
// each definition must come out with its comments and no other, all packages must compile and
// vet, and testdata/main.go, which uses them, must print the JSON that the documents promise.
func TestRender(t *testing.T) {
	dir := testkit.Project(t, &txtar.Archive{
		Comment: []byte("module: golden\n"), // which testdata/main.go imports
		Files:   []txtar.File{{Name: "main.go", Data: testkit.Read(t, "testdata/main.go")}},
	})
	var jobs []render.Job
	for _, c := range testkit.Cases(t, "*.txtar") {
		document := []byte(c.Part("swagger.json"))
		api, err := annotate(testkit.Model(t, document))
		if err != nil || c.Name == "imports" {
			continue // an "error" case; and one of packages that do not exist
		}
		name := strings.ReplaceAll(c.Name, "-", "")
		options := golang.Options()
		options["packageName"] = name
		jobs = append(jobs, render.Job{
			Stage: "go", Name: name, Generator: render.Go, Document: document, API: api, Options: options,
			Templates: os.DirFS("../../../templates/go"), Called: "templates",
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	sets := testkit.Render(t, jobs)
	for i, job := range jobs {
		checkSources(t, sets[i], job)
		if job.Name == "deprecated" {
			checkDeprecated(t, sets[i])
		}
		common, err := runtime.Go(job.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range common {
			testkit.Write(t, dir, path.Join(job.Name, file.Path), file.Data)
		}
		for file := range sets[i].All() {
			if path.Ext(file.Path) != ".go" {
				continue
			}
			testkit.Write(t, dir, path.Join(job.Name, file.Path), file.Data)
			if job.Name == "types" && strings.HasPrefix(file.Path, "model_") {
				testkit.Write(t, dir, path.Join("plain", file.Path), plain(t, file.Data))
			}
		}
	}
	for _, args := range [][]string{{"build", "./..."}, {"vet", "./..."}} {
		runGo(ctx, t, dir, nil, args...)
	}
	documents := map[string]*spec.Swagger{}
	for _, c := range testkit.Cases(t, "*.txtar") {
		documents[c.Name] = &spec.Swagger{}
		if err := json.Unmarshal([]byte(c.Part("swagger.json")), documents[c.Name]); err != nil {
			t.Fatal(err)
		}
	}
	checkJSON(t, runGo(ctx, t, dir, properties(t, documents), "run", "."), documents["defaults"])
}

// plain returns a model's source without methods, so that encoding/json does with the structs as
// their tags say.
func plain(t *testing.T, source []byte) []byte {
	t.Helper()
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	syntax.Name.Name = "plain"
	syntax.Decls = slices.DeleteFunc(syntax.Decls, func(decl ast.Decl) bool {
		function, ok := decl.(*ast.FuncDecl)
		return ok && function.Recv != nil
	})
	var out bytes.Buffer
	if err := format.Node(&out, files, syntax); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// checkSources holds the file of each model against the extension: no file without a model,
// and no comment but the document's.
func checkSources(t *testing.T, set *artifact.Set, job render.Job) {
	t.Helper()
	want := map[string][]string{} // type to comments
	for _, definition := range job.API.Models {
		model := definition.Value.(*golang.Model)
		lines := strings.Split(model.Doc, "\n")
		for _, field := range model.Fields {
			lines = append(lines, strings.Split(strings.ReplaceAll(field.Doc, "\t", ""), "\n")...)
		}
		want[definition.Name] = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}
	for file := range set.All() {
		if !strings.HasPrefix(file.Path, "model_") {
			continue
		}
		if strings.HasSuffix(file.Path, "_test.go") || strings.HasSuffix(file.Path, "_linux.go") {
			t.Errorf("%s/%s is not part of the package everywhere", job.Name, file.Path)
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file.Path, file.Data, parser.ParseComments)
		if err != nil {
			t.Errorf("%s: %v", job.Name, err)
			continue
		}
		var name string
		for object := range syntax.Scope.Objects {
			if _, ok := want[object]; ok {
				name = object
			}
		}
		if d := cmp.Diff(want[name], comments(syntax, name)); d != "" {
			t.Errorf("%s: comments of %s:\n%s", job.Name, path.Base(file.Path), d)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s: there is no %s", job.Name, name)
	}
}

// comments returns those of a model's struct and of the fields that properties have.
func comments(syntax *ast.File, name string) (lines []string) {
	typ := syntax.Scope.Lookup(name).Decl.(*ast.TypeSpec)
	fields := typ.Type.(*ast.StructType).Fields.List
	for _, group := range syntax.Comments {
		if group.Pos() > typ.End() || group == fields[len(fields)-1].Doc {
			continue
		}
		for _, comment := range group.List {
			if !strings.HasPrefix(comment.Text, "// Code generated") {
				lines = append(lines, comment.Text)
			}
		}
	}
	return lines
}

// properties are the objects that testdata/main.go sends through the structs.
func properties(t *testing.T, documents map[string]*spec.Swagger) []string {
	t.Helper()
	var env []string
	for name, definition := range map[string]string{"names": "Names", "tags": "Tags"} {
		values := map[string]string{}
		for key := range documents[name].Definitions[definition].Properties {
			values[key] = "of " + key
		}
		data, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, "GOLDEN_"+name+"="+string(data))
	}
	return env
}

// checkJSON holds what testdata/main.go prints against the documents.
func checkJSON(t *testing.T, output []byte, doc *spec.Swagger) {
	t.Helper()
	var got map[string]map[string]any
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	defaults := map[string]any{}
	filled := []string{"duration", "port", "namedPort", "quantity", "time", "bytes", "list", "map", "object", "anything",
		"requiredList"}
	for key, property := range doc.Definitions["Defaults"].Properties {
		zero := property.Default == nil || property.Default == false || property.Default == "" || property.Default == 0.0
		if !zero && !slices.Contains(filled, key) { // what the API server fills in
			defaults[key] = property.Default
		}
	}
	for _, generated := range []string{"defaults", "new"} {
		if d := cmp.Diff(defaults, got[generated]); d != "" {
			t.Errorf("%s:\n%s", generated, d)
		}
	}
	if d := cmp.Diff(map[string]any{}, got["empty"]); d != "" {
		t.Errorf("an object with nothing set:\n%s", d)
	}
	want := []string{"requiredDuration", "requiredList", "requiredPort", "requiredRef", "requiredTime"}
	if d := cmp.Diff(want, slices.Sorted(maps.Keys(got["required"]))); d != "" {
		t.Errorf("an object with what is required:\n%s", d)
	}
	for _, name := range []string{"names", "tags"} {
		if d := cmp.Diff(got[name+"-in"], got[name+"-out"]); d != "" || len(got[name+"-in"]) == 0 {
			t.Errorf("%s do not come back:\n%s", name, d)
		}
	}
	root := map[string]any{"apiVersion": "example.com/v1beta1", "kind": "SampleList", "metadata": map[string]any{},
		"items": []any{
			map[string]any{"apiVersion": "example.com/v1beta1", "kind": "Sample", "metadata": map[string]any{"name": "x"}},
		}}
	if d := cmp.Diff(root, got["root"]); d != "" {
		t.Errorf("a root kind:\n%s", d)
	}
}

func runGo(ctx context.Context, t *testing.T, dir string, env []string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", args[0], err, stderr.Bytes())
	}
	return out
}
