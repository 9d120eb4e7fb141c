package pysdk

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/document"
	"github.com/flux-framework/flux-operator/sdkgen/internal/sampler"
)

// text returns a string that the type allows, the wanted one if it does.
func (s *sampling) text(wanted string, t *document.Type) string {
	fitting, ok := sampler.Text(wanted, sampler.Limits{Pattern: t.Pattern, MinLength: t.MinLength, MaxLength: t.MaxLength})
	s.invalid = s.invalid || !ok
	return fitting
}
