package pipeline

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
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// ownOptions are the generator options that sdkgen sets itself.
var ownOptions = []string{"generatorName", "inputSpec", "outputDir", "packageVersion", "templateDir"}

// options are a language's generator options: those of sdkgen's own templates, those of the project,
// which win, and those that sdkgen sets.
func (r *run) options(lang language) (map[string]any, error) {
	given, err := r.givenOptions(lang.sdk)
	if err != nil {
		return nil, err
	}
	pos, name := r.cfg.Pos(lang.stage, "package"), lang.sdk.Package
	var list diag.List
	switch value, ok := given["packageName"]; {
	case !ok && name == "":
		list.Add(pos, "config", fmt.Sprintf("write the name that it is imported by, for example:\n%s:\n  package: example", lang.stage),
			"%s.package is missing, and %s has no packageName", lang.stage, lang.sdk.Config)
		return nil, list
	case ok && name != "" && value != name:
		list.Add(pos, "config", "keep one of the two", "%s.package is %q, but the packageName in %s is %q", lang.stage, name, lang.sdk.Config, value)
		return nil, list
	case ok:
		name, _ = value.(string)
	}
	if err := lang.named(name); err != nil {
		list.Add(pos, "config", "write lower-case letters, digits and underscores", "%v", err)
		return nil, list
	}
	options := lang.options()
	maps.Copy(options, given)
	options["packageName"], options["packageVersion"], options["hideGenerationTimestamp"] = name, r.cfg.Version, true
	return options, nil
}

// givenOptions reads the project's own generator options for a language; none if there is no file.
func (r *run) givenOptions(sdk *config.SDK) (map[string]any, error) {
	options := map[string]any{}
	if sdk.Config == "" {
		return options, nil
	}
	data, err := r.root.ReadFile(filepath.FromSlash(sdk.Config))
	if err != nil {
		return nil, unreadable(sdk.Config, "config of a language in sdkgen.yaml names the file of the generator's options, in JSON", err)
	}
	if err := json.Unmarshal(data, &options); err != nil {
		return nil, diag.List{{Pos: jsonPosition(sdk.Config, data, err), Rule: "config", Message: err.Error(), Hint: "the generator's options are a JSON object"}}
	}
	for _, name := range ownOptions {
		if _, set := options[name]; set {
			return nil, diag.List{{Pos: token.Position{Filename: sdk.Config}, Rule: "config", Message: name + " is set by sdkgen", Hint: "remove it"}}
		}
	}
	return options, nil
}

// ownTemplates is what messages call sdkgen's own templates.
const ownTemplates = "sdkgen's own templates"

// templates returns the directory of a language's templates, and what messages call it. sdkgen's own are
// written to scratch.
func (r *run) templates(lang language) (folder, called string, err error) {
	if lang.sdk.Templates != "" {
		return r.env.path(lang.sdk.Templates), lang.sdk.Templates, nil
	}
	own, err := fs.Sub(templates.FS, lang.own)
	if err != nil {
		return "", "", fmt.Errorf("reading %s: %w", ownTemplates, err)
	}
	folder = filepath.Join(r.scratch, "templates", lang.stage)
	if err := os.CopyFS(folder, own); err != nil {
		return "", "", fmt.Errorf("writing %s: %w", ownTemplates, err)
	}
	return folder, path.Join(ownTemplates, lang.own), nil
}

// readTemplates reads a language's templates.
func (r *run) readTemplates(lang language) (*artifact.Set, error) {
	if lang.sdk.Templates == "" {
		return readFolder(templates.FS, lang.own, "key")
	}
	return r.readTree(lang.sdk.Templates, "key")
}

// readTree reads a directory of the project, with paths relative to it; nothing if it is "".
func (r *run) readTree(dir, stage string) (*artifact.Set, error) {
	if dir == "" {
		return &artifact.Set{}, nil
	}
	return readFolder(r.root.FS(), dir, stage)
}

func readFolder(tree fs.FS, dir, stage string) (*artifact.Set, error) {
	set := &artifact.Set{}
	err := fs.WalkDir(tree, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return set.Put(artifact.File{Path: strings.TrimPrefix(name, dir+"/"), Data: data, Mode: info.Mode().Perm(), Origin: stage})
	})
	if err != nil {
		return nil, unreadable(dir, "templates and overlay.dir in sdkgen.yaml name directories of the project", err)
	}
	return set, nil
}

// readOptional reads a file of the project that may be missing or not configured.
func (r *run) readOptional(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	data, err := r.root.ReadFile(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, "sdkgen.yaml names it: it must be a file inside of the project", err)
	}
	return data, nil
}

// unreadable is the finding for a file or directory of the project that cannot be read.
func unreadable(name, hint string, err error) error {
	message := "it cannot be read: " + err.Error()
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		message = "it cannot be read: " + at.Err.Error()
		if name != at.Path && filepath.IsLocal(at.Path) { // in the directory of that name
			name = at.Path
		}
	}
	return diag.List{{Pos: token.Position{Filename: name}, Rule: "config", Message: message, Hint: hint}}
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
