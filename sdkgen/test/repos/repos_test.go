// Package repos lets sdkgen take over repositories of operators that other people wrote, each as its Go module
// has it: with the steps of testdata, and held against the CRDs, the deepcopy code, the clients and the
// example manifests that it ships. A difference that testdata does not list fails, and so does a
// listed one that is gone.
package repos

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var (
	slow = flag.Bool("slow", false, "run the repositories that take long, too")
)

// row is what the table says of a repository.
type row struct {
	*repository
	cost
	crds     crdCounts
	deepcopy share
	packages share // of the clients
	examples examples
	refused  bool
}

// share is how many of some are as they were.
type share struct{ same, all int }

func (s share) String() string {
	if s.all == 0 {
		return "-"
	}
	return fmt.Sprintf("%d/%d", s.same, s.all)
}

// TestRepositories lets sdkgen take over each repository, and prints a table.
func TestRepositories(t *testing.T) {
	testkit.NeedAll(t)
	sdkgen := filepath.Join(t.TempDir(), "sdkgen")
	if _, err := run("../..", "go", "build", "-o", sdkgen, "."); err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, r := range repositories(t) {
		t.Run(r.name, func(t *testing.T) {
			if r.Slow != "" && !*slow {
				t.Skipf("only with -slow, as in `make test-all ONLY=repos`: %s", r.Slow)
			}
			rows = append(rows, r.test(t, sdkgen))
		})
	}
	t.Log("\n" + table(rows))
	if !t.Failed() {
		publish(t, rows)
	}
}

// test follows the steps and compares.
func (r *repository) test(t *testing.T, sdkgen string) row {
	root := r.checkout(t)
	before := r.tree(t, root)
	got := row{repository: r}
	var done bool
	if got.cost, done = r.follow(t, root, sdkgen); !done {
		got.refused = true
		return got
	}
	cfg, err := config.Parse(config.File, read(t, filepath.Join(root, config.File)))
	if err != nil {
		t.Fatal(err)
	}
	d := &differences{known: r.Differences}
	after := r.tree(t, root, r.Compile...)
	generated := readCRDs(t, root, []string{cfg.CRD.Dir + "/*.yaml"})
	got.crds = compareCRDs(d, before.crds, generated)
	got.deepcopy = compareDeepcopy(d, before.deepcopy, after.deepcopy)
	got.packages = compareClients(d, before.clients, after.clients)
	for _, err := range after.errors {
		d.add("compile %s", err)
	}
	got.examples = r.throughSDKs(t, d, root, cfg, before.crds, generated)
	d.report(t)
	return got
}

// differences are the lines that a comparison gave, and those that are known.
type differences struct {
	known   []*difference
	unknown []string
}

func (d *differences) add(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	for _, known := range d.known {
		if known.Match.MatchString(line) {
			known.found++
			return
		}
	}
	d.unknown = append(d.unknown, line)
}

// report fails for what is not known, and for what is known and was not found as often.
func (d *differences) report(t *testing.T) {
	t.Helper()
	const most = 200
	if len(d.unknown) > most {
		t.Errorf("%d differences more than these", len(d.unknown)-most)
	}
	for _, line := range d.unknown[:min(most, len(d.unknown))] {
		t.Error(line)
	}
	for _, known := range d.known {
		if known.found != known.Times {
			t.Errorf("found %d times, not %d: %s", known.found, known.Times, known.Match)
		}
	}
}

// table is what the test prints.
func table(rows []row) string {
	lines := [][]string{{"repository", "version", "edits", "CRD fields", "lost", "deepcopy", "clients", "Python", "Go",
		"seconds", "MiB"}}
	for _, r := range rows {
		lines = append(lines, r.cells())
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, cells := range lines {
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
	}
	w.Flush()
	return out.String()
}

// cells are the columns of a row.
func (r row) cells() []string {
	edits := 0
	for _, s := range r.Steps {
		if s.Run == "" {
			edits++
		}
	}
	cells := []string{r.name, r.Version, fmt.Sprint(edits), "refused", "-", "-", "-", "-", "-",
		fmt.Sprintf("%.1f", r.wall.Seconds()), fmt.Sprint(r.mib)}
	if !r.refused {
		cells[3], cells[4], cells[5], cells[6] = fmt.Sprint(r.crds.paths), fmt.Sprint(r.crds.lost), r.deepcopy.String(),
			r.packages.String()
		cells[7], cells[8] = share{r.examples.Python, r.examples.Documents}.String(),
			share{r.examples.Go, r.examples.Documents}.String()
	}
	return cells
}

// TestDifferences: what is not listed is reported, and so is what is listed and gone.
func TestDifferences(t *testing.T) {
	var known []*difference
	if err := unmarshal(`[{match: "a .*", times: 1, why: x}, {match: "b", times: 1, why: x}]`, &known); err != nil {
		t.Fatal(err)
	}
	d := &differences{known: known}
	d.add("a %d", 1)
	d.add("a b")
	d.add("bb")
	if got := strings.Join(d.unknown, ","); got != "bb" || known[0].found != 2 || known[1].found != 0 {
		t.Errorf("unknown %q, found %d and %d times", got, known[0].found, known[1].found)
	}
}

// TestSteps: an edit that does not fit is an error, and a file that is not there.
func TestSteps(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "f"), []byte("a a"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range []step{{Edit: "f", Old: "a", New: "b"}, {Edit: "f", Old: "c", New: "b"}, {Edit: "g", Old: "a"},
		{Edit: "f"}, {Remove: "g"}} {
		if s.change(root) == nil {
			t.Errorf("%+v is no error", s)
		}
	}
	if err := (step{Edit: "f", Old: "a", New: "b", Times: 2}).change(root); err != nil {
		t.Error(err)
	}
	if got := string(read(t, filepath.Join(root, "f"))); got != "b b" {
		t.Errorf("the file has %q", got)
	}
}
