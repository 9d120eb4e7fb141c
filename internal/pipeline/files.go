package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/config"
	"github.com/flux-framework/flux-operator/internal/diag"
)

// ownOptions are the generator options that sdkgen sets itself.
var ownOptions = []string{"generatorName", "inputSpec", "outputDir", "packageVersion", "templateDir"}

// generatorConfig reads a language's generator options and adds the version.
func (r *run) generatorConfig(sdk *config.SDK) (map[string]any, error) {
	data, err := r.root.ReadFile(filepath.FromSlash(sdk.Config))
	if err != nil {
		return nil, unreadable(sdk.Config, "config of a language in sdkgen.yaml names the file of the generator's options, in JSON", err)
	}
	options := map[string]any{}
	if err := json.Unmarshal(data, &options); err != nil {
		return nil, diag.List{{Pos: jsonPosition(sdk.Config, data, err), Rule: "config", Message: err.Error(), Hint: "the generator's options are a JSON object"}}
	}
	for _, name := range ownOptions {
		if _, set := options[name]; set {
			return nil, diag.List{{Pos: token.Position{Filename: sdk.Config}, Rule: "config", Message: name + " is set by sdkgen", Hint: "remove it"}}
		}
	}
	options["packageVersion"] = r.cfg.Version
	options["hideGenerationTimestamp"] = true
	return options, nil
}

// readTree reads a folder of the project, with paths relative to it; nothing if it is "".
func (r *run) readTree(dir, stage string) (*artifact.Set, error) {
	set := &artifact.Set{}
	if dir == "" {
		return set, nil
	}
	err := fs.WalkDir(r.root.FS(), dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == "__pycache__" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := fs.ReadFile(r.root.FS(), name)
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
		return nil, unreadable(dir, "templates and overlay.dir in sdkgen.yaml name folders of the project", err)
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

// unreadable is the finding for a file or folder of the project that cannot be read.
func unreadable(name, hint string, err error) error {
	message := "it cannot be read: " + err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		message = "it cannot be read: " + path.Err.Error()
		if name != path.Path && filepath.IsLocal(path.Path) { // in the folder of that name
			name = path.Path
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
