package compare

import (
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
)

// ratchet says in the reason for stored objects what an update must leave unchanged. The API server compares values by
// their path, the keys of maps and the keys of list maps; an item of any other list has no old value of its own.
func (c *Change) ratchet(now *schema) {
	steps := c.Steps
	if c.Rule == "required-added" { // it is the object around it that is not valid
		steps = steps[:len(steps)-1]
	}
	what := itself
	for i, step := range steps {
		list := sampler.At(now, steps[:i])
		if step == sampler.ItemStep && list != nil && !strings.HasPrefix(listType(list), "map") {
			what = "the list " + node{steps: slices.Clone(steps[:i])}.String()
			break
		}
		if c.Rule == "required-added" {
			what = "the object around it"
		}
	}
	effect := &c.Effects[Stored]
	effect.Reason = strings.Replace(effect.Reason, ratcheted, strings.Replace(ratcheted, itself, what, 1), 1)
}
