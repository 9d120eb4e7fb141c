package mustache_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/mustache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// values are what the templates of these tests are rendered over.
const values = `{
	"a": "text", "b": "<b> & \"c\" 'd' ` + "`e` = f" + `", "void": "", "yes": true, "no": false, "zero": 0, "n": 42,
	"list": [{"a": "1", "x": "one"}, {"x": "two"}, {"a": "3", "sub": [{"y": "s"}, {"y": "t"}]}],
	"none": [], "words": ["v", "<w>", ""], "nested": [["p", "q"], [], ["r"]],
	"map": {"a": "in", "deep": {"er": {"z": "Z"}}, "void": "", "list": [{"x": "i"}]}, "hollow": {}
}`

// byJar renders templates through openapi-generator, in the values.
func byJar(t *testing.T, templates, partials map[string]string) map[string]string {
	t.Helper()
	files := fstest.MapFS{}
	for name, text := range partials {
		files[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
	}
	for name, text := range templates {
		// Taken in, so that it is a template of its own in a context that has nothing but the values.
		files[name+".mustache"] = &fstest.MapFile{Data: []byte(text)}
		files["project/"+name+".txt.mustache"] = &fstest.MapFile{Data: []byte("{{#openAPI.info.extensions.x-values}}{{>" +
			name + "}}{{/openAPI.info.extensions.x-values}}")}
	}
	document := `{"swagger": "2.0", "info": {"title": "t", "version": "v1", "x-values": ` + values +
		`}, "paths": {}, "definitions": {}}`
	sets, err := testkit.Jar(t).Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), []render.Job{{
		Stage: "test", Name: "test", Generator: render.Python, Document: []byte(document), Templates: files,
		Called: "templates",
		Options: map[string]any{"packageName": "made",
			"globalProperties": map[string]any{"models": "", "supportingFiles": "x"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	rendered := map[string]string{}
	for name := range templates {
		file, ok := sets[0].Lookup(name + ".txt")
		if !ok {
			t.Fatalf("openapi-generator made no %s.txt", name)
		}
		rendered[name] = string(file.Data)
	}
	return rendered
}

// renderText renders a template of the tests.
func renderText(t *testing.T, name, text string, partials map[string]*mustache.Template) string {
	t.Helper()
	template, list := mustache.Parse(name, text)
	if len(list) > 0 {
		t.Fatalf("%s: %v\n%s", name, list, text)
	}
	var data map[string]any
	dec := json.NewDecoder(bytes.NewReader([]byte(values)))
	dec.UseNumber()
	if err := dec.Decode(&data); err != nil {
		t.Fatal(err)
	}
	out, err := template.Render(data, partials)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return out
}

func parse(t *testing.T, texts map[string]string) map[string]*mustache.Template {
	t.Helper()
	parsed := map[string]*mustache.Template{}
	for name, text := range texts {
		template, list := mustache.Parse(name, text)
		if len(list) > 0 {
			t.Fatal(list)
		}
		parsed[name] = template
	}
	return parsed
}

var partials = map[string]string{
	"part": "[{{a}}]\n", "lines": "\n  {{#yes}}\n  yes {{x}}\n  {{/yes}}\n",
	"again": "{{y}}{{#this.sub}}{{>again}}{{/this.sub}}", "blank": " ",
}

// TestRender holds what is rendered against expectations, and against openapi-generator.
func TestRender(t *testing.T) {
	cases := map[string]struct{ template, want string }{
		"variables": {"{{a}} {{ n }}|{{missing}}|{{yes}} {{no}} {{zero}} {{{b}}} {{&b}}",
			`text 42||true false 0 <b> & "c" 'd' ` + "`e` = f" + ` <b> & "c" 'd' ` + "`e` = f"},
		"escaped":  {"{{b}}", "&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39; &#x60;e&#x60; &#x3D; f"},
		"dotted":   {"{{map.deep.er.z}}|{{map.missing.z}}|{{a.b}}|{{#map}}{{deep.er.z}}{{/map}}", "Z|||Z"},
		"sections": {"{{#yes}}1{{/yes}}{{#no}}2{{/no}}{{#none}}3{{/none}}{{#missing}}4{{/missing}}{{#hollow}}5{{/hollow}}{{#zero}}6{{/zero}}{{#void}}7{{/void}}", "1567"},
		"inverted": {"{{^yes}}1{{/yes}}{{^no}}2{{/no}}{{^none}}3{{/none}}{{^missing}}4{{/missing}}{{^hollow}}5{{/hollow}}{{^zero}}6{{/zero}}{{^void}}7{{/void}}", "234"},
		"outer":    {"{{#list}}{{a}}{{x}},{{/list}}", "1one,texttwo,3,"},
		"this":     {"{{#list}}{{this.a}},{{/list}}{{#words}}{{.}},{{{this}}};{{/words}}", "1,,3,v,v;&lt;w&gt;,<w>;,;"},
		"special": {"{{#list}}{{#-first}}({{/-first}}{{-index}}{{^-last}}, " +
			"{{/-last}}{{#-last}}){{/-last}}{{/list}}{{-first}}{{-index}}", "(1, 2, 3)false0"},
		"special inside": {"{{#list}}{{#map}}{{-index}}{{#-first}}f{{/-first}}{{/map}}{{/list}}", "1f23"},
		"lists":          {"{{#nested}}<{{#.}}{{.}}{{/.}}>{{/nested}}", "<pq><><r>"},
		"own lines":      {"a\n  {{#yes}}  \n  b\n\t{{/yes}}\nc\n", "a\n  b\nc\n"},
		"two in a line":  {"a\n{{#yes}}{{#yes}}\nb\n{{/yes}}{{/yes}}\nc", "a\n\nb\n\nc"},
		"beside a text":  {"a {{#yes}}\nb\n{{/yes}} c\n{{#no}}\nd\n{{/no}}", "a \nb\n c\n"},
		"comments":       {"a\n  {{! c }}\nb {{! d }}\n{{!\n e\n}}\nf", "a\nb \nf"},
		"delimiters":     {"{{=<% %>=}}\n<%a%> {{a}}<%={{ }}=%>{{a}}\n{{=| |=}}|a|", "text {{a}}text\ntext"},
		"partials": {"x\n  {{>part}}\n{{#list}}{{> again }}{{/list}}{{>blank}}{{>lines}}",
			"x\n  [text]\n\nst \n  yes \n"},
		"carriage": {"a\r\n{{#yes}}\r\nb\r\n{{/yes}}\r\nc", "a\r\nb\r\nc"},
	}
	templates := map[string]string{}
	for name, c := range cases {
		name = strings.ReplaceAll(name, " ", "-")
		templates[name] = c.template
		if d := cmp.Diff(c.want, renderText(t, name, c.template, parse(t, partials))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for name, jar := range byJar(t, templates, partials) {
		if want := cases[strings.ReplaceAll(name, "-", " ")].want; jar != want {
			t.Errorf("openapi-generator renders %s to %q, want %q", name, jar, want)
		}
	}
}

// TestRandom renders random templates, and wants of each what openapi-generator makes of it.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 6600))
	templates := map[string]string{}
	for i := range 400 {
		templates[fmt.Sprintf("t%d", i)] = randomTemplate(random, 4)
	}
	parsed := parse(t, partials)
	for name, want := range byJar(t, templates, partials) {
		if got := renderText(t, name, templates[name], parsed); got != want {
			t.Errorf("%q\n got %q\nwant %q", templates[name], got, want)
		}
	}
}

var (
	texts     = []string{"\n", "\n", "\n", " ", "  ", "\t", "x", "é", "}}", "\r\n", " y ", "<>", "{ }"}
	variables = []string{"a", "b", "n", "missing", "x", "map.a", "map.deep.er.z", "a.b", "yes", "-first", "-last",
		"-index", "void", "y"}
	sections = []string{"yes", "no", "list", "none", "map", "words", "hollow", "missing", "void", "zero", "nested", "sub",
		"map.list", "-first", "-last", "a", "map.deep"}
)

func pick(random *rand.Rand, from []string) string { return from[random.IntN(len(from))] }

func randomTemplate(random *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + random.IntN(5) {
		switch name := pick(random, sections); random.IntN(11) {
		case 0, 1, 2, 3:
			b.WriteString(pick(random, texts))
		case 4:
			b.WriteString("{{" + pick(random, variables) + "}}")
		case 5:
			b.WriteString("{{{" + pick(random, variables) + "}}}")
		case 6:
			b.WriteString("{{!" + pick(random, []string{"", " comment ", "\n"}) + "}}")
		case 7:
			b.WriteString("{{>" + pick(random, []string{"part", "lines", "blank"}) + "}}")
		default:
			if depth > 0 {
				inner := randomTemplate(random, depth-1)
				b.WriteString("{{" + pick(random, []string{"#", "#", "^"}) + name + "}}" + inner + "{{/" + name + "}}")
			}
		}
	}
	return b.String()
}

// TestRenderFails: partials that are not there, and one that takes itself in for ever.
func TestRenderFails(t *testing.T) {
	parsed := parse(t, map[string]string{"loop": "{{>loop}}", "main": "a\n {{>nothing}}", "loops": "{{>loop}}"})
	_, err := parsed["main"].Render(nil, parsed)
	if err == nil ||
		err.Error() != "main:2:2: there is no template nothing (template)\n    write nothing.mustache, or remove the tag" {
		t.Errorf("%v", err)
	}
	if _, err := parsed["loops"].Render(nil, parsed); err == nil || err.Error() != "loop takes itself in without end" {
		t.Errorf("%v", err)
	}
}

// TestCheck finds variables that are not in the scope of a tag, in partials too, and objects that are printed.
func TestCheck(t *testing.T) {
	parsed := parse(t, map[string]string{
		"x": "{{a}} {{! no " +
			"}}{{b}}\n{{#b.c}}{{{d}}}{{>part}}{{^e}}é{{&f.g}}{{#.}}{{.}}{{/.}}{{/e}}{{/b.c}}{{d}}{{-last}}{{#x}}{{y}}{{/x}}",
		"part": "{{#g}}{{>part}}{{.}}{{a}}{{this.h}}{{/g}}{{#b}}{{c.e}}{{/b}}",
	})
	scope := mustache.Scope{"a": nil, "b": {"c": {"d": nil, "e": {"i": nil}, "g": nil}}}
	var got []string
	for _, unknown := range parsed["x"].Check(scope, parsed) {
		got = append(got, fmt.Sprint(unknown.Pos, " ", unknown.Name, " ", unknown.Object))
	}
	want := []string{
		"x:1:16 b true", "part:1:26 h false", "part:1:48 c.e true", "x:2:33 f false", "x:2:47 . true", "x:2:72 d false",
		"x:2:86 x false", "x:2:92 y false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var partials []string
	for name := range parsed["x"].Partials() {
		partials = append(partials, name)
	}
	if d := cmp.Diff([]string{"part"}, partials); d != "" {
		t.Error(d)
	}
}
