package repos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
)

// example is a manifest of one of the repository's kinds.
type example struct {
	kind
	at   string // file and number of the document
	json []byte
}

// result is what an SDK made of an example: nothing if it does not have the kind.
type result struct {
	Object any
	Error  string
}

// manifests reads the examples: the documents of the files of the CRDs' kinds.
func (r *repository) manifests(t *testing.T, d *differences, root string, all crds) []example {
	t.Helper()
	kinds := map[kind]bool{}
	for _, crd := range all {
		kinds[kind{text(crd, "spec", "group"), text(crd, "spec", "names", "kind")}] = true
	}
	var found []example
	for _, file := range glob(t, root, r.Examples.Files) {
		for i, doc := range documents(t, filepath.Join(root, file)) {
			data, err := yaml.YAMLToJSON(doc)
			if err != nil {
				d.add("example %s: %v", file, err)
				continue
			}
			e := example{at: fmt.Sprintf("%s#%d", file, i+1), json: data}
			// what is no object has no kind
			if json.Unmarshal(data, &e.kind) == nil && kinds[kind{path.Dir(e.APIVersion), e.Kind}] {
				found = append(found, e)
			}
		}
	}
	return found
}

// throughSDKs sends the examples through both SDKs, and asks the server with the shipped CRDs and that with the new
// ones for its verdict of each.
func (r *repository) throughSDKs(
	t *testing.T, d *differences, root string, cfg *config.Config, shipped, generated crds,
) (got examples) {
	t.Helper()
	all := r.manifests(t, d, root, shipped)
	before, after := newServer(t, shipped), newServer(t, generated)
	python, golang := throughPython(t, root, cfg.Python, all), r.throughGo(t, root, cfg.Go, all)
	for i, e := range all {
		got.Documents++
		why := before.reject(t, e.kind, e.json)
		if why == "" {
			got.Accepted++
		} else {
			d.add("example %s %s: the shipped CRD rejects it: %s", e.at, e.Kind, why)
		}
		if now := after.reject(t, e.kind, e.json); now != why {
			d.add("example %s %s: the new CRD does not say %q, but %q", e.at, e.Kind, why, now)
		}
		got.Python += e.check(t, d, "Python", python, i, why != "")
		got.Go += e.check(t, d, "Go", golang, i, why != "")
	}
	if want := r.Examples; got.Documents != want.Documents || got.Accepted != want.Accepted || got.Python != want.Python ||
		got.Go != want.Go {
		t.Errorf(
			"examples: {documents: %d, accepted: %d, python: %d, go: %d}, want {documents: %d, accepted: %d, python: %d, go: "+
				"%d}",
			got.Documents, got.Accepted, got.Python, got.Go, want.Documents, want.Accepted, want.Python, want.Go)
	}
	return got
}

// check returns 1 if an SDK wrote what it had read. What it does with an object that the server rejects is no
// difference.
func (e example) check(t *testing.T, d *differences, language string, results []result, i int, rejected bool) int {
	t.Helper()
	if results == nil {
		return 0 // the repository has no SDK of that language
	}
	var want any
	if err := json.Unmarshal(e.json, &want); err != nil {
		t.Fatal(err)
	}
	switch got := results[i]; {
	case rejected && (got.Error != "" || changed("", want, got.Object) != ""):
		return 0
	case got.Error != "":
		d.add("example %s %s: %s refuses it: %s", e.at, e.Kind, language, got.Error)
		return 0
	case got.Object == nil:
		d.add("example %s %s: %s does not have the kind", e.at, e.Kind, language)
		return 0
	default:
		if change := changed("", want, got.Object); change != "" {
			d.add("example %s %s: %s changes it: %s", e.at, e.Kind, language, change)
			return 0
		}
	}
	return 1
}

// changed says where a value is not the other. To the API server null is as good as nothing. Kubernetes' own Go types
// write empty objects, and quantities in their canonical form: that is no change.
func changed(at string, want, got any) string {
	members, isObject := want.(map[string]any)
	others, same := got.(map[string]any)
	if isObject && same {
		for _, key := range names(members, others) {
			if change := changed(at+"."+key, members[key], others[key]); change != "" {
				return change
			}
		}
		return ""
	}
	list, isList := want.([]any)
	if other, same := got.([]any); isList && same && len(list) == len(other) {
		for i := range list {
			if change := changed(fmt.Sprintf("%s[%d]", at, i), list[i], other[i]); change != "" {
				return change
			}
		}
		return ""
	}
	if reflect.DeepEqual(want, got) || want == nil && same && len(others) == 0 || sameQuantity(want, got) {
		return ""
	}
	return fmt.Sprintf("%s: %s -> %s", at, short(encode(want)), short(encode(got)))
}

// sameQuantity says whether two values are the same quantity, such as 1 and "1000m".
func sameQuantity(want, got any) bool {
	a, err := resource.ParseQuantity(fmt.Sprint(want))
	if err != nil {
		return false
	}
	b, err := resource.ParseQuantity(fmt.Sprint(got))
	return err == nil && a.Cmp(b) == 0
}

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// directories are those of an SDK: with placeholders there may be several.
func directories(t *testing.T, root string, sdk *config.SDK) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, placeholder.ReplaceAllString(sdk.Dir, "*")))
	if err != nil || len(found) == 0 {
		t.Fatalf("there is no %s: %v", sdk.Dir, err)
	}
	return found
}

// throughPython sends the examples through the Python SDK.
func throughPython(t *testing.T, root string, sdk *config.SDK, all []example) []result {
	t.Helper()
	if sdk == nil {
		return nil
	}
	script, err := filepath.Abs(filepath.Join("testdata", "roundtrip.py"))
	if err != nil {
		t.Fatal(err)
	}
	merged := make([]result, len(all))
	for _, dir := range directories(t, root, sdk) {
		merge(t, merged, pipe(t, all, "python3", script, dir))
	}
	return merged
}

// throughGo sends the examples through the light Go client. It is compiled with the libraries of sdkgen's go.mod, which
// are compiled once for all repositories, and with those that only the repository requires; where it uses named types
// of the repository's other packages, it is compiled in the repository.
func (r *repository) throughGo(t *testing.T, root string, sdk *config.SDK, all []example) []result {
	t.Helper()
	if sdk == nil {
		return nil
	}
	scratch := t.TempDir()
	dirs := directories(t, root, sdk)
	for _, dir := range dirs {
		rel, err := filepath.Rel(root, dir)
		if err == nil {
			err = os.CopyFS(filepath.Join(scratch, rel), os.DirFS(dir))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	imports, kinds, alone := r.constructors(t, scratch)
	files := map[string]string{"roundtrip/main.go": strings.NewReplacer("IMPORTS", imports, "KINDS",
		kinds).Replace(string(read(t, "testdata/roundtrip.go.txt")))}
	at, mod := root, "-mod=readonly"
	if alone {
		at, mod = scratch, "-mod=mod"
		files["go.mod"], files["go.sum"] = goMod(t, root), string(read(t, "../../go.sum"))
	}
	for name, text := range files {
		if err := (step{Write: name, New: text}).change(at); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(scratch, "carry")
	if _, err := run(at, "go", "build", mod, "-o", program, "./roundtrip"); err != nil {
		t.Fatal(err)
	}
	return pipe(t, all, program)
}

// goMod is the go.mod of a module that has the name of the repository's and requires what sdkgen does, and the modules
// of other APIs that the repository requires.
func goMod(t *testing.T, root string) string {
	t.Helper()
	files := [2]*modfile.File{}
	for i, name := range []string{"../../go.mod", filepath.Join(root, "go.mod")} {
		file, err := modfile.Parse(name, read(t, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		files[i] = file
	}
	ours, theirs := files[0], files[1]
	if err := ours.AddModuleStmt(theirs.Module.Mod.Path); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range ours.Require {
		known[r.Mod.Path] = true
	}
	for _, r := range theirs.Require {
		if !known[r.Mod.Path] && apiModule.MatchString(r.Mod.Path) {
			ours.AddNewRequire(r.Mod.Path, r.Mod.Version, false)
		}
	}
	data, err := ours.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// apiModule matches modules whose types APIs embed: jobset, volcano, barman-cloud.
var apiModule = regexp.MustCompile(`^sigs\.k8s\.io/jobset$|/apis?$|/(barman-cloud|machinery)$`)

var constructor = regexp.MustCompile(
	`(?s)func New\w+\([^\n]*\) \*(\w+) \{\n\treturn &\w+\{\n\t\tTypeMeta: +metav1\.TypeMeta\{APIVersion: "([^"]+)", Kind: "([^"]+)"\}`)

// constructors looks for the kinds that the packages below root can make: their imports, and a case for each kind. They
// are alone if they import no package of the repository's module that is not below root.
func (r *repository) constructors(t *testing.T, root string) (imports, kinds string, alone bool) {
	t.Helper()
	number, alone := map[string]int{}, true
	own := regexp.MustCompile(`"` + regexp.QuoteMeta(r.Module) + `/([^"\n]+)"`)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		source := string(read(t, name))
		for _, m := range own.FindAllStringSubmatch(source, -1) {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(m[1])))
			alone = alone && err == nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		for _, m := range constructor.FindAllStringSubmatch(source, -1) {
			if number[rel] == 0 {
				number[rel] = len(number) + 1
				imports += fmt.Sprintf("\tsdk%d %q\n", number[rel], path.Join(r.Module, filepath.ToSlash(rel)))
			}
			kinds += fmt.Sprintf("\tcase kind{%q, %q}:\n\t\tobject = new(sdk%d.%s)\n", m[2], m[3], number[rel], m[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return imports, kinds, alone
}

// pipe gives a program the examples, a line each, and reads a result of each.
func pipe(t *testing.T, all []example, program string, args ...string) []result {
	t.Helper()
	var in bytes.Buffer
	for _, e := range all {
		if err := json.Compact(&in, e.json); err != nil {
			t.Fatal(err)
		}
		in.WriteByte('\n')
	}
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = t.TempDir(), environ(), &in, &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, stderr.String())
	}
	if stderr.Len() > 0 {
		t.Log(stderr.String())
	}
	results := make([]result, len(all))
	dec := json.NewDecoder(bytes.NewReader(out))
	for i := range results {
		if err := dec.Decode(&results[i]); err != nil {
			t.Fatalf("%s: result %d: %v", filepath.Base(program), i, err)
		}
	}
	return results
}

// merge adds the results of another SDK of the repository.
func merge(t *testing.T, all, more []result) {
	t.Helper()
	for i := range all {
		if all[i].Object == nil && all[i].Error == "" {
			all[i] = more[i]
		}
	}
}

// TestChanged: null is nothing, an empty object is something.
func TestChanged(t *testing.T) {
	for _, c := range []struct{ want, got, change string }{
		{`{a: 1, b: null}`, `{a: 1.0}`, ""},
		{`{a: {}}`, `{}`, ".a: {} -> null"},
		{`{a: [{b: x}, {b: u}]}`, `{a: [{b: x}, {b: z}]}`, `.a[1].b: "u" -> "z"`},
		{`{a: [1]}`, `{a: [1, 2]}`, `.a: [1] -> [1,2]`},
		{`{a: 1}`, `{a: 1, c: 2}`, `.c: null -> 2`},
		{`{a: 1}`, `{a: "1"}`, ""},
		{`{a: 1}`, `{a: true}`, ".a: 1 -> true"},
		{`{a: 1}`, `{a: 1, b: {}}`, ""},
		{`{a: 1}`, `{a: 1, b: {c: {}}}`, `.b: null -> {"c":{}}`},
		{`{a: 0.5}`, `{a: 500m}`, ""},
	} {
		var want, got any
		if err := unmarshal(c.want, &want); err != nil {
			t.Fatal(err)
		}
		if err := unmarshal(c.got, &got); err != nil {
			t.Fatal(err)
		}
		if change := changed("", want, got); change != c.change {
			t.Errorf("%s -> %s: %q, want %q", c.want, c.got, change, c.change)
		}
	}
}
