package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// ownOptions are the generator options that sdkgen sets itself.
var ownOptions = []string{"generatorName", "inputSpec", "outputDir", "packageVersion", "templateDir"}

// generatorOptions are the language's options of openapi-generator: those of sdkgen's own templates, those of the
// project, which win, and those that sdkgen sets.
func (s *sdk) generatorOptions() (map[string]any, error) {
	given, err := s.givenOptions()
	if err != nil {
		return nil, err
	}
	pos, name := s.project.cfg.Pos(s.stage, "package"), s.cfg.Package
	var list diag.List
	switch value, ok := given["packageName"]; {
	case !ok && name == "":
		list.Add(pos, "config", fmt.Sprintf("write the name that it is imported by, for example:\n%s:\n  package: example", s.stage),
			"%s.package is missing, and %s has no packageName", s.stage, s.cfg.Config)
		return nil, list
	case ok && name != "" && value != name:
		list.Add(pos, "config", "keep one of the two", "%s.package is %q, but the packageName in %s is %q", s.stage, name, s.cfg.Config, value)
		return nil, list
	case ok:
		name, _ = value.(string)
	}
	if err := s.checkPackage(config.Expand(name, "group", "v1")); err != nil {
		list.Add(s.packagePos(), "config", "write lower-case letters, digits and underscores", "%v", err)
		return nil, list
	}
	options := s.options()
	maps.Copy(options, given)
	options["packageName"], options["packageVersion"], options["hideGenerationTimestamp"] = name, s.project.cfg.Version, true
	return options, nil
}

// packagePos is where the project writes the name of the package.
func (s *sdk) packagePos() token.Position {
	if s.cfg.Package == "" && s.cfg.Config != "" {
		return token.Position{Filename: s.cfg.Config}
	}
	return s.project.cfg.Pos(s.stage, "package")
}

// givenOptions reads the project's own generator options; none if there is no file.
func (s *sdk) givenOptions() (map[string]any, error) {
	options := map[string]any{}
	if s.cfg.Config == "" {
		return options, nil
	}
	data, err := s.project.root.ReadFile(filepath.FromSlash(s.cfg.Config))
	if err != nil {
		return nil, unreadable(s.cfg.Config, "config of a language in sdkgen.yaml names the file of the generator's options, in JSON", err)
	}
	if err := json.Unmarshal(data, &options); err != nil {
		return nil, diag.List{{Pos: jsonPosition(s.cfg.Config, data, err), Rule: "config", Message: err.Error(), Hint: "the generator's options are a JSON object"}}
	}
	for _, name := range ownOptions {
		if _, set := options[name]; set {
			return nil, diag.List{{Pos: token.Position{Filename: s.cfg.Config}, Rule: "config", Message: name + " is set by sdkgen", Hint: "remove it"}}
		}
	}
	if s.project.cfg.Engine == config.Native {
		var list diag.List
		for _, name := range slices.Sorted(maps.Keys(options)) {
			if !slices.Contains(render.Options, name) {
				list.Add(token.Position{Filename: s.cfg.Config}, "config", "remove it, or "+render.Remedy, "the engine %s has no option %s", config.Native, name)
			}
		}
		return options, list.Err()
	}
	return options, nil
}

// ownTemplates is what messages call sdkgen's own templates.
const ownTemplates = "sdkgen's own templates"

// templateFS returns the templates of a distribution's only API package, and what messages call their directory.
func (s *sdk) templateFS() (tree fs.FS, called string, err error) {
	if s.cfg.Templates != "" {
		return os.DirFS(s.project.env.path(s.cfg.Templates)), s.cfg.Templates, nil
	}
	own, err := fs.Sub(templates.FS, s.templates)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", ownTemplates, err)
	}
	return own, path.Join(ownTemplates, s.templates), nil
}

// readTemplates reads the templates.
func (s *sdk) readTemplates() (*artifact.Set, error) {
	if s.cfg.Templates == "" {
		return readTree(templates.FS, s.templates, s.stage)
	}
	return s.project.files.readTree(s.cfg.Templates, s.stage)
}

// jsonPosition is where a decoder stopped.
func jsonPosition(name string, data []byte, err error) token.Position {
	pos := token.Position{Filename: name}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := data[:max(syntax.Offset-1, 0)]
		pos.Line = bytes.Count(before, []byte("\n")) + 1
		pos.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	return pos
}
