package pairs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// buildCrdify builds a pinned version of crdify, which is no dependency of sdkgen.
func buildCrdify(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, dir, "env", "GOBIN="+dir, "go", "install", "sigs.k8s.io/crdify@v0.5.0")
	return filepath.Join(dir, "crdify")
}

// place is where in a CRD something changed, without indexes and keys of maps.
type place struct{ version, path string }

// found is what crdify says of a place: the names of its checks.
type found map[place]map[string]bool

func (f found) add(version, path, check string) {
	at := place{version, plain(path)}
	if f[at] == nil {
		f[at] = map[string]bool{}
	}
	f[at][check] = true
}

// overlap is what crdify and sdkgen see of the same CRDs, counted by place.
type overlap struct {
	both, sdkgen, crdify int
	callers              int            // changes that only concern callers
	rules                map[string]int // of the places that only sdkgen reports
	checks               map[string]int // of the places that only crdify reports
	unhandled            map[string]int // places that crdify calls unhandled, by sdkgen's verdict
	wording              int            // places at which crdify reports the description alone
}

// compareCrdify runs crdify on the CRDs that both projects have, and compares it with sdkgen's report.
func compareCrdify(t *testing.T, crdify, old, now string, changes []*change) *overlap {
	t.Helper()
	seen := found{}
	before, after := readCRDs(t, old), readCRDs(t, now)
	for _, kind := range slices.Sorted(maps.Keys(before)) {
		if after[kind] == nil {
			continue
		}
		name := filepath.Join("crds", before[kind].Spec.Group+"_"+before[kind].Spec.Names.Plural+".yaml")
		// It exits with 1 if it finds something, and then prints it.
		out, err := output(now, crdify, "file://"+filepath.Join(old, name), "file://"+filepath.Join(now, name), "--output",
			"json")
		if len(out) == 0 {
			if err != nil {
				t.Errorf("crdify says nothing of %s: %v", kind, err)
			}
			continue
		}
		seen.read(t, kind, out)
	}
	seen.collapse()
	return seen.overlap(changes)
}

// read adds what crdify prints of a kind. What it says of differences between the served versions of the new CRD is no
// change.
func (f found) read(t *testing.T, kind string, out []byte) {
	t.Helper()
	type check struct {
		Name             string
		Errors, Warnings []string
	}
	var report struct {
		CRDValidation         []check
		SameVersionValidation map[string]map[string][]check
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v\n%.300s", err, out)
	}
	for _, c := range report.CRDValidation {
		for _, text := range append(c.Errors, c.Warnings...) {
			version, path, ok := strings.Cut(strings.TrimPrefix(text, "removed field : "), ".^")
			if !ok {
				version, path = "", ""
			}
			f.add(version, kind+path, c.Name)
		}
	}
	for version, paths := range report.SameVersionValidation {
		for path, checks := range paths {
			for _, c := range checks {
				if len(c.Errors)+len(c.Warnings) > 0 {
					f.add(version, kind+strings.TrimPrefix(path, "^"), c.Name)
				}
			}
		}
	}
}

// collapse leaves of a field that was removed one place, without what was below.
func (f found) collapse() {
	const removed = "existingFieldRemoval"
	for at := range maps.Clone(f) {
		for i, r := range at.path {
			if r == '.' && f[place{at.version, at.path[:i]}][removed] {
				delete(f, at)
			}
		}
	}
	for _, checks := range f {
		if checks[removed] {
			clear(checks)
			checks[removed] = true
		}
	}
}

// overlap compares by place. A change that sdkgen calls compatible for objects is none that it warns of.
func (f found) overlap(changes []*change) *overlap {
	out := &overlap{rules: map[string]int{}, checks: map[string]int{}, unhandled: map[string]int{}}
	verdicts := map[place]string{}
	for _, c := range changes {
		verdict := c.objects()
		if verdict == "compatible" && c.Verdict != "compatible" {
			out.callers++
		}
		for _, path := range c.paths() {
			at := place{c.Version, plain(path)}
			verdicts[at] = worse(verdicts[at], verdict)
			if _, ok := f[at]; !ok && verdict != "compatible" {
				out.rules[c.Rule]++
			}
		}
	}
	for at, verdict := range verdicts {
		if _, ok := f[at]; !ok && verdict != "compatible" {
			out.sdkgen++
		}
	}
	for at, checks := range f {
		verdict := worse("compatible", verdicts[at])
		switch {
		case len(checks) == 1 && checks["description"]:
			out.wording++
		case verdict != "compatible":
			out.both++
		default:
			out.crdify++
			for check := range checks {
				if check != "description" {
					out.checks[check]++
				}
			}
		}
		if checks["unhandled"] {
			out.unhandled[verdict]++
		}
	}
	return out
}

func worse(a, b string) string {
	order := []string{"", "compatible", "risky", "breaking"}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// counts prints counts by name: "enum 2, type 1".
func counts(by map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, by[name]))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// TestCrdifyOutput: of a removed field one place is left, and each place is counted once.
func TestCrdifyOutput(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "crdify.json"))
	if err != nil {
		t.Fatal(err)
	}
	seen := found{}
	seen.read(t, "Widget", data)
	seen.collapse()
	changes := decode(t, []byte(`{"changes": [
		{"version": "v1", "path": "Widget.spec.gone", "rule": "field-removed", "verdict": "breaking", "effects": [{"audience": "manifests", "verdict": "breaking"}]},
		{"version": "v1", "path": "Widget.spec.size", "rule": "bound-tightened", "verdict": "risky", "effects": [{"audience": "manifests", "verdict": "risky"}]},
		{"version": "v1", "path": "Widget.spec.items[].name", "rule": "enum-widened", "verdict": "risky", "effects": [{"audience": "Python callers", "verdict": "risky"}]}]}`))
	got := fmt.Sprintf("%+v", *seen.overlap(changes))
	want := "{both:1 sdkgen:1 crdify:1 callers:1 rules:map[bound-tightened:1] checks:map[unhandled:1] " +
		"unhandled:map[compatible:1] wording:1}"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
