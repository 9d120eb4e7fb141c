package report

import (
	"encoding/json"
	"io"

	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// output is a report as JSON prints it.
type output struct {
	Against     string       `json:"against"`
	Changes     []entry      `json:"changes"`
	NotCompared []Skipped    `json:"notCompared,omitempty"`
	Diagnostics []diag.Entry `json:"diagnostics,omitempty"`
}

// entry is a change.
type entry struct {
	File     string           `json:"file,omitempty"`
	Line     int              `json:"line,omitempty"`
	Column   int              `json:"column,omitempty"`
	Rule     string           `json:"rule"`
	Version  string           `json:"version,omitempty"`
	Path     string           `json:"path"`
	Others   []string         `json:"others,omitempty"`
	Verdict  string           `json:"verdict"`
	Change   string           `json:"change"`
	Effects  []effect         `json:"effects"`
	Instead  string           `json:"instead,omitempty"`
	Accepted string           `json:"accepted,omitempty"`
	Witness  *compare.Witness `json:"witness,omitempty"`
	Callers  []compare.Caller `json:"callers,omitempty"`
}

type effect struct {
	Audience string `json:"audience"`
	Verdict  string `json:"verdict"`
	Reason   string `json:"reason,omitempty"`
}

// JSON prints the report as one document: all changes, and the diagnostics of the run, such as those about the
// exceptions list.
func (r *Report) JSON(w io.Writer, witnesses bool, diagnostics diag.List) error {
	out := output{Against: r.Against, Changes: []entry{}, NotCompared: r.Skipped, Diagnostics: diagnostics.Entries()}
	for _, c := range r.Changes {
		e := entry{
			File: c.Pos.Filename, Line: c.Pos.Line, Column: c.Pos.Column, Rule: c.Rule, Version: c.Place.Version,
			Path: c.Place.Path, Others: c.Others, Verdict: c.Verdict().String(), Change: c.Text, Instead: c.Instead,
			Accepted: c.Accepted,
		}
		if witnesses {
			e.Witness, e.Callers = c.Witness, c.Callers
		}
		for _, who := range compare.Audiences {
			e.Effects = append(e.Effects, effect{who.String(), c.Effects[who].Verdict.String(), c.Effects[who].Reason})
		}
		out.Changes = append(out.Changes, e)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}
