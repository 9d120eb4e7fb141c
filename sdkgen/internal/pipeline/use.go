package pipeline

import (
	"fmt"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pyuse"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
)

// useStage is the check's name in the progress. It makes no files, and runs whenever the SDK in
// Python is needed, whether that was made anew or not.
const useStage = "use"

// checkUse holds the Python that was written by hand against the SDK as it will be.
func (r *run) checkUse(users []pyuse.File) error {
	made := r.sets[PythonStage]
	if made == nil {
		return nil
	}
	overlay, err := r.readTree(r.cfg.Python.Overlay.Dir, useStage)
	if err != nil {
		return err
	}
	var parts []pyuse.File
	for file := range overlay.All() {
		if path.Ext(file.Path) == ".py" {
			parts = append(parts, pyuse.File{Path: path.Join(r.cfg.Python.Overlay.Dir, file.Path), Inside: file.Path, Data: file.Data})
		}
	}
	count := len(parts) + len(users)
	key := r.useKey(made, overlay, users)
	if r.known(key) {
		r.env.Log.Info("unchanged", "stage", useStage, "files", count)
		return nil
	}
	r.env.Log.Info("running", "stage", useStage)
	sdks, err := r.pythonSDKs(made)
	if err != nil {
		return err
	}
	var list diag.List
	var lists []diag.List
	for _, sdk := range sdks {
		facts := pyuse.Read(sdk)
		list = append(list, facts.Check(parts)...) // it is a part of each SDK
		lists = append(lists, facts.Check(users))  // it uses one of them
	}
	list = append(list, pyuse.Common(lists)...)
	if len(list) > 0 {
		return &BrokenRules{list.Sorted()}
	}
	r.remember(key)
	r.env.Log.Info("done", "stage", useStage, "files", count)
	return nil
}

// useKey stands for it that the check finds nothing.
func (r *run) useKey(made, overlay *artifact.Set, users []pyuse.File) string {
	k := r.keyer("use", r.env.Build)
	k.json("python", r.cfg.Python)
	k.add("sdk", r.keys[PythonStage])
	k.set("made", made)
	k.set("documents", r.sets[swagger.Stage])
	k.set("overlay", overlay)
	for _, file := range users {
		k.add(file.Path, artifact.Sum(file.Data))
	}
	return k.sum()
}

// users reads what python.check names, if the SDK in Python is to be made.
func (r *run) users() (files []pyuse.File, err error) {
	if r.cfg.Python == nil || !r.needed(PythonStage) {
		return nil, nil
	}
	for _, name := range r.cfg.Python.Check {
		if files, err = r.readPython(files, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// pythonSDKs returns what the check is to know of the SDK of each API version.
func (r *run) pythonSDKs(made *artifact.Set) ([]pyuse.SDK, error) {
	options, err := r.options(r.python())
	if err != nil {
		return nil, err
	}
	name, _ := options["packageName"].(string)
	var sdks []pyuse.SDK
	for file := range r.sets[swagger.Stage].All() {
		doc, err := r.decode(file)
		if err != nil {
			return nil, err
		}
		annotated, err := r.annotate(r.python(), file)
		if err != nil {
			return nil, err
		}
		models, err := pythonModels(annotated)
		if err != nil {
			return nil, err
		}
		files := &artifact.Set{}
		for file := range made.All() {
			if inside, ok := strings.CutPrefix(file.Path, r.cfg.Python.ForVersion(doc.Info.Version)+"/"); ok {
				file.Path = inside
				if err := files.Put(file); err != nil {
					return nil, err
				}
			}
		}
		sdks = append(sdks, pyuse.SDK{Package: name, Files: files, Models: models})
	}
	return sdks, nil
}

// pythonModels returns the attributes of each model of a document that pysdk has annotated.
func pythonModels(annotated *spec.Swagger) (map[string][]pyuse.Attribute, error) {
	models := map[string][]pyuse.Attribute{}
	for name, schema := range annotated.Definitions {
		model, ok := schema.Extensions[pysdk.Extension].(*pysdk.Model)
		if !ok {
			return nil, fmt.Errorf("reading the Python model %s: it has no %s", name, pysdk.Extension)
		}
		attributes := []pyuse.Attribute{} // a model may have none
		for _, field := range model.Fields {
			attributes = append(attributes, pyuse.Attribute{Name: field.Attr, Key: python.Text(field.Key), Type: python.Text(field.Type)})
		}
		models[name] = attributes
	}
	return models, nil
}

// readPython adds a file that python.check names, or those with Python in a directory, each once.
func (r *run) readPython(files []pyuse.File, name string) ([]pyuse.File, error) {
	hint := "python.check in sdkgen.yaml names files and directories with Python"
	found := false
	err := fs.WalkDir(r.root.FS(), name, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		switch {
		case file == name && !entry.IsDir():
		case entry.IsDir():
			if file != name && (base == "__pycache__" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(base) != ".py":
			return nil
		}
		found = true
		if slices.ContainsFunc(files, func(f pyuse.File) bool { return f.Path == file }) {
			return nil
		}
		data, err := r.root.ReadFile(filepath.FromSlash(file))
		files = append(files, pyuse.File{Path: file, Data: data})
		return err
	})
	if err != nil {
		return nil, unreadable(name, hint, err)
	}
	if !found {
		list := diag.List{}
		list.Add(token.Position{Filename: name}, "config", hint, "there is no Python in it")
		return nil, list
	}
	return files, nil
}
