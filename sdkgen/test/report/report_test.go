package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/test/report"
)

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.md")
	if err := os.WriteFile(file, []byte("before\n<!-- a, begin -->\nold\n<!-- a, end -->\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(file, []report.Section{{Mark: "a", Text: "new\n"}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if want := "before\n<!-- a, begin -->\nnew\n<!-- a, end -->\nafter\n"; err != nil || string(data) != want {
		t.Errorf("got %q, %v", data, err)
	}
	if err := report.Write(file, []report.Section{{Mark: "a", Text: "x"}, {Mark: "b", Text: "y"}}); err == nil ||
		!strings.Contains(err.Error(), "b, begin") {
		t.Errorf("got %v", err)
	}
	if again, _ := os.ReadFile(file); string(again) != string(data) {
		t.Errorf("the file is changed by a report that fails: %q", again)
	}
}
