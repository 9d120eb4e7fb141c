package gocode

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	applyargs "k8s.io/code-generator/cmd/applyconfiguration-gen/args"
	apply "k8s.io/code-generator/cmd/applyconfiguration-gen/generators"
	clientargs "k8s.io/code-generator/cmd/client-gen/args"
	client "k8s.io/code-generator/cmd/client-gen/generators"
	"k8s.io/code-generator/cmd/client-gen/generators/util"
	clienttypes "k8s.io/code-generator/cmd/client-gen/types"
	informerargs "k8s.io/code-generator/cmd/informer-gen/args"
	informer "k8s.io/code-generator/cmd/informer-gen/generators"
	listerargs "k8s.io/code-generator/cmd/lister-gen/args"
	lister "k8s.io/code-generator/cmd/lister-gen/generators"
	codegenutil "k8s.io/code-generator/pkg/util"
	"k8s.io/gengo/v2/generator"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// ClientGo is the oldest version of client-go that compiles the clients of the linked code-generator.
const ClientGo = "v0.37.0"

// ClientOptions say what code-generator makes, and where.
type ClientOptions struct {
	config.Clients        // with all names
	Package        string // import path of Dir
	// Models is a file, absolute, with the models of the packages' types, as applyconfiguration-gen's option
	// --openapi-schema wants them: without them there is no Extract function, and the fake clientset cannot apply.
	Models string
	// Run makes the packages in place of the linked code-generator, if it is set: of the API packages with these import
	// paths, with the comment in that file, "" for none, above each file.
	Run func(apis []string, header string) (*artifact.Set, error)
}

// clients are the packages that get clients, with the options.
type clients struct {
	ClientOptions
	pkgs []*load.Package
}

// at returns the scratch directory and the import path of one of the directories.
func (c clients) at(g *Generator, name string) (dir, pkg string) {
	return filepath.Join(g.scratch, filepath.FromSlash(c.Dir), name), path.Join(c.Package, name)
}

// Clients generates the clientset (with a fake one), listers, informers and apply configurations of the packages in
// which a kind has +genclient. Below each, code-generator names a group's directory after the one above the API
// package. Declarations that the clients need and a package of the project lacks go beside its types, in
// zz_generated.register.go.
func (g *Generator) Clients(opts ClientOptions) (*artifact.Set, error) {
	c := clients{ClientOptions: opts}
	err := asCommand("client-gen", func() (err error) {
		c.pkgs, err = g.clientPackages(opts.OneInputAPI)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := checkDirectories(c.pkgs).Err(); err != nil {
		return nil, err
	}
	set, err := g.register(c.pkgs)
	if err != nil {
		return nil, err
	}
	if c.Run != nil {
		part, err := c.Run(c.paths(), g.header)
		if err != nil {
			return nil, err
		}
		return set, set.Merge(part)
	}
	makers := []func(clients) (*artifact.Set, error){g.clientset}
	if c.Applyconfig() {
		makers = append(makers, g.applyConfigurations)
	}
	if c.Watch() {
		makers = append(makers, g.listers, g.informers)
	}
	for _, make := range makers {
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

// clientPackages returns the packages with a type that has +genclient, in or below a directory, or anywhere if it is
// "".
func (g *Generator) clientPackages(in string) ([]*load.Package, error) {
	universe, err := g.universe()
	if err != nil {
		return nil, err
	}
	var found []*load.Package
	var list diag.List
	for _, pkg := range g.api.Packages {
		if in != "" && pkg.Dir != in && !strings.HasPrefix(pkg.Dir, in+"/") {
			continue
		}
		for _, t := range universe[pkg.Path].Types {
			tags, err := util.ParseClientGenTags(slices.Concat(t.SecondClosestCommentLines, t.CommentLines))
			if err != nil {
				list.Add(g.api.Pos(pkg.Path, t.Name.Name, ""), "clients", "", "%v", err)
			}
			if tags.GenerateClient && !slices.Contains(found, pkg) {
				found = append(found, pkg)
			}
		}
	}
	if len(found) == 0 && len(list) == 0 {
		list = append(list, g.clientless(in)...)
	}
	return found, list.Err()
}

// clientless reports that no kind has +genclient.
func (g *Generator) clientless(in string) (list diag.List) {
	for _, pkg := range g.api.Packages {
		kind := slices.IndexFunc(pkg.Kinds, func(kind load.Kind) bool { return !kind.List })
		if kind < 0 || in != "" && pkg.Dir != in && !strings.HasPrefix(pkg.Dir, in+"/") {
			continue
		}
		hint := "write above each kind that needs a client:\n// +genclient"
		if pkg.Foreign {
			hint = "nothing is written to a package of another module: remove the section clients from the configuration"
		}
		list.Add(g.api.Pos(pkg.Path, pkg.Kinds[kind].Name, ""), "clients", hint,
			"no kind has +genclient: the clientset would be empty, and would not compile")
		return list
	}
	list.Add(token.Position{}, "clients", "correct clients.oneInputApi in the configuration, or remove it",
		"there is no API package in %q", in)
	return list
}

func (g *Generator) applyConfigurations(c clients) (*artifact.Set, error) {
	args := applyargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, c.ApplyconfigName)
	args.GoHeaderFile = g.header
	args.OpenAPISchemaFilePath = c.Models
	externals := applyargs.NewExternalApplyConfigurationValue(&args.ExternalApplyConfigurations, nil)
	for _, external := range c.ApplyconfigExternals {
		if err := externals.Set(external); err != nil {
			return nil, fmt.Errorf("configuring applyconfiguration-gen: %w", err)
		}
	}
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring applyconfiguration-gen: %w", err)
	}
	return g.run("applyconfiguration-gen", ClientsStage, apply.NameSystems(), apply.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = c.paths()
			return apply.GetTargets(ctx, args), nil
		})
}

func (g *Generator) clientset(c clients) (*artifact.Set, error) {
	args := clientargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, c.ClientsetName)
	if c.Applyconfig() {
		_, args.ApplyConfigurationPackage = c.at(g, c.ApplyconfigName)
	}
	args.ClientsetName = c.VersionedName
	args.GoHeaderFile = g.header
	args.PluralExceptions = c.PluralExceptions
	args.PrefersProtobuf = c.PrefersProtobuf
	args.Groups = c.groups()
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring client-gen: %w", err)
	}
	return g.run("client-gen", ClientsStage, client.NameSystems(c.plurals()), client.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = c.paths()
			return client.GetTargets(ctx, args), nil
		})
}

// paths returns the import paths of the packages.
func (c clients) paths() []string {
	var paths []string
	for _, pkg := range c.pkgs {
		paths = append(paths, pkg.Path)
	}
	return paths
}

// plurals returns the exceptions, as the commands do.
func (c clients) plurals() map[string]string {
	return codegenutil.PluralExceptionListToMapOrDie(c.PluralExceptions)
}

// checkDirectories reports API packages whose parent directory cannot name the group's package.
func checkDirectories(pkgs []*load.Package) diag.List {
	var list diag.List
	groups := map[string]string{}
	for _, pkg := range pkgs {
		pos := token.Position{Filename: path.Join(pkg.SourceDir, "doc.go"), Line: 1, Column: 1}
		dir := path.Base(path.Dir(pkg.Path))
		before, taken := groups[dir]
		switch groups[dir] = pkg.Group; {
		case !token.IsIdentifier(strings.ToLower(dir)):
			list.Add(pos, "clients", "rename that directory, for example to api/"+config.GroupName(pkg.Group)+"/"+
				path.Base(pkg.Path),
				"the clients of a group are in a package named after the parent of the version's directory, and %q is not a "+
					"valid package name", dir)
		case taken && before != pkg.Group:
			list.Add(pos, "clients", "move one of them, for example to api/"+config.GroupName(pkg.Group)+"/"+path.Base(pkg.Path),
				"the clients of the groups %s and %s would be in one package, named after the parent directory %q", before,
				pkg.Group, dir)
		}
	}
	return list
}

// groups lists the packages as client-gen's --input GROUP/VERSION does: a group is named
// after the directory that holds its versions.
func (c clients) groups() []clienttypes.GroupVersions {
	var out []clienttypes.GroupVersions
	index := map[string]int{}
	for _, pkg := range c.pkgs {
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
	args.OutputDir, args.OutputPkg = c.at(g, c.ListersName)
	args.GoHeaderFile = g.header
	args.PluralExceptions = c.PluralExceptions
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring lister-gen: %w", err)
	}
	return g.run("lister-gen", ClientsStage, lister.NameSystems(c.plurals()), lister.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = c.paths()
			return lister.GetTargets(ctx, args), nil
		})
}

func (g *Generator) informers(c clients) (*artifact.Set, error) {
	args := informerargs.New()
	args.OutputDir, args.OutputPkg = c.at(g, c.InformersName)
	args.GoHeaderFile = g.header
	_, args.VersionedClientSetPackage = c.at(g, path.Join(c.ClientsetName, c.VersionedName))
	_, args.ListersPackage = c.at(g, c.ListersName)
	args.PluralExceptions = c.PluralExceptions
	args.SingleDirectory = c.SingleDirectory
	if err := args.Validate(); err != nil {
		return nil, fmt.Errorf("configuring informer-gen: %w", err)
	}
	return g.run("informer-gen", ClientsStage, informer.NameSystems(c.plurals()), informer.DefaultNameSystem(),
		func(ctx *generator.Context) ([]generator.Target, error) {
			ctx.Inputs = c.paths()
			return informer.GetTargets(ctx, args), nil
		})
}
