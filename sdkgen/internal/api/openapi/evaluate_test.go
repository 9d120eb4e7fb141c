package openapi_test

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/openapi"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// around is what openapi-gen writes around the parts that the tables in testdata/evaluate hold.
var around = map[string]string{
	"default": `"example.org/v1.T": {Schema: spec.Schema{SchemaProps: spec.SchemaProps{Default: %s}}},`,
	"schema":  `"example.org/v1.T": {Schema: spec.Schema{%s}},`,
	"definitions": `package v1

import (
	v1 "k8s.io/api/core/v1"
	common "k8s.io/kube-openapi/pkg/common"
	spec "k8s.io/kube-openapi/pkg/validation/spec"
	ptr "k8s.io/utils/ptr"
)

func GetOpenAPIDefinitions(ref common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	return map[string]common.OpenAPIDefinition{
%s
	}
}
`,
	"file": "%s",
}

// entry is a line of a table: Go source, and what Evaluate makes of it.
type entry struct {
	name, source string
	definitions  openapi.Definitions
	err          error
}

// entries reads a table: each file but "want" is an entry, and the comment says, by "in:", what
// it is put into.
func entries(t *testing.T, c *testkit.Case) []entry {
	t.Helper()
	frame, ok := around[c.Field("in")]
	if !ok {
		t.Fatalf("%s says in: %q", c.Name, c.Field("in"))
	}
	if in := c.Field("in"); in == "default" || in == "schema" {
		frame = fmt.Sprintf(around["definitions"], frame)
	}
	var all []entry
	for _, f := range c.Files {
		if f.Name == "want" {
			continue
		}
		e := entry{name: f.Name, source: fmt.Sprintf(frame, strings.TrimSpace(string(f.Data)))}
		e.definitions, e.err = openapi.Evaluate("", f.Name+".go", []byte(e.source))
		all = append(all, e)
	}
	return all
}

// TestEvaluate evaluates the tables in testdata/evaluate/*.txtar. "want" has a paragraph for each
// entry: the error, or what an entry of a table of defaults, schemas or definitions is. A wrong
// value is what must not be; TestCompiled holds the right ones against the compiler.
func TestEvaluate(t *testing.T) {
	testkit.Each(t, "evaluate/*.txtar", func(t *testing.T, c *testkit.Case) {
		var b strings.Builder
		for _, e := range entries(t, c) {
			fmt.Fprintf(&b, "# %s\n", e.name)
			if e.err != nil {
				checkPosition(t, e)
				fmt.Fprintln(&b, e.err)
				continue
			}
			fmt.Fprintln(&b, strings.TrimSpace(compact(t, e.definitions)))
		}
		c.Want(t, "want", b.String())
	})
}

// checkPosition: an error says where.
func checkPosition(t *testing.T, e entry) {
	t.Helper()
	for _, d := range diag.Of(e.err) {
		if d.Pos.Filename != e.name+".go" {
			t.Errorf("%s: the error has no position: %v", e.name, d)
		}
	}
}

// compact encodes definitions; of the one in a table of defaults or schemas, only that.
func compact(t *testing.T, definitions openapi.Definitions) string {
	t.Helper()
	var value any = definitions
	if only, ok := definitions["example.org/v1.T"]; ok && len(definitions) == 1 && only.Dependencies == nil {
		value = only.Schema
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// modelName and method are the calls in Kubernetes' own generated files that Evaluate refuses.
var (
	modelName = regexp.MustCompile(`(\w+)\.(\w+)\{\}\.OpenAPIModelName\(\)`)
	method    = regexp.MustCompile(
		`(?s)\nfunc (schema_\w+)\(ref [^\n]*\n[^\n]*(?:\n[\t ][^\n]*)*?OpenAPISchemaType\(\).*?\n}\n`)
)

// TestSameAsKubernetes compares what Evaluate makes of the largest generated file in the module cache
// with what the compiled file returns. The
// names that its methods would give are put in beforehand, and the definitions left out that its
// methods make.
func TestSameAsKubernetes(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}",
		"k8s.io/apiextensions-apiserver/pkg/generated/openapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	source := string(testkit.Read(t, filepath.Join(strings.TrimSpace(string(out)), "zz_generated.openapi.go")))
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]string{}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		models[spec.Name.Name] = "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(path, "k8s.io/"), "/", ".")
	}
	source = modelName.ReplaceAllStringFunc(source, func(call string) string {
		parts := modelName.FindStringSubmatch(call)
		return `"` + models[parts[1]] + "." + parts[2] + `"`
	})
	for _, generated := range method.FindAllStringSubmatch(source, -1) {
		source = strings.Replace(source, generated[0], "\nfunc "+generated[1]+
			"(ref common.ReferenceCallback) common.OpenAPIDefinition {\n\treturn common.OpenAPIDefinition{}\n}\n", 1)
	}
	got, err := openapi.Evaluate("", "zz_generated.openapi.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	want := openapi.Definitions(apiextensions.GetOpenAPIDefinitions(openapi.Ref))
	compared := 0
	for name, definition := range want {
		switch evaluated, ok := got[name]; {
		case !ok:
			t.Errorf("%s was not evaluated", name)
		case reflect.DeepEqual(evaluated, common.OpenAPIDefinition{}):
		case !reflect.DeepEqual(evaluated, definition):
			t.Errorf("%s: %s", name, cmp.Diff(testkit.Encode(t, definition), testkit.Encode(t, evaluated)))
		default:
			compared++
		}
	}
	if len(got) != len(want) || compared < 100 {
		t.Errorf("%d definitions are the same; there are %d, and %d were evaluated", compared, len(want), len(got))
	}
}

// TestCompiled holds the entries of all tables that are no error against the compiler, but for
// those with a constant, which is declared nowhere.
func TestCompiled(t *testing.T) {
	root := testkit.Project(t, &txtar.Archive{})
	evaluated := map[string]entry{}
	for _, c := range testkit.Cases(t, "evaluate/*.txtar") {
		for _, e := range entries(t, c) {
			if e.err != nil || testkit.HasConstant(e.definitions) {
				continue
			}
			dir := c.Name + "/" + e.name
			evaluated[testkit.ModulePath+"/"+dir] = e
			for _, imported := range []string{"v1", "ptr", "spec"} { // what is imported must be used
				if !regexp.MustCompile(`[^\w/]` + imported + `\.`).MatchString(e.source) {
					e.source = regexp.MustCompile(`(?m)^\t`+imported+` ".*"$`).ReplaceAllString(e.source, "")
				}
			}
			testkit.Write(t, root, dir+"/source.go", []byte(e.source))
		}
	}
	for path, compiled := range testkit.Definitions(t, root, slices.Sorted(maps.Keys(evaluated))) {
		if want, got := testkit.Encode(t, compiled), testkit.Encode(t, evaluated[path].definitions); want != got {
			t.Errorf("%s (-compiled +evaluated): %s", path, cmp.Diff(want, got))
		}
	}
	if len(evaluated) < 30 {
		t.Errorf("only %d entries can be compiled", len(evaluated))
	}
}

// FuzzEvaluate: whatever the file holds, Evaluate ends, and says where it stops.
func FuzzEvaluate(f *testing.F) {
	for _, part := range []string{
		`"a.T": {Schema: spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Default: -1.5e3}}, Dependencies: []string{"b.T"}},`,
		`"a.T": schema_T(ref), v1.Pod{}.OpenAPIModelName(): schema_T(ref),`,
		`"a.T": {Schema: spec.Schema{SchemaProps: spec.SchemaProps{Ref: ref("a.T"), Minimum: ptr.To[float64](1), Items: &spec.SchemaOrArray{Schema: &spec.Schema{}}}}},`,
		`"a.T": {Schema: spec.Schema{VendorExtensible: spec.VendorExtensible{Extensions: spec.Extensions{"x-a": []interface{}{map[string]interface{}{"a": interface{}(nil)}}}}}},`,
		`"a.T": GetOpenAPIDefinitions(ref),`,
		`"a.T": {Schema: spec.Schema{SchemaProps: spec.SchemaProps{Default: v1.PullAlways, Properties: map[string]spec.Schema{"a": {SchemaProps: spec.SchemaProps{Default: Constant}}}}}},`,
		`"a.T": {Schema: spec.Schema{SchemaProps: spec.SchemaProps{Default: -true, Enum: []interface{}{"a" + "b", nil, v1.X}}}},`,
	} {
		f.Add(fmt.Sprintf(around["definitions"], part))
	}
	f.Fuzz(func(t *testing.T, source string) {
		definitions, err := openapi.Evaluate("", "input.go", []byte(source))
		if err == nil {
			if _, err := json.Marshal(definitions); err != nil {
				t.Errorf("the definitions have no JSON: %v", err)
			}
			return
		}
		for _, d := range diag.Of(err) {
			if d.Pos.Filename != "input.go" && !strings.Contains(source, "line") { // a line directive names another file
				t.Errorf("no position: %v", d)
			}
		}
	})
}
