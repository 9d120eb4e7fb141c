package python

import (
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/sampler"
)

// text returns a string that the type allows, the wanted one if it does.
func (s *sampling) text(expected string, t *model.Type) string {
	fitting, ok := sampler.Text(expected, sampler.Limits{Pattern: t.Pattern, MinLength: t.MinLength,
		MaxLength: t.MaxLength})
	s.invalid = s.invalid || !ok
	return fitting
}
