package pairs

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
)

// crds are CustomResourceDefinitions by kind.
type crds = map[string]*apiextensionsv1.CustomResourceDefinition

// checkWitnesses asks the API server's code about each witness, with the CRDs that sdkgen generated, and returns how
// many there are. Each change that is breaking for objects must have one.
func checkWitnesses(t *testing.T, changes []*change, old, now crds) (n int) {
	t.Helper()
	for _, c := range changes {
		if c.Witness == nil {
			if c.objects() == "breaking" {
				t.Errorf("no witness: %s", c)
			}
			continue
		}
		n++
		if c.Rule == "crd-refused" {
			continue // the object is any: none can be stored by the new CRD
		}
		c.checkWitness(t, old, now)
	}
	return n
}

// checkWitness: the object is valid by the old schema. By the new one it is refused, or loses a value, at a path of the
// change; or its defaults are others.
func (c *change) checkWitness(t *testing.T, old, now crds) {
	t.Helper()
	object := roundTrip(c.Witness.Object)
	kind, _ := object["kind"].(string)
	before, after := version(t, old[kind], c.Version), version(t, now[kind], c.Version)
	if before == nil {
		t.Errorf("the witness is of no kind: %s: %v", c, kind)
		return
	}
	if dropped, errs := before.Valid(object); len(dropped)+len(errs) > 0 {
		t.Errorf("the witness was not valid: %s: %v %v", c, dropped, errs)
		return
	}
	if after == nil {
		return // the kind or the version is gone
	}
	read, dropped := after.Read(object)
	_, errs := after.Valid(object)
	for _, err := range errs {
		dropped = append(dropped, err.Field)
	}
	switch {
	case c.Rule == "default-changed":
		if earlier, _ := before.Read(object); reflect.DeepEqual(earlier, read) {
			t.Errorf("the witness has the same defaults: %s", c)
		}
	case c.objects() != "breaking" && len(dropped) == 0:
	case !c.at(dropped):
		t.Errorf("the witness fails at %q: %s", dropped, c)
	}
	if c.verdict("stored objects") == "breaking" {
		c.checkStored(t, object, before, after)
	}
}

// checkStored: the stored object loses a value when it is read, or no update of it is accepted.
func (c *change) checkStored(t *testing.T, object map[string]any, before, after *server.Version) {
	t.Helper()
	stored, _ := before.Read(object)
	read, lost := after.Read(stored)
	touched := runtime.DeepCopyJSON(read)
	touched["metadata"] = map[string]any{"name": "witness", "annotations": map[string]any{"touched": "yes"}}
	for _, err := range after.Update(touched, read, true) {
		lost = append(lost, err.Field)
	}
	if !c.at(lost) {
		t.Errorf("the stored object loses nothing at the change: %s: %q", c, lost)
	}
}

// version returns the version of a CRD, nil if there is none.
func version(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, name string) *server.Version {
	t.Helper()
	if crd == nil {
		return nil
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == name {
			generated, err := server.New(crd, name)
			if err != nil {
				t.Fatal(err)
			}
			return generated
		}
	}
	return nil
}

var index = regexp.MustCompile(`\[[^]]*\]`)

// plain is a path without indexes and keys of maps.
func plain(path string) string { return index.ReplaceAllString(path, "") }

// at says whether a path of the API server's is that of the change, or below it. A CEL rule may name a field beside it.
func (c *change) at(paths []string) bool {
	for _, path := range paths {
		for _, own := range c.paths() {
			_, own, _ = strings.Cut(plain(own), ".")
			if path = plain(path); path == own || strings.HasPrefix(path, own+".") || own == "" {
				return true
			}
		}
	}
	return false
}

// roundTrip has whole numbers be int64, as the API server decodes them.
func roundTrip(object map[string]any) map[string]any {
	whole, _ := integers(object).(map[string]any)
	return whole
}

func integers(value any) any {
	switch value := value.(type) {
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
	case []any:
		for i := range value {
			value[i] = integers(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = integers(value[key])
		}
	}
	return value
}
