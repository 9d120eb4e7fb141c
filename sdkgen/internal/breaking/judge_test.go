package breaking

import "testing"

func TestJudge(t *testing.T) {
	of := func(version string, verdict Verdict) *Change {
		c := &Change{Place: Place{Version: version}}
		c.Effects[Manifests].Verdict = verdict
		return c
	}
	accepted := of("v1", Breaking)
	accepted.Accepted = "a reason"
	tests := []struct {
		name          string
		limit         Verdict
		before, after string
		changes       []*Change
		want          string
	}{
		{"a promise", Breaking, "0.1.0", "0.2.0", []*Change{of("v1beta1", Breaking)}, "1 breaking change in API versions that promise not to break"},
		{"a promise, accepted", Breaking, "0.1.0", "0.1.0", []*Change{accepted}, ""},
		{"no limit", Compatible, "0.1.0", "0.1.0", []*Change{of("v1", Breaking)}, ""},
		{"alpha with notice, below 1.0", Breaking, "0.1.0", "0.2.0", []*Change{of("v1alpha1", Breaking)}, ""},
		{"alpha with notice", Breaking, "1.9.0", "2.0.0", []*Change{of("v1alpha1", Breaking)}, ""},
		{"alpha from below 1.0", Breaking, "0.9.0", "1.0.0", []*Change{of("v2alpha3", Breaking)}, ""},
		{"alpha without notice, below 1.0", Breaking, "0.1.0", "0.1.1", []*Change{of("v1alpha1", Breaking), of("v1alpha1", Breaking)},
			"2 breaking changes, and the minor number of version in the configuration is still that of main (0.1.0, now 0.1.1)"},
		{"alpha without notice", Breaking, "1.1.0", "1.2.0", []*Change{of("v1alpha1", Breaking)},
			"1 breaking change, and the major number of version in the configuration is still that of main (1.1.0, now 1.2.0)"},
		{"an older version", Breaking, "2.0.0", "1.0.0", []*Change{of("v1alpha1", Breaking)},
			"1 breaking change, and the major number of version in the configuration is still that of main (2.0.0, now 1.0.0)"},
		{"risky", Breaking, "1.0.0", "1.0.0", []*Change{of("v1", Risky)}, ""},
		{"risky, where that fails", Risky, "1.0.0", "1.0.0", []*Change{of("v1", Risky)}, "1 risky change"},
		{"compatible", Risky, "1.0.0", "1.0.0", []*Change{of("v1", Compatible)}, ""},
	}
	for _, test := range tests {
		report := &Report{Against: "main", Before: test.before, After: test.after, Changes: test.changes}
		if got := report.Judge(test.limit); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
