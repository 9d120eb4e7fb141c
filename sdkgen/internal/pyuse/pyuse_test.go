package pyuse_test

import (
	"path"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/pyuse"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestCheck runs testdata/cases/*.txtar: the files with Python are checked against the SDK of
// testdata/sdk.txtar, those below widget/ as parts of it, which are in it then. "findings" is what
// is found.
func TestCheck(t *testing.T) {
	testkit.Each(t, "cases/*.txtar", func(t *testing.T, c *testkit.Case) {
		sdk := widget(t, c.Archive)
		c.Want(t, "findings", check(sdk, sources(c.Archive)))
	})
}

// TestCommon: what uses one of several SDKs is wrong where it is wrong with each.
func TestCommon(t *testing.T) {
	first, second := widget(t, &txtar.Archive{}), widget(t, &txtar.Archive{})
	first.Models["Part"] = append(first.Models["Part"], pyuse.Attribute{Name: "old", Key: "old", Type: "str"})
	second.Models["Part"] = append(second.Models["Part"], pyuse.Attribute{Name: "new", Key: "new", Type: "str"})
	files := []pyuse.File{{Path: "use.py", Data: []byte("from widget import Part\nPart(old=1, new=2,\n     other=3)\n")}}
	lists := []diag.List{pyuse.Read(first).Check(files), pyuse.Read(second).Check(files)}
	if got := pyuse.Common(lists); len(lists[0]) != 2 || len(lists[1]) != 2 || len(got) != 1 || got[0].Pos.Line != 3 {
		t.Errorf("of %v is common %v", lists, got)
	}
	if got := pyuse.Common(nil); len(got) > 0 {
		t.Errorf("of nothing is common %v", got)
	}
}

func check(sdk pyuse.SDK, files []pyuse.File) string {
	if list := pyuse.Read(sdk).Check(files); len(list) > 0 {
		return list.Error() + "\n"
	}
	return ""
}

// widget is the SDK of testdata/sdk.txtar with the parts of an archive.
func widget(t testing.TB, parts *txtar.Archive) pyuse.SDK {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/sdk.txtar")
	if err != nil {
		t.Fatal(err)
	}
	sdk := pyuse.SDK{Package: "widget", Files: &artifact.Set{}, Models: map[string][]pyuse.Attribute{}}
	own := map[string]bool{}
	for _, file := range append(parts.Files, archive.Files...) {
		if path.Ext(file.Name) == ".py" && strings.HasPrefix(file.Name, "widget/") && !own[file.Name] {
			own[file.Name] = true
			if err := sdk.Files.Put(artifact.File{Path: file.Name, Data: file.Data, Origin: "python"}); err != nil {
				t.Fatal(err)
			}
		}
		if file.Name != "models" {
			continue
		}
		for line := range strings.Lines(string(file.Data)) {
			words := strings.SplitN(strings.TrimSpace(line), " ", 4)
			sdk.Models[words[0]] = append(sdk.Models[words[0]], pyuse.Attribute{Name: words[1], Key: words[2], Type: words[3]})
		}
	}
	return sdk
}

func sources(archive *txtar.Archive) []pyuse.File {
	var files []pyuse.File
	for _, file := range archive.Files {
		if path.Ext(file.Name) != ".py" {
			continue
		}
		source := pyuse.File{Path: file.Name, Data: file.Data}
		if strings.HasPrefix(file.Name, "widget/") {
			source.Inside = file.Name
		}
		files = append(files, source)
	}
	return files
}
