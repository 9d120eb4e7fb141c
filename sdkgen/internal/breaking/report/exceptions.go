package report

import (
	"go/token"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Accept marks the changes that an exceptions list has. A line is "RULE VERSION PATH: reason", as in
//
//	bound-tightened v1alpha1 MiniCluster.spec.size: nobody has more than 1000 pods
//
// and a line that begins with # is a comment. A line without a reason, and one that no change needs any more, is an
// error.
func (r *Report) Accept(file string, data []byte) error {
	var list diag.List
	for i, line := range strings.Split(string(data), "\n") {
		pos := token.Position{Filename: file, Line: i + 1, Column: 1}
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		what, reason, _ := strings.Cut(line, ": ")
		words := strings.Fields(what)
		switch {
		case len(words) != 3 || strings.TrimSpace(reason) == "":
			const hint = "write RULE VERSION PATH: reason, as in\nbound-tightened v1 Widget.spec.size: nobody has more"
			list.Add(pos, "breaking", hint, "the line has not the form of an exception")
		case !r.accept(words[0], words[1], words[2], strings.TrimSpace(reason)):
			list.Add(pos, "breaking", "remove the line", "there is no such change: %s", what)
		}
	}
	return list.Err()
}

func (r *Report) accept(rule, version, path, reason string) bool {
	found := false
	for _, change := range r.Changes {
		if change.Rule == rule && change.Place.Version == version && change.Place.Path == path &&
			change.Verdict() != compare.Compatible {
			change.Accepted, found = reason, true
		}
	}
	return found
}
