package gocode_test

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const crdProject = `
-- head.yaml --
# Copyright YEAR The authors.
-- api/v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=example.org

// Package v1 is the API.
package v1
-- api/v1/types.go --
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Widget has what the options change.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec WidgetSpec ` + "`json:\"spec\"`" + `
}

// WidgetSpec is a part. It has two sentences.
type WidgetSpec struct {
	// template has metadata of its own.
	Template corev1.PodTemplateSpec ` + "`json:\"template\"`" + `
	hidden   string                 ` + "`json:\"hidden\"`" + `
FLOAT
}
`

// crdOptions has a value of every option of controller-gen's generator crd, as it is written on a command line and as
// it is here, and whether it changes the CRD of crdProject.
var crdOptions = map[string]struct {
	args    string
	opts    crd.Generator
	float   bool
	changes bool
}{
	"IgnoreUnexportedFields": {"ignoreUnexportedFields=true", crd.Generator{IgnoreUnexportedFields: new(true)}, false,
		true},
	"AllowDangerousTypes": {"allowDangerousTypes=true", crd.Generator{AllowDangerousTypes: new(true)}, true, true},
	"MaxDescLen":          {"maxDescLen=20", crd.Generator{MaxDescLen: new(20)}, false, true},
	"CRDVersions":         {"crdVersions={v1}", crd.Generator{CRDVersions: []string{"v1"}}, false, false},
	"GenerateEmbeddedObjectMeta": {"generateEmbeddedObjectMeta=true", crd.Generator{GenerateEmbeddedObjectMeta: new(true)},
		false, true},
	"HeaderFile": {"headerFile=head.yaml,year=2021", crd.Generator{HeaderFile: "head.yaml", Year: "2021"},
		false, true},
	"Year": {"year=2021", crd.Generator{Year: "2021"}, false, false},
	"DeprecatedV1beta1CompatibilityPreserveUnknownFields": {"deprecatedV1beta1CompatibilityPreserveUnknownFields=false",
		crd.Generator{DeprecatedV1beta1CompatibilityPreserveUnknownFields: new(false)}, false, true},
	"OmitToolVersion": {"omitToolVersion=true", crd.Generator{OmitToolVersion: new(true)}, false, true},
}

// TestCRDOptions compares the CRD of each option of the linked controller-tools with that of controller-gen. A new
// option is one without a case.
func TestCRDOptions(t *testing.T) {
	testkit.NeedAll(t)
	bin := t.TempDir()
	run(t, ".", "go", "build", "-o", bin+"/", "-ldflags",
		"-X sigs.k8s.io/controller-tools/pkg/version.version="+controllerTools(t),
		"sigs.k8s.io/controller-tools/cmd/controller-gen")
	plain := crdWith(t, widgets(t, false), crd.Generator{})
	for field := range reflect.TypeFor[crd.Generator]().Fields() {
		t.Run(field.Name, func(t *testing.T) {
			c, ok := crdOptions[field.Name]
			if !ok {
				t.Fatal("controller-tools has a new option: add it to config.CRD, to gotypes.Options and here")
			}
			root := widgets(t, c.float)
			run(t, root, filepath.Join(bin, "controller-gen"), "crd:"+c.args, "paths=./api/v1", "output:crd:dir=want")
			got, want := crdWith(t, root, c.opts), testkit.Read(t, filepath.Join(root, "want", "example.org_widgets.yaml"))
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("-command +library:\n%s", d)
			}
			if changed := !bytes.Equal(got, plain); changed != c.changes {
				t.Errorf("it changes the CRD: %t", changed)
			}
		})
	}
}

// widgets writes crdProject, with a float field or without.
func widgets(t *testing.T, float bool) string {
	t.Helper()
	field := ""
	if float {
		field = "\tRatio float64 `json:\"ratio\"`"
	}
	return testkit.Project(t, txtar.Parse([]byte(strings.Replace(crdProject, "FLOAT", field, 1))))
}

// crdWith makes the CRD.
func crdWith(t *testing.T, root string, opts crd.Generator) []byte {
	t.Helper()
	api, err := load.Load(context.Background(), load.Options{Root: root, Env: testkit.Offline(), Dirs: []string{"api/v1"},
		IgnoreUnexportedFields: true})
	if err != nil {
		t.Fatal(err)
	}
	gen, err := gocode.New(gotypes.New(api, opts),
		gocode.Options{Root: root, Scratch: t.TempDir(), ControllerTools: controllerTools(t)})
	if err != nil {
		t.Fatal(err)
	}
	set, _, err := gen.CRDs("crd")
	if err != nil {
		t.Fatal(err)
	}
	file, ok := set.Lookup("crd/example.org_widgets.yaml")
	if !ok {
		t.Fatal("there is no CRD")
	}
	return file.Data
}
