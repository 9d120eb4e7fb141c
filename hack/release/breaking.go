package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/flux-framework/flux-operator/hack/release/version"
)

// report is the part of what `sdkgen breaking --format json` prints that decides about a version.
type report struct {
	Changes []struct {
		Path     string `json:"path"`
		Change   string `json:"change"`
		Verdict  string `json:"verdict"`
		Accepted string `json:"accepted"` // why the project accepts it, from its list of exceptions
	} `json:"changes"`
}

// allowed compares the API with that of the last release, or with --against, and holds the version against the rule.
func (r *release) allowed(ctx context.Context) error {
	last, against := r.last, r.last
	if r.against != "" {
		commit, text, err := r.tree.Show(ctx, r.against, version.Source)
		if err != nil {
			return err
		}
		before, err := version.Of([]byte(text))
		if err != nil {
			return fmt.Errorf("at %s: %w", r.against, err)
		}
		last, against = "v"+before, commit
	}
	if against == "" {
		r.say("no tag vMAJOR.MINOR.PATCH is in the history: this is the first release, and the API is compared with nothing")
		return nil
	}
	printed, err := r.breaking(ctx, against, "json")
	if err != nil {
		return err
	}
	var found report
	if err := json.Unmarshal([]byte(printed), &found); err != nil {
		return fmt.Errorf("reading what sdkgen breaking printed: %w", err)
	}
	var breaks []string
	for _, change := range found.Changes {
		if change.Verdict == "breaking" && change.Accepted == "" {
			breaks = append(breaks, fmt.Sprintf("%s: %s", change.Path, change.Change))
		}
	}
	if err := version.Check(last, "v"+r.version, len(breaks) > 0); err != nil {
		return refuse("%w%s", err, strings.Join(append([]string{""}, breaks...), "\n  "))
	}
	r.say("%s may follow %s: %d changes of the API, of which %d break", r.version, last, len(found.Changes), len(breaks))
	if len(found.Changes) > 0 {
		r.api, err = r.breaking(ctx, against, "markdown")
	}
	return err
}

// breaking compares the API of the copy with that of another commit. The verdict is version.Check's.
func (r *release) breaking(ctx context.Context, against, format string) (string, error) {
	return r.source.Run(ctx, r.clone.Dir, r.sdkgen, "breaking", "--quiet", "--engine", "native", "--fail-on", "none",
		"--against", against, "--format", format)
}
