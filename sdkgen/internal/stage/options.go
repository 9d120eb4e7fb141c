package stage

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

// GeneratorOptions are the language's options of openapi-generator: those of sdkgen's own templates, those of the
// project, which win, and those that sdkgen sets.
func (s *SDK) GeneratorOptions() (map[string]any, error) {
	input, err := s.givenOptions()
	if err != nil {
		return nil, err
	}
	pos, name := s.Project.Config.Pos(s.Language.Stage, "package"), s.Config.Package
	var list diag.List
	switch value, ok := input["packageName"]; {
	case !ok && name == "":
		list.Add(pos, "config", fmt.Sprintf("write the name that it is imported by, for example:\n%s:\n  package: example",
			s.Language.Stage),
			"%s.package is missing, and %s has no packageName", s.Language.Stage, s.Config.Config)
		return nil, list
	case ok && name != "" && value != name:
		list.Add(pos, "config", "keep one of the two", "%s.package is %q, but the packageName in %s is %q", s.Language.Stage,
			name, s.Config.Config, value)
		return nil, list
	case ok:
		name, _ = value.(string)
	}
	if err := s.Language.CheckPackage(config.Expand(name, "group", "v1")); err != nil {
		list.Add(s.packagePos(), "config", "write lower-case letters, digits and underscores", "%v", err)
		return nil, list
	}
	options := s.Language.Options()
	maps.Copy(options, input)
	options["packageName"], options["packageVersion"], options["hideGenerationTimestamp"] = name, s.Project.Config.Version,
		true
	return options, nil
}

// packagePos is where the project writes the name of the package.
func (s *SDK) packagePos() token.Position {
	if s.Config.Package == "" && s.Config.Config != "" {
		return token.Position{Filename: s.Config.Config}
	}
	return s.Project.Config.Pos(s.Language.Stage, "package")
}

// givenOptions reads the project's own generator options; none if there is no file.
func (s *SDK) givenOptions() (map[string]any, error) {
	options := map[string]any{}
	if s.Config.Config == "" {
		return options, nil
	}
	data, err := s.Project.Root.ReadFile(filepath.FromSlash(s.Config.Config))
	if err != nil {
		return nil,
			Unreadable(s.Config.Config, "config of a language in sdkgen.yaml names the file of the generator's options, in JSON",
				err)
	}
	if err := json.Unmarshal(data, &options); err != nil {
		return nil,
			diag.List{{Pos: jsonPosition(s.Config.Config, data, err), Rule: "config", Message: err.Error(),
				Hint: "the generator's options are a JSON object"}}
	}
	for _, name := range ownOptions {
		if _, set := options[name]; set {
			return nil,
				diag.List{{Pos: token.Position{Filename: s.Config.Config}, Rule: "config", Message: name + " is set by sdkgen",
					Hint: "remove it"}}
		}
	}
	if s.Project.Config.Engine == config.Native {
		var list diag.List
		for _, name := range slices.Sorted(maps.Keys(options)) {
			if !slices.Contains(render.Options, name) {
				list.Add(token.Position{Filename: s.Config.Config}, "config", "remove it, or "+render.Remedy,
					"the engine %s has no option %s", config.Native, name)
			}
		}
		return options, list.Err()
	}
	return options, nil
}

// ownTemplates is what messages call sdkgen's own templates.
const ownTemplates = "sdkgen's own templates"

// templateFS returns the templates of a distribution's only API package, and what messages call their directory.
func (s *SDK) templateFS() (tree fs.FS, called string, err error) {
	if s.Config.Templates != "" {
		return os.DirFS(s.Project.Env.Path(s.Config.Templates)), s.Config.Templates, nil
	}
	own, err := fs.Sub(templates.FS, s.Language.Templates)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", ownTemplates, err)
	}
	return own, path.Join(ownTemplates, s.Language.Templates), nil
}

// readTemplates reads the templates.
func (s *SDK) readTemplates() (*artifact.Set, error) {
	if s.Config.Templates == "" {
		return ReadTree(templates.FS, s.Language.Templates, s.Language.Stage)
	}
	return s.Project.Files.ReadTree(s.Config.Templates, s.Language.Stage)
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
