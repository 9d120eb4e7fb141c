package model

import (
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestKubernetesName(t *testing.T) {
	for goType, want := range map[string]string{
		"k8s.io/api/core/v1.Pod":                                        "V1Pod",
		"io.k8s.api.core.v1.Pod":                                        "V1Pod",
		"k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta":               "V1ObjectMeta",
		"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta":               "V1ObjectMeta",
		"k8s.io/api/autoscaling/v2.MetricSpec":                          "V2MetricSpec",
		"io.k8s.api.resource.v1beta2.DeviceClass":                       "V1beta2DeviceClass",
		"k8s.io/api/resource/v1alpha3.DeviceTaint":                      "V1alpha3DeviceTaint",
		"k8s.io/api/core/v1.Event":                                      "CoreV1Event",
		"io.k8s.api.events.v1.Event":                                    "EventsV1Event",
		"k8s.io/api/core/v1.ResourceClaim":                              "CoreV1ResourceClaim",
		"k8s.io/api/resource/v1.ResourceClaim":                          "ResourceV1ResourceClaim",
		"k8s.io/api/resource/v1beta1.ResourceClaim":                     "V1beta1ResourceClaim",
		"k8s.io/api/rbac/v1.Subject":                                    "RbacV1Subject",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "V1JSON",
		"io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService": "V1APIService",
		"k8s.io/apimachinery/pkg/version.Info":                          "VersionInfo",
		"io.k8s.apimachinery.pkg.version.Info":                          "VersionInfo",
		"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "",
		"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "",
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "",
		"k8s.io/api/core.Pod":                                           "",
		"k8s.io/api/core/v1beta.Pod":                                    "",
		"k8s.io/api/core/v1x.Pod":                                       "",
		"k8s.io/apiserver/pkg/apis/audit/v1.Event":                      "",
		"sigs.k8s.io/gateway-api/apis/v1.Gateway":                       "",
		"example.org/k8s.io/api/core/v1.Pod":                            "",
		"github.com/flux-framework/flux-operator/api/v1alpha1.FluxSpec": "",
		"Pod":     "",
		"":        "",
		".":       "",
		"io.k8s.": "",
	} {
		got, ok := KubernetesName(goType)
		if got != want || ok != (want != "") {
			t.Errorf("KubernetesName(%q) = %q, %t, want %q", goType, got, ok, want)
		}
	}
}

// TestClientModels holds KubernetesName against the models of the Python client of the
// Kubernetes version that go.mod requires: each has one type.
func TestClientModels(t *testing.T) {
	data, err := os.ReadFile("testdata/names/kubernetes-37.txt")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, model := range strings.Fields(string(data)) {
		types[model] = ""
	}
	for _, goType := range modelNames(t) {
		name, ok := KubernetesName(goType)
		if !ok || goType == "io.k8s.api.core.v1.Preconditions" { // which nothing uses
			continue
		}
		other, isModel := types[name]
		if isModel && other != "" {
			t.Errorf("%s and %s are both named %s", other, goType, name)
		}
		if isModel {
			types[name] = goType
		}
	}
	for model, goType := range types {
		// The API of kube-aggregator is in a module of its own.
		if goType == "" && !strings.HasPrefix(model, "V1APIService") && model != "ApiregistrationV1ServiceReference" {
			t.Errorf("no type is named %s", model)
		}
	}
}

var modelName = regexp.MustCompile(`return "(io\.k8s\.[^"]+)"`)

// modelNames returns the OpenAPI names of the types in Kubernetes' API modules.
func modelNames(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api", "k8s.io/apimachinery",
		"k8s.io/apiextensions-apiserver").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, dir := range strings.Fields(string(out)) {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() != "zz_generated.model_name.go" ||
				strings.Contains(path, "testapigroup") {
				return err
			}
			data, err := os.ReadFile(path)
			for _, match := range modelName.FindAllStringSubmatch(string(data), -1) {
				names = append(names, match[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 1000 {
		t.Fatalf("only %d types were found", len(names))
	}
	return names
}

func TestNamer(t *testing.T) {
	type ask struct {
		goType, name string
		fresh        bool
		err          string // part of it
	}
	for _, test := range []struct {
		name  string
		table map[string]string
		asks  []ask
	}{
		{name: "rules", asks: []ask{
			{goType: "example.org/api/v1.Widget", name: "Widget", fresh: true},
			{goType: "k8s.io/api/core/v1.Pod", name: "V1Pod", fresh: true},
			{goType: "example.org/other.Thing", name: "Thing", fresh: true},
			{goType: "k8s.io/apimachinery/pkg/util/intstr.IntOrString", name: "IntOrString", fresh: true},
		}},
		{name: "asked again", asks: []ask{
			{goType: "k8s.io/api/core/v1.Pod", name: "V1Pod", fresh: true},
			{goType: "k8s.io/api/core/v1.Pod", name: "V1Pod"},
			{goType: "io.k8s.api.core.v1.Pod", name: "V1Pod"},
		}},
		{name: "table", table: map[string]string{
			"example.org/api/v1.Widget": "Gadget", "k8s.io/api/core/v1.Pod": "Pod", "example.org/other.Thing": "OtherThing",
		}, asks: []ask{
			{goType: "example.org/api/v1.Widget", name: "Gadget", fresh: true},
			{goType: "io.k8s.api.core.v1.Pod", name: "Pod", fresh: true},
			{goType: "example.org/other.Thing", name: "OtherThing", fresh: true},
		}},
		{name: "collision", asks: []ask{
			{goType: "example.org/api/v1.Thing", name: "Thing", fresh: true},
			{goType: "example.org/other.Thing", name: "Thing", fresh: true,
				err: "example.org/api/v1.Thing and example.org/other.Thing would both be named Thing"},
		}},
		{name: "collision with Kubernetes", asks: []ask{
			{goType: "example.org/api/v1.V1Pod", name: "V1Pod", fresh: true},
			{goType: "k8s.io/api/core/v1.Pod", name: "V1Pod", fresh: true, err: "would both be named V1Pod"},
		}},
		{name: "collision by the table", table: map[string]string{"example.org/other.Thing": "Widget"}, asks: []ask{
			{goType: "example.org/api/v1.Widget", name: "Widget", fresh: true},
			{goType: "example.org/other.Thing", name: "Widget", fresh: true, err: "would both be named Widget"},
		}},
		{name: "no name", table: map[string]string{"a.A": "", "a.B": "b-c", "a.C": "1", "a.D": "a/b", "a.E": "%zz",
			"a.F": "Größe", "a.G": "type"}, asks: []ask{
			{goType: "a.A", fresh: true, err: `named ""`},
			{goType: "a.B", name: "b-c", fresh: true, err: `named "b-c", which is not a valid type name`},
			{goType: "a.C", name: "1", fresh: true, err: "not a valid type name"},
			{goType: "a.D", name: "a/b", fresh: true, err: "not a valid type name"},
			{goType: "a.E", name: "%zz", fresh: true, err: "not a valid type name"},
			{goType: "a.F", name: "Größe", fresh: true},
			{goType: "a.G", name: "type", fresh: true, err: "not a valid type name"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := newNamer("example.org/api/v1", test.table)
			for _, ask := range test.asks {
				name, fresh, err := n.name(ask.goType)
				if name != ask.name || fresh != ask.fresh {
					t.Errorf("name(%q) = %q, %t, want %q, %t", ask.goType, name, fresh, ask.name, ask.fresh)
				}
				if (err != nil) != (ask.err != "") || err != nil && !strings.Contains(err.Error(), ask.err) {
					t.Errorf("name(%q): %v, want %q", ask.goType, err, ask.err)
				}
			}
		})
	}
}

// FuzzNamer: a type keeps its name, and no two types get one name without an error.
func FuzzNamer(f *testing.F) {
	f.Add("k8s.io/api/core/v1.Pod", "io.k8s.api.core.v1.Pod", "Pod")
	f.Add("example.org/api/v1.Widget", "example.org/other.Widget", "")
	f.Add("io.k8s.", "k8s.io/api/events/v1.Event", "a%b")
	f.Add("", ".", "..")
	f.Fuzz(func(t *testing.T, one, other, named string) {
		n := newNamer("example.org/api/v1", map[string]string{other: named})
		first, fresh, firstErr := n.name(one)
		if !fresh {
			t.Errorf("%q is not fresh", one)
		}
		if again, fresh, err := n.name(one); again != first || fresh || err != nil {
			t.Errorf("%q is %q, then %q, %t, %v", one, first, again, fresh, err)
		}
		second, fresh, err := n.name(other)
		if same := goSpelling(one) == goSpelling(other); same == fresh {
			t.Errorf("%q after %q: fresh %t", other, one, fresh)
		} else if !same && first == second && firstErr == nil && err == nil {
			t.Errorf("%q and %q are both %q", one, other, first)
		}
		for _, name := range []string{first, second} {
			if firstErr == nil && err == nil && !token.IsIdentifier(name) {
				t.Errorf("%q is no name", name)
			}
		}
	})
}
