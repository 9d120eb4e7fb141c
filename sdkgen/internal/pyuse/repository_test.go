package pyuse_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pysdk"
	"github.com/flux-framework/flux-operator/sdkgen/internal/python"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pyuse"
	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const sdkFolder = "sdk/python/v1alpha1"

// fluxoperator is this repository's SDK as it is on disk.
func fluxoperator(t *testing.T) pyuse.SDK {
	t.Helper()
	doc, err := swagger.Decode(testkit.Read(t, testkit.Repository+"/api/v1alpha1/swagger.json"))
	if err != nil {
		t.Fatal(err)
	}
	annotated, err := pysdk.Annotate(doc)
	if err != nil {
		t.Fatal(err)
	}
	sdk := pyuse.SDK{Package: "fluxoperator", Files: &artifact.Set{}, Models: map[string][]pyuse.Attribute{}}
	for name, schema := range annotated.Definitions {
		for _, field := range schema.Extensions[pysdk.Extension].(*pysdk.Model).Fields {
			attribute := pyuse.Attribute{Name: field.Attr, Key: python.Text(field.Key), Type: python.Text(field.Type)}
			sdk.Models[name] = append(sdk.Models[name], attribute)
		}
	}
	for _, file := range pythonFiles(t, sdkFolder) {
		file.Path = strings.TrimPrefix(file.Path, sdkFolder+"/")
		if err := sdk.Files.Put(artifact.File{Path: file.Path, Data: file.Data, Origin: "python"}); err != nil {
			t.Fatal(err)
		}
	}
	return sdk
}

func pythonFiles(t *testing.T, dir string) []pyuse.File {
	t.Helper()
	var files []pyuse.File
	err := fs.WalkDir(os.DirFS(testkit.Repository), dir, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && path.Ext(file) == ".py" {
			files = append(files, pyuse.File{Path: file, Data: testkit.Read(t, testkit.Repository+"/"+file)})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestRepository finds nothing in what this repository has of Python: the overlay, the examples, the
// tests, and the SDK itself.
func TestRepository(t *testing.T) {
	sdk := fluxoperator(t)
	files := pythonFiles(t, sdkFolder)
	for i := range files {
		files[i].Inside = strings.TrimPrefix(files[i].Path, sdkFolder+"/")
	}
	for _, dir := range []string{"templates/python/overlay", "examples/python", "test/python", "test/e2e/python"} {
		for _, file := range pythonFiles(t, dir) {
			if inside, ok := strings.CutPrefix(file.Path, "templates/python/overlay/"); ok {
				file.Inside = inside
			}
			files = append(files, file)
		}
	}
	if found := check(sdk, files); found != "" {
		t.Errorf("in %d files:\n%s", len(files), found)
	}
}

// TestModels finds a wrong keyword, attribute and key of each model, and no right one.
func TestModels(t *testing.T) {
	sdk := fluxoperator(t)
	for _, model := range slices.Sorted(maps.Keys(sdk.Models)) {
		source := fmt.Sprintf("from fluxoperator.models import %[1]s\n%[1]s(wrong=1)\n%[1]s().wrong\n%[1]s()['wrong']\n%[1]s().to_dict().wrong\n", model)
		for _, attribute := range sdk.Models[model] {
			source += fmt.Sprintf("%[1]s(%[2]s=1).%[2]s, %[1]s()['%[3]s'], %[1]s.attribute_map['%[2]s']\n", model, attribute.Name, attribute.Key)
		}
		list := pyuse.Read(sdk).Check([]pyuse.File{{Path: "f.py", Data: []byte(source)}})
		if len(list) != 3 || list[0].Pos.Line != 2 || list[1].Pos.Line != 3 || list[2].Pos.Line != 4 {
			t.Errorf("%s: in\n%s\nis found\n%v", model, source, list)
		}
	}
}
