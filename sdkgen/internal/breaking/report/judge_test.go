package report

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
)

func TestJudge(t *testing.T) {
	target := func(version string, verdict compare.Verdict) *compare.Change {
		c := &compare.Change{Place: compare.Place{Version: version}}
		c.Effects[compare.Manifests].Verdict = verdict
		return c
	}
	accepted := target("v1", compare.Breaking)
	accepted.Accepted = "a reason"
	tests := []struct {
		name          string
		limit         compare.Verdict
		before, after string
		changes       []*compare.Change
		want          string
	}{
		{"a promise", compare.Breaking, "0.1.0", "0.2.0", []*compare.Change{target("v1beta1", compare.Breaking)},
			"1 breaking change in API versions that promise not to break"},
		{"a promise, accepted", compare.Breaking, "0.1.0", "0.1.0", []*compare.Change{accepted}, ""},
		{"no limit", compare.Compatible, "0.1.0", "0.1.0", []*compare.Change{target("v1", compare.Breaking)}, ""},
		{"alpha with notice, below 1.0", compare.Breaking, "0.1.0", "0.2.0",
			[]*compare.Change{target("v1alpha1", compare.Breaking)}, ""},
		{"alpha with notice", compare.Breaking, "1.9.0", "2.0.0", []*compare.Change{target("v1alpha1", compare.Breaking)},
			""},
		{"alpha from below 1.0", compare.Breaking, "0.9.0", "1.0.0", []*compare.Change{target("v2alpha3", compare.Breaking)},
			""},
		{"alpha without notice, below 1.0", compare.Breaking, "0.1.0", "0.1.1",
			[]*compare.Change{target("v1alpha1", compare.Breaking), target("v1alpha1", compare.Breaking)},
			"2 breaking changes, and the minor number of version in the configuration is still that of main (0.1.0, now 0.1.1)"},
		{"alpha without notice", compare.Breaking, "1.1.0", "1.2.0", []*compare.Change{target("v1alpha1", compare.Breaking)},
			"1 breaking change, and the major number of version in the configuration is still that of main (1.1.0, now 1.2.0)"},
		{"an older version", compare.Breaking, "2.0.0", "1.0.0", []*compare.Change{target("v1alpha1", compare.Breaking)},
			"1 breaking change, and the major number of version in the configuration is still that of main (2.0.0, now 1.0.0)"},
		{"risky", compare.Breaking, "1.0.0", "1.0.0", []*compare.Change{target("v1", compare.Risky)}, ""},
		{"risky, where that fails", compare.Risky, "1.0.0", "1.0.0", []*compare.Change{target("v1", compare.Risky)},
			"1 risky change"},
		{"compatible", compare.Risky, "1.0.0", "1.0.0", []*compare.Change{target("v1", compare.Compatible)}, ""},
	}
	for _, test := range tests {
		report := &Report{Against: "main", Before: test.before, After: test.after, Changes: test.changes}
		if got := report.Judge(test.limit); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
