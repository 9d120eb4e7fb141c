package golang

import (
	"errors"
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang/link"
	"github.com/flux-framework/flux-operator/sdkgen/runtime"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// Stage is the name of the stage that generates the light Go client.
const Stage = "go"

// fakeDir is the directory of the fake API server.
const fakeDir = "fake"

// New returns a project's light Go client.
func New(p *stage.Project) *stage.SDK {
	return &stage.SDK{Project: p, Config: p.Config.Go, Language: stage.Language{
		Stage: Stage, Doc: "the light Go client", Generator: render.Go, Templates: templates.Go,
		Options: Options, CheckPackage: CheckPackage, CheckPart: checkPart,
		Annotate: func(api *model.API, _ ...string) (render.API, error) { return Annotate(api) },
		Move: func(_ *stage.Distribution, p *stage.Part, file string) string {
			return path.Join(path.Join(p.Names...), file)
		},
		Runtime: runtimeFiles, SharedRuntime: sharedRuntime, Extra: fakeSchemas,
		SharedPath: func(root, dir string) (string, error) { return load.PackagePath(root, path.Join(dir, link.Directory)) },
		Link:       linkPackage,
	}}
}

// checkPart refuses the name of a package in a distribution.
func checkPart(name string) error {
	if err := CheckPackage(name); err != nil {
		return err
	}
	if name == path.Dir(link.Directory) {
		return errors.New("packages below a directory internal cannot be imported from elsewhere")
	}
	return nil
}

// runtimeFiles returns the runtime and the fake for one package.
func runtimeFiles(pkg string) ([]runtime.File, error) {
	files, err := runtime.Go(pkg)
	if err != nil {
		return nil, err
	}
	fake, err := runtime.GoFake()
	return append(files, fake...), err
}

// sharedRuntime returns the runtime and the fake that the packages of a distribution share.
func sharedRuntime(*stage.Distribution) ([]runtime.File, error) {
	files, err := link.Runtime()
	if err != nil {
		return nil, err
	}
	fake, err := runtime.GoFake()
	return append(files, fake...), err
}

// linkPackage adapts one of several packages to the runtime that they share.
func linkPackage(files *artifact.Set, root, dir, sharedPath string) (*artifact.Set, error) {
	if err := load.RequireGo(root, dir, "1.24", "the Go client of several API packages"); err != nil {
		return nil, err // type Event is an alias with a type parameter
	}
	return link.Link(files, sharedPath)
}

// fakeSchemas returns the schemas that the fake of a distribution embeds.
func fakeSchemas(d *stage.Distribution) (*artifact.Set, error) {
	set := &artifact.Set{}
	for _, p := range d.Parts {
		data, err := FakeSchema(p.Document.API)
		if err != nil {
			return nil, err
		}
		name := strings.Join(append([]string{"schema"}, p.Names...), "-") + ".json"
		if err := set.Put(artifact.File{Path: path.Join(fakeDir, name), Data: data, Origin: Stage}); err != nil {
			return nil, err
		}
	}
	return set, nil
}
