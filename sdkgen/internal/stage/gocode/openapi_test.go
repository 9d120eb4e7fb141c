package gocode

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/cmd/openapi-gen/args"
	"k8s.io/kube-openapi/pkg/generators"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const enumerated = `
-- api/v1/doc.go --
// +k8s:openapi-gen=true
// +groupName=example.org

// Package v1 is an API.
package v1
-- api/v1/types.go --
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.org/op/api/shared"
)

// Widget is a root kind.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Mode    *Mode                         ` + "`json:\"mode\"`" + `
	Modes   []Mode                        ` + "`json:\"modes\"`" + `
	By      map[string]shared.Kind        ` + "`json:\"by\"`" + `
	Plain   Plain                         ` + "`json:\"plain\"`" + `
	Restart corev1.RestartPolicy          ` + "`json:\"restart\"`" + `
}

// Mode is an enumeration.
// +enum
type Mode string

const (
	// ModeOn is on.
	ModeOn Mode = "On"
	ModeOff Mode = "Off"
	// ModeKind is of another package.
	ModeKind Mode = shared.Text
)

// Plain is none.
type Plain string

const PlainOne Plain = "One"
-- api/shared/shared.go --
package shared

// Kind is an enumeration of a package that is no API.
// +enum
type Kind string

const (
	KindA Kind = "A"
	KindB Kind = Text
)

const Text = "Text"
`

// TestEnums compares what openapi-gen makes of a universe with no more types than enumerations with
// what it makes of the whole.
func TestEnums(t *testing.T) {
	root := testkit.Project(t, txtar.Parse([]byte(enumerated)))
	api, err := load.Load(context.Background(), load.Options{Root: root, Env: testkit.Offline(), Dirs: []string{"api/v1"}})
	if err != nil {
		t.Fatal(err)
	}
	generated := func(universe func(types.Universe) types.Universe) string {
		gen, err := New(gotypes.New(api, crd.Generator{}), Options{Root: root, Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		set, err := gen.run("openapi-gen", OpenAPIStage, generators.NameSystems(), generators.DefaultNameSystem(),
			func(ctx *generator.Context) ([]generator.Target, error) {
				ctx.Universe = universe(ctx.Universe)
				opts := args.New()
				opts.OutputDir, opts.OutputPkg, opts.OutputFile, opts.ReportFilename = gen.scratch, "p", OpenAPIFile,
					gen.scratch+"/report"
				return generators.GetOpenAPITargets(ctx, opts, nil), nil
			})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		for file := range set.All() {
			text += string(file.Data)
		}
		return text
	}
	want := generated(func(all types.Universe) types.Universe { return all })
	if n := strings.Count(want, "Enum:"); n < 2 {
		t.Errorf("%d enumerations are compared:\n%s", n, want)
	}
	if d := cmp.Diff(want, generated(enums)); d != "" {
		t.Errorf("(-whole universe +enumerations)\n%s", d)
	}
}

const modelPackage = `
-- go.mod+ --
require example.com/other v0.0.0

replace example.com/other => ./other
-- other/go.mod --
module example.com/other

go 1.26.0
-- other/v1/doc.go --
// +groupName=other.example.com
// +k8s:openapi-model-package=com.example.v1
package v1
-- other/v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a root kind.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Part Part ` + "`json:\"part\"`" + `
}

// Part has a name for itself.
// +k8s:openapi-model-package=com.example.part.v1
type Part struct {
	Text Text ` + "`json:\"text\"`" + `
}

// Text has a method.
type Text struct{}

func (Text) OpenAPIModelName() string { return "text" }
`

// TestModelPackage: whatever names the definitions of another module's package, they are made
// under the names of their Go types.
func TestModelPackage(t *testing.T) {
	root := testkit.Project(t, txtar.Parse([]byte(modelPackage)))
	api, err := load.Load(context.Background(), load.Options{Root: root,
		Env:     append(testkit.Offline(), "GOFLAGS=-mod=mod"),
		Foreign: []load.Foreign{{Path: "example.com/other/v1", Dir: "out"}}})
	if err != nil {
		t.Fatal(err)
	}
	gen, err := New(gotypes.New(api, crd.Generator{}), Options{Root: root, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	set, _, _, err := gen.OpenAPI(api.Packages[0])
	if err != nil {
		t.Fatal(err)
	}
	file, _ := set.Lookup("out/" + OpenAPIFile)
	if strings.Contains(string(file.Data), "OpenAPIModelName") {
		t.Errorf("a method names definitions:\n%s", file.Data)
	}
	for _, name := range []string{"Widget", "Part", "Text"} {
		if !strings.Contains(string(file.Data), `"example.com/other/v1.`+name+`": `) {
			t.Errorf("%s has no definition of its name:\n%s", name, file.Data)
		}
	}
}
