package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/lint"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// TestCheck checks the packages in testdata/*.txtar. The first line says what the case shows;
// "want" is the diagnostics. There must be one wherever controller-gen refuses a marker.
func TestCheck(t *testing.T) {
	parseFailed := 0
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			if len(c.pkgs) == 0 {
				t.Fatal("no packages")
			}
			list := lint.CheckPackages(c.dirs, c.pkgs)
			expect(t, c.file, c.archive, text(t, list))
			if c.tame() {
				parseFailed += refusals(t, c, list)
			}
		})
	}
	t.Logf("controller-gen parseFailed a marker %d times", parseFailed)
}

// TestRules requires a file of cases for each rule.
func TestRules(t *testing.T) {
	for _, rule := range lint.Rules() {
		if _, err := os.Stat(filepath.Join("testdata", rule.ID+".txtar")); err != nil {
			t.Errorf("rule %s has no cases: %v", rule.ID, err)
		}
	}
}

func text(t *testing.T, list diag.List) string {
	t.Helper()
	var b strings.Builder
	if err := diag.Print(&b, diag.Text, list); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLoaded checks two cases as the toolchain does, by load.Load: one with nothing to find, and
// one with two packages. It does so 20 times: the diagnostics and their order are the same.
func TestLoaded(t *testing.T) {
	for _, name := range []string{"clean", "two-packages"} {
		root := newModule(t)
		archive := parse(t, filepath.Join("testdata", name+".txtar"))
		c := &testCase{name: name, archive: archive}
		// The case's own imports name its directory.
		c.write(t, filepath.Join(root, name))
		dirs := []string{name + "/api/v1"}
		if name == "two-packages" {
			dirs = append(dirs, name+"/api/shared")
		}
		api, err := loadProject(root, dirs)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			got := strings.ReplaceAll(text(t, lint.Check(api)), name+"/", "")
			if want := string(part(archive, "want")); got != want {
				t.Fatalf("%s: got\n%swant\n%s", name, got, want)
			}
		}
	}
}

// TestThisAPI checks the API of this repository: it is clean.
func TestThisAPI(t *testing.T) {
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	api, err := loadProject(root, []string{"api/v1alpha1"})
	if err != nil {
		t.Fatal(err)
	}
	if list := lint.Check(api); len(list) > 0 {
		t.Error(list)
	}
}
