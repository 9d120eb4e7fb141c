package prove

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/server"
	"github.com/flux-framework/flux-operator/sdkgen/internal/breaking/compare"
)

// drops says whether that a field is dropped, by its path as the API server has it, is the change.
func drops(c *compare.Change, path string) bool {
	switch c.Rule {
	case "field-removed":
		return leads(path, c.Steps) == 0
	case "unknown-fields-dropped", "type-changed", "embedded-added", "embedded-removed":
		return leads(path, c.Steps) >= 0
	}
	return false
}

// mayLose says whether the change may concern stored objects that nobody changes, without refusing them as manifests.
func mayLose(c *compare.Change) bool {
	switch c.Rule {
	case "field-removed", "unknown-fields-dropped", "type-changed", "default-changed", "embedded-removed":
		return true
	}
	return compares(c)
}

// compares says whether the change may refuse updates of objects that are valid: a CEL rule may compare with the old
// value.
func compares(c *compare.Change) bool { return c.Rule == "rule-added" || c.Rule == "rule-changed" }

// refuses says whether an error of the API server is the change.
func refuses(c *compare.Change, err *field.Error) bool {
	below := leads(pathOf(err), c.Steps)
	switch c.Rule {
	case "field-removed", "unknown-fields-dropped", "embedded-removed":
		return false
	case "rule-added", "rule-changed":
		return below >= 0 && !server.BlocksRules(err)
	case "composition", "default-changed", "list-type", "embedded-added", "type-changed":
		return below >= 0
	case "required-added":
		return below == 0 && err.Type == field.ErrorTypeRequired
	}
	return below == 0
}

// refused returns the first line of the last error that is the change, "" if there is none.
func refused(c *compare.Change, errs field.ErrorList) string {
	text := ""
	for _, err := range errs {
		if refuses(c, err) {
			text, _, _ = strings.Cut(err.Error(), "\n")
			text = strings.TrimPrefix(text, `<nil>: Invalid value: "": `)
		}
	}
	return text
}

// pathOf returns the path of an error. Of a composition, and where a number is out of the range of its format, only the
// text has it: "spec.a" must validate at least one schema.
func pathOf(err *field.Error) string {
	if err.Field != "" && err.Field != "<nil>" {
		return err.Field
	}
	if rest, ok := strings.CutPrefix(err.Detail, `"`); ok {
		path, _, _ := strings.Cut(rest, `"`)
		return path
	}
	if i := strings.LastIndex(err.Detail, " in "); i >= 0 {
		return err.Detail[i+len(" in "):]
	}
	return ""
}

// leads returns how many steps a path of the API server's, spec.parts[0].name, goes below others; -1 if it does not
// lead there.
func leads(path string, steps []string) int {
	parts := split(path)
	if len(parts) < len(steps) {
		return -1
	}
	for i, step := range steps {
		if step != parts[i] && step != sampler.ValueStep && (step != sampler.ItemStep || parts[i] != sampler.ItemStep) {
			return -1
		}
	}
	return len(parts) - len(steps)
}

// split returns the steps of a path of the API server's. A key in brackets may be an index or a map's.
func split(path string) []string {
	var steps []string
	for _, part := range strings.Split(strings.ReplaceAll(path, "[", ".["), ".") {
		switch {
		case part == "" || part == "<nil>":
		case strings.HasPrefix(part, "["):
			steps = append(steps, sampler.ItemStep)
		default:
			steps = append(steps, part)
		}
	}
	return steps
}
