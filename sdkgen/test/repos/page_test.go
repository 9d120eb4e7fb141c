package repos

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// page is the document that the table goes to, from this directory.
const page = "../../../docs/use/repositories.md"

const intro = `# Real repositories

<!-- Written by make test-all ONLY=repos ARGS=-update. -->

Repositories of operators, as their Go modules have them, in which ` + "`sdkgen init`" + ` and ` + "`sdkgen generate`" + ` ran as an adopter would run them.
What they made is compared with what each repository ships: the fields of all versions of its CRDs, its deepcopy code and what its clients
export. Its example manifests go through the Python SDK and the light Go client and must come back unchanged. Everything that an adopter
has to do, and every difference with its reason, is in ` + "`sdkgen/test/repos/testdata`" + `; any other difference fails the test, and so does a listed one that
is gone. Seconds and MiB are those of one machine with two cores: all runs of sdkgen in the repository together, and the largest of them.

| repository | version | edits | CRD fields | lost | deepcopy as shipped | client packages as shipped | through Python | through Go | s | MiB |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
`

// publish compares the document with what it should say, or writes it.
func publish(t *testing.T, rows []row) {
	t.Helper()
	if testkit.Update() {
		if !*slow {
			t.Fatal("-update needs -slow: the table has all repositories")
		}
		if err := os.WriteFile(page, []byte(intro+render(rows)), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	lines := strings.Split(unmeasured(string(read(t, page))), "\n")
	for line := range strings.SplitSeq(unmeasured(render(rows)), "\n") {
		if !slices.Contains(lines, line) {
			t.Errorf("%s lacks this line; `make test-all ONLY=repos ARGS=-update` writes it:\n%s", filepath.Base(page), line)
		}
	}
}

var measured = regexp.MustCompile(` [0-9.]+ \| [0-9]+ \|\n`)

// unmeasured removes seconds and MiB.
func unmeasured(text string) string { return measured.ReplaceAllString(text, "\n") }

func render(rows []row) string {
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(r.cells(), " | "))
	}
	for _, r := range rows {
		fmt.Fprintf(&out, "\n## %s\n\n`%s@%s`:\n\n", r.name, r.Module, r.Version)
		for _, s := range r.Steps {
			out.WriteString("1. " + s.sentence() + "\n")
		}
		if len(r.Differences) > 0 {
			out.WriteString("\nDifferences:\n\n")
		}
		for _, d := range r.Differences {
			fmt.Fprintf(&out, "- %d: %s\n", d.Times, strings.TrimSpace(d.Why))
		}
	}
	return out.String()
}

// sentence says what a step does.
func (s step) sentence() string {
	switch {
	case s.Refused != "":
		return "`" + s.Run + "`, which is refused: " + s.Why
	case s.Run != "":
		return "`" + s.Run + "`"
	case s.Remove != "":
		return "remove `" + s.Remove + "`: " + s.Why
	}
	return "change `" + s.Edit + s.Write + "`: " + s.Why
}

// unmarshal decodes YAML strictly.
func unmarshal(text string, into any) error { return yaml.UnmarshalStrict([]byte(text), into) }

// match returns the files below root that a pattern with slashes matches: * is any part of a name, **/ any directories.
func match(t *testing.T, root, pattern string) []string {
	t.Helper()
	quoted := strings.NewReplacer(`\*\*/`, `(?:.*/)?`, `\*`, `[^/]*`).Replace(regexp.QuoteMeta(filepath.ToSlash(pattern)))
	expr := regexp.MustCompile("^" + quoted + "$")
	var found []string
	err := filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if rel = filepath.ToSlash(rel); expr.MatchString(rel) {
			found = append(found, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
