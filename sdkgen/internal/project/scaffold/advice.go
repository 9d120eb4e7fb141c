package scaffold

import (
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const (
	deepcopyFile = "zz_generated.deepcopy.go"
	openapiFile  = "zz_generated.openapi.go"
	registerFile = "zz_generated.register.go"

	controllerTools = "sigs.k8s.io/controller-tools"
	kubeOpenAPI     = "k8s.io/kube-openapi"
	clientGo        = "k8s.io/client-go"
	codeGenerator   = "k8s.io/code-generator"
)

// adviseTools compares controller-gen's version and options with those of sdkgen.
func (p *project) adviseTools(version variable) {
	linked := p.opts.Modules[controllerTools]
	if version.value == "" {
		version = p.requiredTools()
	}
	if version.value != "" && linked != "" && version.value != linked {
		p.note(version.pos, "write "+linked+" in place of "+version.value,
			"controller-gen is %s, and sdkgen has %s: with the same version both write the same bytes", version.value, linked)
	}
	p.adviseCRDs()
	if p.header.year != "" && slices.ContainsFunc(p.calls,
		func(c call) bool { return c.generator == "object" && strings.Contains(c.options["year"], "$") }) {
		i := slices.IndexFunc(p.calls, func(c call) bool { return c.generator == "object" })
		p.note(p.calls[i].pos, "set the variable to "+p.header.year,
			"controller-gen writes the current year into headers, and sdkgen always writes %s", p.header.year)
	}
}

// requiredTools returns the version of controller-tools that a go.mod for tools requires.
func (p *project) requiredTools() variable {
	if r := p.module.require(controllerTools); r != nil {
		return variable{r.Mod.Version, token.Position{Filename: "go.mod", Line: r.Syntax.Start.Line,
			Column: r.Syntax.Start.LineRune}}
	}
	return variable{}
}

// advise collects what the author has to change.
func (p *project) advise() {
	if !p.takesOver() {
		return
	}
	for _, a := range p.apis {
		p.adviseTags(a)
		for _, name := range a.openapi {
			if path.Base(name) != openapiFile {
				p.note(token.Position{Filename: name}, "remove it, with what generates it",
					"it declares the functions of %s, which sdkgen generates: the package would not compile", openapiFile)
			}
		}
	}
	if p.header.bad != "" {
		p.note(token.Position{Filename: p.header.file},
			"write the year in its place, and the file under header in "+p.opts.Config, "the header is left out: %s",
			p.header.bad)
	}
	for _, file := range p.indirect() {
		p.note(token.Position{Filename: file}, "run `go mod tidy` after the first `sdkgen generate`",
			"%s imports %s: it becomes a direct requirement", openapiFile, kubeOpenAPI)
	}
	if p.wants(Clients) {
		p.adviseClients()
	}
	if files := p.adopted(); len(files) > 0 {
		p.note(token.Position{}, "run `sdkgen generate --adopt` once, and look at `git diff`", "sdkgen takes over: %s",
			strings.Join(files, ", "))
	}
}

// adviseTags reports a doc.go that lacks markers.
func (p *project) adviseTags(a *api) {
	if !a.lacksMarkers() {
		return
	}
	p.note(token.Position{Filename: path.Join(a.dir, "doc.go")},
		"add above the package clause:\n"+strings.TrimRight(a.markers(), "\n"), "the generators need markers there")
}

// lacksMarkers says whether the package has a doc.go, but not all of the markers that it has to have.
func (a *api) lacksMarkers() bool { return a.hasDoc && !(a.tagged && a.marked) }

// markers are those that a doc.go of the package has to have, a line each.
func (a *api) markers() string {
	var b strings.Builder
	if !a.tagged {
		b.WriteString("// +k8s:openapi-gen=true\n")
	}
	if !a.deepcopy && !a.has(deepcopyFile) {
		b.WriteString("// +kubebuilder:object:generate=true\n")
	}
	if !a.marked {
		b.WriteString("// +groupName=" + a.group + "\n")
	}
	return b.String()
}

func (a *api) has(name string) bool { return slices.Contains(a.files, path.Join(a.dir, name)) }

// adviseClients reports what keeps the clientset from compiling.
func (p *project) adviseClients() {
	for _, flag := range p.codegen.unread {
		p.note(p.codegen.pos, "write it under clients in "+p.opts.Config,
			"the value of gen_client's %s is known only when the script runs", flag)
	}
	linked := p.opts.Modules[codeGenerator]
	if r := p.module.require(clientGo); linked != "" &&
		(r == nil || semver.Compare(semver.MajorMinor(r.Mod.Version), semver.MajorMinor(linked)) < 0) {
		has := "none"
		if r != nil {
			has = r.Mod.Version
		}
		p.note(token.Position{Filename: "go.mod"},
			fmt.Sprintf("run `go get %s@%s`, or write under clients in %s: version: project", clientGo, linked, p.opts.Config),
			"the clients need %s %s or newer, and go.mod requires %s", clientGo, linked, has)
	}
	for _, a := range p.apis {
		if !a.genclient {
			p.note(token.Position{Filename: a.dir}, "write // +genclient above each kind that needs a client",
				"no kind has +genclient: the clients would be empty")
		}
	}
}

// indirect returns the go.mod files of API packages that do not require kube-openapi directly.
func (p *project) indirect() []string {
	if !p.takesOver() {
		return nil
	}
	var files []string
	for _, a := range p.apis {
		file := path.Join(a.module, "go.mod")
		data, err := fs.ReadFile(p.tree, file)
		if err != nil || slices.Contains(files, file) {
			continue
		}
		parsed, err := modfile.ParseLax(file, data, nil)
		if err != nil {
			continue // the go command says what is wrong
		}
		if r := (module{file: parsed}).require(kubeOpenAPI); r == nil || r.Indirect {
			files = append(files, file)
		}
	}
	return files
}

// adopted returns the existing files that generate would replace.
func (p *project) adopted() []string {
	if !p.takesOver() {
		return nil
	}
	var files []string
	for _, a := range p.apis {
		for _, name := range []string{deepcopyFile, openapiFile} {
			if a.has(name) {
				files = append(files, path.Join(a.dir, name))
			}
		}
		if a.has(registerFile) && p.wants(Clients) {
			files = append(files, path.Join(a.dir, registerFile))
		}
	}
	return append(files, p.adoptedCRDs()...)
}
