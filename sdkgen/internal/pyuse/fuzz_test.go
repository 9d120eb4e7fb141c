package pyuse_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/pyuse"
)

// FuzzCheck: no source brings the check down, neither as a file nor as a part of the SDK, and each
// finding lies in the file, on one line, and is the same in every run.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, source := range sources(archive) {
			f.Add(source.Data)
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		part := &txtar.Archive{Files: []txtar.File{{Name: "widget/models/part.py", Data: source}}}
		sdk := widget(t, part)
		list := pyuse.Read(sdk).Check([]pyuse.File{{Path: "f.py", Inside: "widget/models/part.py", Data: source}})
		for _, d := range list {
			if d.Pos.Filename != "f.py" || d.Pos.Line < 1 || d.Pos.Column < 1 || strings.ContainsAny(d.Message, "\n\r\x00\x1b") {
				t.Errorf("%+v", d)
			}
		}
		if again := check(sdk, []pyuse.File{{Path: "f.py", Inside: "widget/models/part.py", Data: source}}); len(list) > 0 && again != list.Error()+"\n" {
			t.Errorf("found first:\n%s\nand then:\n%s", list.Error(), again)
		}
	})
}
