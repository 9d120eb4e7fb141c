package diag_test

import (
	"errors"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

func sample() diag.List {
	at := func(line int) token.Position { return token.Position{Filename: "api/a,b.go", Line: line, Column: 2} }
	var list diag.List
	list.Add(at(9), "names_match", "rename it\nor add an exception", "field %s", "B")
	list.Add(at(3), "list_type_missing", "", "50%% of it")
	list.Add(at(3), "list_type_missing", "", "50%% of it")
	return append(list, diag.Diagnostic{Severity: diag.Warning, Message: "no position"})
}

func TestPrint(t *testing.T) {
	tests := map[diag.Format]string{
		diag.Text: `warning: no position
api/a,b.go:3:2: 50% of it (list_type_missing)
api/a,b.go:9:2: field B (names_match)
    rename it
    or add an exception
`,
		diag.GitHub: `::warning::no position
::error file=api/a%2Cb.go,line=3,col=2,title=list_type_missing::50%25 of it
::error file=api/a%2Cb.go,line=9,col=2,title=names_match::field B%0Arename it%0Aor add an exception
`,
		diag.JSON: `[
  {
    "severity": "warning",
    "message": "no position"
  },
  {
    "file": "api/a,b.go",
    "line": 3,
    "column": 2,
    "rule": "list_type_missing",
    "severity": "error",
    "message": "50% of it"
  },
  {
    "file": "api/a,b.go",
    "line": 9,
    "column": 2,
    "rule": "names_match",
    "severity": "error",
    "message": "field B",
    "hint": "rename it\nor add an exception"
  }
]
`,
	}
	for format, want := range tests {
		t.Run(string(format), func(t *testing.T) {
			var out strings.Builder
			if err := diag.Print(&out, format, sample()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, out.String()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestErr(t *testing.T) {
	warnings := diag.List{{Severity: diag.Warning, Message: "w"}}
	if err := warnings.Err(); err != nil {
		t.Errorf("warnings alone are an error: %v", err)
	}
	wrapped := fmt.Errorf("loading: %w", sample().Err())
	if got := diag.Of(wrapped); len(got) != 4 {
		t.Errorf("Of(wrapped list) has %d diagnostics, want the list's 4", len(got))
	}
	if got := diag.Of(errors.New("plain")); len(got) != 1 || got[0].Message != "plain" {
		t.Errorf("Of(plain) = %v", got)
	}
	if diag.Of(nil) != nil {
		t.Error("Of(nil) is not empty")
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := diag.ParseFormat("json"); err != nil || f != diag.JSON {
		t.Errorf("ParseFormat(json) = %v, %v", f, err)
	}
	if _, err := diag.ParseFormat("xml"); err == nil {
		t.Error("ParseFormat(xml) succeeded")
	}
}
