package gogen

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"strings"

	applyargs "k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	apply "k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	clientargs "k8s.io/code-generator/cmd/client-gen/args"
	client "k8s.io/code-generator/cmd/client-gen/generators"
	clienttypes "k8s.io/code-generator/cmd/client-gen/types"
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informer "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	lister "k8s.io/code-generator/cmd/lister-gen/generators"
	"k8s.io/gengo/v2/generator"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// clientsetName is the directory of the clientset below clientset/, and its package's name.
const clientsetName = "versioned"

// clients says where code-generator's four packages go.
type clients struct {
	dir    string // directory that holds the four, relative to the project's root
	pkg    string // its import path
	schema string // see Clients
}

// at returns the scratch directory and the import path of one of them.
func (c clients) at(g *Generator, name string) (dir, pkg string) {
	return filepath.Join(g.scratch, filepath.FromSlash(c.dir), name), path.Join(c.pkg, name)
}

// Clients generates the clientset (with a fake one), listers, informers and applyconfiguration
// of all packages of the project's own, in directories of these names below dir; pkg is dir's import
// path. Below each, code-generator names a group's directory after the one above the API package. Declarations
// that the clients need and a package lacks go beside its types, in zz_generated.register.go.
//
// The file schema, absolute, has the models of the packages' types, as applyconfiguration-gen's
// option --openapi-schema wants them: without them there is no Extract function, and the fake
// clientset cannot apply.
func (g *Generator) Clients(dir, pkg, schema string) (*artifact.Set, error) {
	c := clients{dir: dir, pkg: pkg, schema: schema}
	if err := g.checkDirectories().Err(); err != nil {
		return nil, err
	}
	set, err := g.register()
	if err != nil || len(g.own()) == 0 {
		return set, err
	}
	for _, make := range []func(clients) (*artifact.Set, error){
		g.applyConfigurations, g.clientset, g.listers, g.informers,
	} {
		part, err := make(c)
		if err != nil {
			return nil, err
		}
		if err := set.Merge(part); err != nil {
			return nil, err
		}
	}
	return set, nil
}

func (g *Generator) applyConfigurations(c clients) (*artifact.Set, error) {
	args := applyargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, "applyconfiguration")
	args.GoHeaderFile = g.header
	args.OpenAPISchemaFilePath = c.schema
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring applyconfiguration-gen: %w", err)
	}
	return g.run("applyconfiguration-gen", ClientsStage, apply.NameSystems(), apply.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) { return apply.GetTargets(ctx, args), nil })
}

func (g *Generator) clientset(c clients) (*artifact.Set, error) {
	args := clientargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, "clientset")
	_, args.ApplyConfigurationPackage = c.at(g, "applyconfiguration")
	args.ClientsetName = clientsetName
	args.GoHeaderFile = g.header
	args.Groups = g.groups()
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring client-gen: %w", err)
	}
	return g.run("client-gen", ClientsStage, client.NameSystems(nil), client.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) { return client.GetTargets(ctx, args), nil })
}

// checkDirectories reports API packages whose parent directory cannot name the group's package.
func (g *Generator) checkDirectories() diag.List {
	var list diag.List
	groups := map[string]string{}
	for _, pkg := range g.own() {
		pos := token.Position{Filename: path.Join(pkg.SourceDir, "doc.go"), Line: 1, Column: 1}
		dir := path.Base(path.Dir(pkg.Path))
		before, taken := groups[dir]
		switch groups[dir] = pkg.Group; {
		case !token.IsIdentifier(strings.ToLower(dir)):
			list.Add(pos, "clients", "rename that directory, for example to api/"+identifier(pkg.Group)+"/"+path.Base(pkg.Path),
				"the clients of a group are in a package named after the parent of the version's directory, and %q is not a valid package name", dir)
		case taken && before != pkg.Group:
			list.Add(pos, "clients", "move one of them, for example to api/"+identifier(pkg.Group)+"/"+path.Base(pkg.Path),
				"the clients of the groups %s and %s would be in one package, named after the parent directory %q", before, pkg.Group, dir)
		}
	}
	return list
}

// identifier is the first label of a group, as a Go identifier.
func identifier(group string) string {
	first, _, _ := strings.Cut(group, ".")
	return strings.ReplaceAll(first, "-", "")
}

// groups lists the packages as client-gen's --input GROUP/VERSION does: a group is named
// after the directory that holds its versions.
func (g *Generator) groups() []clienttypes.GroupVersions {
	var out []clienttypes.GroupVersions
	index := map[string]int{}
	for _, pkg := range g.own() {
		group := path.Base(path.Dir(pkg.Path))
		i, ok := index[group]
		if !ok {
			i = len(out)
			index[group] = i
			out = append(out, clienttypes.GroupVersions{PackageName: group, Group: clienttypes.Group(group)})
		}
		out[i].Versions = append(out[i].Versions, clienttypes.PackageVersion{
			Version: clienttypes.Version(path.Base(pkg.Path)), Package: pkg.Path,
		})
	}
	return out
}

func (g *Generator) listers(c clients) (*artifact.Set, error) {
	args := listerargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, "listers")
	args.GoHeaderFile = g.header
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring lister-gen: %w", err)
	}
	return g.run("lister-gen", ClientsStage, lister.NameSystems(nil), lister.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) { return lister.GetTargets(ctx, args), nil })
}

func (g *Generator) informers(c clients) (*artifact.Set, error) {
	args := informerargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, "informers")
	args.GoHeaderFile = g.header
	_, args.VersionedClientSetPackage = c.at(g, path.Join("clientset", clientsetName))
	_, args.ListersPackage = c.at(g, "listers")
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring informer-gen: %w", err)
	}
	return g.run("informer-gen", ClientsStage, informer.NameSystems(nil), informer.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) { return informer.GetTargets(ctx, args), nil })
}
