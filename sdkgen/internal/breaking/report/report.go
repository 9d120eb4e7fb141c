// Package report judges and prints what changed between two versions of an API.
package report

import (
	"fmt"
	"regexp"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/prove"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/surface"
)

// Report is what changed between two versions of an API.
type Report struct {
	Against string // the other version, for people
	Changes []*compare.Change
	// Before and After are the versions of the SDKs.
	Before, After string
	Skipped       []Skipped // audiences for whom nothing was compared
}

// Skipped says for whom nothing was compared, and why.
type Skipped struct {
	Callers string `json:"callers"`
	Reason  string `json:"reason"`
}

// New compares two surfaces and proves the changes. If small is set it reduces witnesses to the smallest object, which
// takes longer.
func New(against string, old, now *surface.Surface, small bool) (*Report, error) {
	changes, err := compare.Compare(old, now)
	if err != nil {
		return nil, err
	}
	report := &Report{
		Against: against, Changes: changes, Before: old.Version, After: now.Version, Skipped: skipped(old, now),
	}
	// The proof needs the CRDs alone: from here on, the types of both versions may be collected.
	return report, prove.Prove(changes, &surface.Surface{CRDs: old.CRDs}, &surface.Surface{CRDs: now.CRDs}, small)
}

// skipped returns the SDKs that one of two versions does not make.
func skipped(old, now *surface.Surface) []Skipped {
	var out []Skipped
	for _, sdk := range []struct {
		callers, name, key string
		has                func(*surface.Package) bool
	}{
		{compare.Python.String(), "Python SDK", "python", func(p *surface.Package) bool { return p.Python != nil }},
		{"callers of the Go client", "Go client", "go", func(p *surface.Package) bool { return p.Client != nil }},
	} {
		makes := func(s *surface.Surface) bool {
			return slices.ContainsFunc(s.Packages, func(p surface.Package) bool { return sdk.has(&p) })
		}
		switch {
		case len(now.Packages) == 0: // CRDs alone
		case !makes(now):
			reason := fmt.Sprintf("the configuration has no %s, so there is no %s", sdk.key, sdk.name)
			out = append(out, Skipped{sdk.callers, reason})
		case !makes(old):
			out = append(out, Skipped{sdk.callers, "the other version has no " + sdk.name})
		}
	}
	return out
}

var alpha = regexp.MustCompile(`^v[0-9]+alpha[0-9]+$`)

// Promised says whether users may rely on an API version: v1 and v1beta1 may not break, v1alpha1 may, with notice.
func Promised(version string) bool { return !alpha.MatchString(version) }

// Bump returns the semver part of the SDKs' version ("major", below 1.0 "minor") that must still be raised for a
// breaking change, or "" if it has been.
func (r *Report) Bump() string {
	before, after := "v"+r.Before, "v"+r.After
	if !semver.IsValid(before) || !semver.IsValid(after) {
		return ""
	}
	if semver.Major(before) != "v0" || semver.Major(after) != "v0" {
		if semver.Compare(semver.Major(after), semver.Major(before)) > 0 {
			return ""
		}
		return "major"
	}
	if semver.Compare(semver.MajorMinor(after), semver.MajorMinor(before)) > 0 {
		return ""
	}
	return "minor"
}

// summary is the number of changes by verdict.
func (r *Report) summary() string {
	var counts [compare.Breaking + 1]int
	for _, change := range r.Changes {
		counts[change.Verdict()]++
	}
	return fmt.Sprintf("%d breaking, %d risky, %d compatible", counts[compare.Breaking], counts[compare.Risky],
		counts[compare.Compatible])
}
