package explain

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestServer installs the published CRDs of each API in the API server of KUBECONFIG (make test-e2e ONLY=breaking). Of
// each path, what
// kubectl explain prints there has to be what sdkgen says. Of each kind, so has every field in the OpenAPI document
// that the API server publishes: type, whether it is required, default, constraints and CEL rules.
func TestServer(t *testing.T) {
	if os.Getenv("KUBECONFIG") == "" {
		if os.Getenv("CI") == "true" && os.Getenv("E2E") != "" {
			t.Fatal("KUBECONFIG is not set")
		}
		t.Skip("KUBECONFIG is not set; `make test-e2e ONLY=breaking` starts a control plane")
	}
	sdkgen := build(t)
	paths := 0
	for _, a := range readAPIs(t) {
		t.Run(a.Name, func(t *testing.T) {
			a.install(t)
			fields := 0
			explained := map[string]*field{}
			for _, kind := range a.kinds() {
				explained[kind] = a.explain(t, sdkgen, kind)
				c := &comparison{api: a}
				c.compare(t, explained[kind], a.published(t, explained[kind]), false)
				fields += c.fields
				c.report(t, kind)
			}
			for _, path := range a.Paths {
				kind, _, _ := strings.Cut(path, ".")
				a.kubectl(t, path, explained[kind].Kind, explained[kind].find(t, path))
				paths++
			}
			t.Logf("%s: %d paths as kubectl explain prints them, %d fields as the OpenAPI document has them", a.Name,
				len(a.Paths), fields)
		})
	}
	if paths < 20 {
		t.Errorf("only %d paths were explained", paths)
	}
}

// install installs the CRDs of the kinds.
func (a api) install(t *testing.T) {
	t.Helper()
	dir := filepath.Join(a.dir(t), filepath.FromSlash(a.CRDs))
	for _, kind := range a.kinds() {
		file := filepath.Join(dir, a.Group+"_"+kind+"s.yaml")
		run(t, ".", "kubectl", "apply", "--server-side", "-f", file)
		t.Cleanup(func() { _, _ = output(t, ".", "kubectl", "delete", "-f", file) })
		within(t, func() error { // kubectl wait fails where there are no conditions yet
			_, err := output(t, ".", "kubectl", "wait", "--for=condition=Established", "--timeout=60s", "-f", file)
			return err
		})
	}
}

// find returns the field at a path.
func (f *field) find(t *testing.T, path string) *field {
	t.Helper()
	at := f
	for at.Path != path {
		i := slices.IndexFunc(at.Fields, func(below *field) bool {
			return path == below.Path ||
				strings.HasPrefix(path, below.Path+".")
		})
		if i < 0 {
			t.Fatalf("sdkgen has no field %s", path)
		}
		at = at.Fields[i]
	}
	return at
}

// spelled is a type as kubectl has it, which does not know IntOrString of a CRD.
func spelled(name string) string { return strings.ReplaceAll(name, "IntOrString", "Object") }

// kubectl compares with what kubectl explain prints.
func (a api) kubectl(t *testing.T, path, kind string, f *field) {
	t.Helper()
	var printed []byte
	within(t, func() (err error) { // the document comes later than the CRD
		printed, err = output(t, ".", "kubectl", "explain", path, "--api-version", a.Group+"/"+a.Version)
		return err
	})
	got := parse(string(printed))
	want := explained{group: a.Group, version: a.Version, kind: kind, fields: map[string]string{}}
	if strings.Contains(path, ".") {
		want.field = f.Name + " <" + spelled(f.Type) + ">"
		want.enum = enum(f)
	}
	for _, below := range f.Fields {
		required := ""
		if below.Required {
			required = " -required-"
		}
		values := enum(below)
		if len(values) > 4 {
			values = append(values[:4:4], "....")
		}
		want.fields[below.Name] = "<" + spelled(below.Type) + ">" + required + " " + strings.Join(values, ", ")
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(explained{})); diff != "" {
		t.Errorf("kubectl explain %s (-sdkgen +kubectl):\n%s", path, diff)
	}
}

// enum are the values of a field's enum, spelled as kubectl does.
func enum(f *field) []string {
	var values []string
	for _, c := range f.Constraints {
		list, _ := c.Value.([]any)
		for i := 0; c.Of == "" && c.Keyword == "enum" && i < len(list); i++ {
			value := fmt.Sprint(list[i])
			if value == "" {
				value = `""`
			}
			values = append(values, value)
		}
	}
	return values
}

// explained is what kubectl explain prints, without descriptions.
type explained struct {
	group, version, kind, field string
	enum                        []string
	fields                      map[string]string
}

// parse reads what kubectl explain prints.
func parse(text string) explained {
	out := explained{fields: map[string]string{}}
	section, last := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		key, value, titled := strings.Cut(line, ":")
		switch {
		case titled && strings.ToUpper(key) == key && !strings.HasPrefix(line, " "):
			section = key
			value = strings.TrimSpace(value)
			switch key {
			case "GROUP":
				out.group = value
			case "KIND":
				out.kind = value
			case "VERSION":
				out.version = value
			case "FIELD":
				out.field = value
			}
		case section == "ENUM" && strings.TrimSpace(line) != "":
			out.enum = append(out.enum, strings.TrimSpace(line))
		case section == "FIELDS" && strings.Contains(line, "\t<"): // a description has no tab
			name, rest, _ := strings.Cut(strings.TrimSpace(line), "\t")
			last, out.fields[name] = name, rest+" "
		case section == "FIELDS" && strings.HasPrefix(line, "  enum: "):
			out.fields[last] += strings.TrimPrefix(line, "  enum: ")
		}
	}
	return out
}

// published returns the schema of a kind in the OpenAPI document that kubectl explain reads.
func (a api) published(t *testing.T, kind *field) map[string]any {
	t.Helper()
	var found map[string]any
	within(t, func() error {
		data, err := output(t, ".", "kubectl", "get", "--raw", "/openapi/v3/apis/"+a.Group+"/"+a.Version)
		if err != nil {
			return err
		}
		var document struct {
			Components struct{ Schemas map[string]map[string]any }
		}
		if err := json.Unmarshal(data, &document); err != nil {
			return err
		}
		for _, schema := range document.Components.Schemas {
			kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
			if slices.ContainsFunc(kinds, func(one any) bool {
				return fmt.Sprint(one) == fmt.Sprintf("map[group:%s kind:%s version:%s]", a.Group, kind.Kind, a.Version)
			}) {
				found = schema
				return nil
			}
		}
		return fmt.Errorf("the document of %s/%s has no %s", a.Group, a.Version, kind.Kind)
	})
	return found
}
