package scaffold

import (
	"cmp"
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/golang"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/python"
)

// schemaLine has editors complete and check the configuration.
const schemaLine = "# yaml-language-server: " +
	"$schema=https://raw.githubusercontent.com/flux-framework/flux-operator/main/sdkgen/sdkgen.schema.json\n"

// importsFile imports the API packages of other modules.
const importsFile = "hack/sdkgen/imports.go"

// renderImports is the file without which `go mod tidy` would take the modules of the API packages out of
// go.mod: nothing else imports them. It looks at files of all build tags.
func (p *project) renderImports() string {
	text := "//go:build sdkgen\n\n// Package sdkgen keeps in go.mod the modules whose API packages sdkgen.yaml " +
		"names.\npackage sdkgen\n\nimport (\n"
	var imports []string
	for _, a := range p.apis {
		imports = append(imports, "\t_ "+strconv.Quote(a.importPath)+"\n")
	}
	slices.Sort(imports)
	return text + strings.Join(imports, "") + ")\n"
}

// files returns what is to be written: files in Go that are missing, then the configuration.
func (p *project) files() ([]artifact.File, error) {
	var files []artifact.File
	for _, a := range p.apis {
		if p.takesOver() && !a.hasDoc {
			data := p.header.comment() + a.markers() + "\npackage " + a.name + "\n"
			files = append(files, artifact.File{Path: path.Join(a.dir, "doc.go"), Data: []byte(data)})
		}
	}
	if _, err := fs.Stat(p.tree, importsFile); len(p.opts.Packages) > 0 && err != nil {
		files = append(files, artifact.File{Path: importsFile, Data: []byte(p.renderImports())})
	}
	text := p.render()
	if _, err := config.Parse(p.opts.Config, []byte(text)); err != nil {
		return nil, fmt.Errorf("bug in sdkgen, please report it: the configuration is not valid: %w\n%s", err, text)
	}
	return append(files, artifact.File{Path: p.opts.Config, Data: []byte(text)}), nil
}

// render returns the configuration.
func (p *project) render() string {
	var b strings.Builder
	b.WriteString(schemaLine + `
# What sdkgen generates from the API types, and where it writes it. ` + "`sdkgen generate`" + ` writes it,
# ` + "`sdkgen verify`" + ` compares it in CI. Paths are relative to this file.

# The version of the SDKs.
version: 0.1.0
`)
	if h := p.header; h.file != "" && p.takesOver() {
		text := "header: " + h.file + "\n"
		if h.year != "" {
			text += "year: " + h.year + "\n"
		}
		b.WriteString(section("The comment above each generated Go file.", text, h.bad))
	}
	b.WriteString(p.renderAPIs())
	b.WriteString(p.renderCRD())
	if p.takesOver() {
		b.WriteString(section("API rule violations that are accepted; `sdkgen rules --update` writes the list.",
			"rules:\n  exceptions: hack/violations.list\n", unwanted))
	}
	b.WriteString(
		section("A manifest of each kind that the API server accepts; those in the directory that you wrote are validated.",
			"samples:\n  dir: config/samples\n", unwanted))
	b.WriteString(section("JSON Schemas by which editors and kubeconform validate manifests, and OpenAPI 3 documents.",
		"schemas:\n  dir: config/schemas\n", unwanted))
	b.WriteString(
		section("Reference pages as Markdown, for mkdocs, Docusaurus or Hugo; `sdkgen docs` makes a site that needs none "+
			"of them.",
			"docs:\n  dir: docs/api\n  format: markdown\n", unwanted))
	b.WriteString(p.renderSDKs())
	b.WriteString(p.renderKeep())
	return b.String()
}

// unwanted is the reason why a section is off that nobody asked for.
const unwanted = "remove the # to have it"

// section is a part of the configuration, as a comment if there is a reason why it is off.
func section(comment, text, off string) string {
	if off == "" {
		return "\n# " + comment + "\n" + text
	}
	return "\n# " + comment + "\n# Off: " + off + ".\n# " +
		strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n# ") + "\n"
}

// renderAPIs lists the API packages.
func (p *project) renderAPIs() string {
	comment := "The packages with API types, one for each version."
	switch {
	case len(p.opts.Packages) > 0:
		comment = "The packages with API types; nothing is written to them. dir is for swagger.json."
	case p.opts.SDKOnly:
		comment = "The packages with API types, by import path: nothing is written to them, and their own tools make\n# " +
			"their CRDs and deepcopy code. dir is for swagger.json."
	}
	text := "apis:\n"
	for _, a := range p.apis {
		if p.takesOver() {
			text += "  - path: " + a.dir + "\n"
		} else {
			text += "  - package: " + a.importPath + "\n    dir: " + p.specDir(a) + "\n"
		}
	}
	return section(comment, text, "")
}

// specDir is where swagger.json of a package goes that nothing is written to.
func (p *project) specDir(a *api) string {
	parts := []string{"spec", p.name}
	if len(p.groups()) > 1 {
		parts = append(parts, path.Base(path.Dir(a.importPath)))
	}
	if len(p.apis) > 1 {
		parts = append(parts, a.version)
	}
	return path.Join(parts...)
}

// renderSDKs are the sections for SDKs and clients.
func (p *project) renderSDKs() string {
	reason := func(output string) string {
		if p.wants(output) {
			return ""
		}
		return unwanted
	}
	var b strings.Builder
	b.WriteString(section("The Python SDK: models, a typed client, packaging.",
		fmt.Sprintf("python:\n  dir: %s\n  package: %s\n", p.dirs[Python], pythonName(p.name)), reason(Python)))
	b.WriteString(section("The light Go client: models of its own, without the types' module.",
		fmt.Sprintf("go:\n  dir: %s\n  package: %s\n", p.dirs[Go], goName(p.name)), reason(Go)))
	if p.takesOver() {
		b.WriteString(section("Clientset, listers, informers and apply configurations, for kinds with +genclient.",
			p.renderClients(), reason(Clients)))
	}
	return b.String()
}

// renderKeep lists what other generators make in the API packages.
func (p *project) renderKeep() string {
	if !p.takesOver() {
		return ""
	}
	text := ""
	for _, a := range p.apis {
		for _, name := range a.generated {
			if base := path.Base(name); base != deepcopyFile && base != openapiFile {
				text += "  - " + name + "\n"
			}
		}
	}
	if text == "" {
		return ""
	}
	return section(
		"Files beside the generated ones that other generators make; any other is a difference to `sdkgen verify`.",
		"keep:\n"+text, "")
}

// place chooses directories for the SDKs: new ones, beside those that the project has already.
func (p *project) place() {
	p.dirs = map[string]string{
		Python:  p.free("sdk/python", Python),
		Go:      p.free("sdk/go"+"/"+goName(p.name), Go),
		Clients: cmp.Or(p.codegen.dir, "sdk/go"),
	}
}

// free returns a directory that does not exist, near dir.
func (p *project) free(dir, output string) string {
	entries, err := fs.ReadDir(p.tree, dir)
	if err != nil || len(entries) == 0 {
		return dir
	}
	other := dir + "-sdkgen"
	if p.wants(output) {
		p.note(token.Position{Filename: dir}, "to have it in "+dir+", remove what is there and correct "+output+".dir in "+
			p.opts.Config,
			"the directory holds files that sdkgen did not write: the SDK goes to %s", other)
	}
	return other
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// pythonName is a project's name as that of a Python package.
func pythonName(name string) string {
	name = strings.Trim(notInName.ReplaceAllString(strings.ToLower(name), "_"), "_")
	if python.CheckPackage(name) != nil {
		name = strings.TrimSuffix("api_"+name, "_")
	}
	return name
}

// goName is a project's name as that of a Go package.
func goName(name string) string {
	name = notInName.ReplaceAllString(strings.ToLower(name), "")
	if golang.CheckPackage(name) != nil {
		name = "api" + name
	}
	return name
}
