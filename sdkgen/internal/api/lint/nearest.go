package lint

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// nearest returns the known spelling that a name is most likely meant to be, "" if it is like none.
func (c *catalog) nearest(name string) string {
	lower := strings.ToLower(name)
	if right := instead[lower]; right != "" {
		return right
	}
	best := diag.Nearest(name, c.spelled)
	if path, ok := strings.CutPrefix(name, validationPrefix); ok {
		if right := nearestValidation(path); right != "" {
			return validationPrefix + right
		}
		return best
	}
	if best == "" && inNamespace(name) {
		best = c.nearestEnd(lower)
	}
	return best
}

// nearestEnd finds a name whose last part is that of name, or nearly so, and whose namespace is
// not another one: kubebuilder:optional is meant to be optional.
func (c *catalog) nearestEnd(name string) string {
	space, last := name[:strings.IndexByte(name+":", ':')], end(name)
	best, least := "", 0
	for _, spelled := range c.spelled {
		lower := strings.ToLower(spelled)
		if prefix, _, ok := strings.Cut(lower, ":"); ok && prefix != space {
			continue
		}
		d := diag.Distance(last, end(lower), 1+diag.Tolerance(last))
		if d > diag.Tolerance(last) {
			continue
		}
		// The last part counts most, the rest decides between equals.
		if cost := 1 + d*1000 + diag.Distance(name, lower, 1000); best == "" || cost < least {
			best, least = spelled, cost
		}
	}
	return best
}

// nearestValidation corrects what follows the prefix of kube-openapi's validations part by part,
// since some parts are names of the user's own.
func nearestValidation(path string) string {
	first, rest, deeper := strings.Cut(path, ":")
	if !deeper {
		return diag.Nearest(first, validations)
	}
	if strings.HasPrefix(first, "cel[") {
		return under(first, diag.Nearest(rest, celKeys))
	}
	head := diag.Nearest(first, []string{"items", "additionalProperties", "properties"})
	if head == "properties" {
		property, below, _ := strings.Cut(rest, ":")
		return under(head, under(property, nearestValidation(below)))
	}
	return under(head, nearestValidation(rest))
}

func under(head, rest string) string {
	if head == "" || rest == "" {
		return ""
	}
	return head + ":" + rest
}

func end(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

func inNamespace(name string) bool {
	for _, space := range namespaces {
		if strings.HasPrefix(name, space) {
			return true
		}
	}
	return false
}
