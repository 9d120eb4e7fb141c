package schemas_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/schemas"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// manifests is how many random manifests each API is compared on.
const manifests = 1000

// TestVerdicts compares what the JSON Schema says of random manifests, valid and mutated, with what the API server
// does, CEL
// rules apart. Items of a list map with the same keys are beyond JSON Schema: a manifest with no other error is not
// compared. Neither is one in which a list stands for a string with a format, which the API server accepts and the JSON
// Schema does not.
func TestVerdicts(t *testing.T) {
	for _, api := range apis(t) {
		t.Run(api.name, func(t *testing.T) {
			t.Parallel()
			resources := resources(t, api.dir)
			total := tally{}
			for i, r := range resources {
				c := newComparison(t, r, uint64(i))
				for range manifests/len(resources) + 10 {
					c.compare(t, &total)
				}
			}
			t.Logf("%d kinds and versions, %d manifests valid, %d not; not compared: %d with the same keys only, %d with a "+
				"list for a string",
				len(resources), total.valid, total.invalid, total.keys, total.lists)
			if total.valid < manifests/5 || total.invalid < manifests/5 || total.valid+total.invalid < manifests {
				t.Errorf("of %d manifests, too few are valid, or too few not", manifests)
			}
		})
	}
}

// apis are the APIs of the tests, and directories with their CRDs.
func apis(t *testing.T) []struct{ name, dir string } {
	t.Helper()
	return []struct{ name, dir string }{
		{"MiniCluster", filepath.Join(testkit.Repository, "config", "crd", "bases")},
		{"edges", "testdata"},
		{"gateway-api", filepath.Join(module(t, "sigs.k8s.io/gateway-api"), "config", "crd", "standard")},
		{"jobset", filepath.Join(module(t, "sigs.k8s.io/jobset"), "config", "components", "crd", "bases")},
		{"cert-manager", filepath.Join(module(t, "github.com/cert-manager/cert-manager"), "deploy", "crds")},
	}
}

// resources returns the served versions of the CRDs of a directory.
func resources(t *testing.T, dir string) []schemas.Resource {
	t.Helper()
	var all []schemas.Resource
	for _, definition := range definitions(t, dir) {
		for _, v := range definition.Spec.Versions {
			if v.Served {
				all = append(all, schemas.Resource{Definition: definition, Version: v.Name})
			}
		}
	}
	return all
}

type tally struct{ valid, invalid, keys, lists int }

// module returns the directory of a module that test/apis requires.
func module(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", path)
	cmd.Dir, cmd.Env = filepath.Join(testkit.Repository, "sdkgen", "test", "apis"), append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", path, err, out)
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got.Dir
}

// definitions reads the CRDs of a directory.
func definitions(t *testing.T, dir string) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no CRDs in %s: %v", dir, err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, name := range names {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(testkit.Read(t, name), definition); err != nil {
			t.Fatal(err)
		}
		if definition.Kind == "CustomResourceDefinition" {
			all = append(all, definition)
		}
	}
	return all
}

// comparison compares verdicts on one resource.
type comparison struct {
	*sampler.Sampler
	resource  schemas.Resource
	props     *apiextensionsv1.JSONSchemaProps
	server    *server.Version
	validator *jsonschema.Schema
}

func newComparison(t *testing.T, r schemas.Resource, seed uint64) *comparison {
	t.Helper()
	document, err := schemas.JSONSchema(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	definition := r.Definition.DeepCopy()
	c := &comparison{Sampler: &sampler.Sampler{Rand: rand.New(rand.NewPCG(seed, 21))}, resource: r,
		validator: compile(t, data)}
	for i := range definition.Spec.Versions {
		if v := &definition.Spec.Versions[i]; v.Name == r.Version {
			c.props = v.Schema.OpenAPIV3Schema
			withoutRules(c.props)
		}
	}
	if c.server, err = server.New(definition, r.Version); err != nil {
		t.Fatal(err)
	}
	return c
}

func compile(t *testing.T, data []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// withoutRules removes the CEL rules from a schema.
func withoutRules(s *apiextensionsv1.JSONSchemaProps) {
	s.XValidations = nil
	for key, property := range s.Properties {
		withoutRules(&property)
		s.Properties[key] = property
	}
	for _, below := range []*apiextensionsv1.JSONSchemaProps{sampler.Items(s), sampler.Values(s)} {
		if below != nil {
			withoutRules(below)
		}
	}
}

// manifest returns a random manifest, and its JSON.
func (c *comparison) manifest(t *testing.T) (manifest map[string]any, data []byte) {
	t.Helper()
	spec := c.resource.Definition.Spec
	c.Fill = []float64{0.02, 0.1, 0.3, 0.6}[c.IntN(4)]
	random := c.Object(c.props, spec.Group+"/"+c.resource.Version, spec.Names.Kind)
	for range []int{0, 0, 1, 1, 2, 3}[c.IntN(6)] {
		c.mutate(random)
	}
	data, err := json.Marshal(random)
	if err != nil {
		t.Fatal(err)
	}
	if err := utiljson.Unmarshal(data, &manifest); err != nil { // with numbers as the API server reads them
		t.Fatal(err)
	}
	return manifest, data
}

// compare compares the verdicts on one manifest.
func (c *comparison) compare(t *testing.T, total *tally) {
	t.Helper()
	manifest, data := c.manifest(t)
	refused := c.refused(manifest)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text := c.validator.Validate(value)
	switch {
	case len(refused) > 0 && !slices.ContainsFunc(refused,
		func(why string) bool { return !strings.Contains(why, "Duplicate value") }):
		total.keys++
	case len(refused) == 0 && listForText(c.props, manifest):
		total.lists++
	case len(refused) == 0:
		total.valid++
		if text != nil {
			t.Errorf("valid, but the schema says %v\n%s", text, data)
		}
	default:
		total.invalid++
		if text == nil {
			t.Errorf("the API server says %s, but the schema accepts it\n%s", strings.Join(refused, "; "), data)
		}
	}
}

// listForText says whether there is a list where a string with a format should be.
func listForText(s *apiextensionsv1.JSONSchemaProps, value any) bool {
	if s == nil {
		return false
	}
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			property, ok := s.Properties[key]
			if ok && listForText(&property, below) || !ok && listForText(sampler.Values(s), below) {
				return true
			}
		}
	case []any:
		return s.Type == "string" && s.Format != "" ||
			slices.ContainsFunc(value, func(item any) bool { return listForText(sampler.Items(s), item) })
	}
	return false
}

// refused returns why the API server refuses a manifest.
func (c *comparison) refused(manifest map[string]any) (why []string) {
	pruned, errs := c.server.Valid(manifest)
	for _, path := range pruned {
		why = append(why, "unknown field "+path)
	}
	spec := c.resource.Definition.Spec
	if manifest["apiVersion"] != spec.Group+"/"+c.resource.Version || manifest["kind"] != spec.Names.Kind {
		why = append(why, "another kind")
	}
	object := runtime.DeepCopyJSON(manifest)
	root := &structuralschema.Structural{Extensions: structuralschema.Extensions{XPreserveUnknownFields: true}}
	malformed, unknown := objectmeta.CoerceWithOptions(nil, object, root, true,
		objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	why = append(why, unknown...)
	if malformed != nil {
		return append(why, malformed.Error())
	}
	if meta, found, err := objectmeta.GetObjectMeta(object, false); err != nil || !found {
		why = append(why, fmt.Sprintf("no metadata: %v", err))
	} else {
		namespaced := spec.Scope == apiextensionsv1.NamespaceScoped
		if namespaced && meta.Namespace == "" {
			meta.Namespace = "default"
		}
		errs = append(errs, validation.ValidateObjectMetaAccessor(meta, namespaced, validation.NameIsDNSSubdomain,
			field.NewPath("metadata"))...)
	}
	for _, err := range errs {
		why = append(why, err.Error())
	}
	return why
}

// mutate changes a manifest at a random place.
func (c *comparison) mutate(manifest map[string]any) {
	var places []func(change func(any) (any, bool))
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				places = append(places, func(change func(any) (any, bool)) {
					if other, ok := change(value[key]); ok {
						value[key] = other
					} else {
						delete(value, key)
					}
				})
				walk(value[key])
			}
		case []any:
			for i := range value {
				places = append(places, func(change func(any) (any, bool)) { value[i], _ = change(value[i]) })
				walk(value[i])
			}
		}
	}
	walk(manifest)
	places[c.IntN(len(places))](c.other)
}

// other returns another value; false to leave it out.
func (c *comparison) other(value any) (any, bool) {
	switch c.IntN(8) {
	case 0:
		return nil, false
	case 1:
		return nil, true
	case 2:
		return c.anything(), true
	}
	switch value := value.(type) {
	case map[string]any:
		if c.IntN(2) == 0 {
			return map[string]any{}, true
		}
		value["unknown"] = c.anything()
	case []any:
		if len(value) > 0 && c.IntN(2) == 0 {
			return append(value, runtime.DeepCopyJSONValue(value[c.IntN(len(value))])), true
		}
		return append(value, c.anything()), true
	case string:
		return []any{"", value + "x", "A b", strings.Repeat("long", 200), "-", value + "\n", "é"}[c.IntN(7)], true
	case int64:
		return []any{value - 1, -value, value * 1000, int64(1) << 40, float64(value), float64(value) + 0.5}[c.IntN(6)], true
	case bool:
		return !value, true
	}
	return value, true
}

func (c *comparison) anything() any {
	return []any{
		nil, "text", "", int64(0), int64(-3), 2.5, true, []any{}, []any{"a"}, []any{nil}, map[string]any{},
		map[string]any{"key": "value"}, map[string]any{"name": nil},
	}[c.IntN(13)]
}
