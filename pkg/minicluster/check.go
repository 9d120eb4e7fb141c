package minicluster

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checks collects validation errors.
type checks struct{ errs field.ErrorList }

// maxErrors is how many errors are reported: joining those of a large MiniCluster takes minutes.
const maxErrors = 100

func (c *checks) add(err *field.Error) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, err)
	}
}

func (c *checks) invalid(path *field.Path, value any, format string, args ...any) {
	c.add(field.Invalid(path, value, fmt.Sprintf(format, args...)))
}

func (c *checks) required(path *field.Path, format string, args ...any) {
	c.add(field.Required(path, fmt.Sprintf(format, args...)))
}

// must applies a rule for names, such as validation.IsDNS1123Label.
func (c *checks) must(path *field.Path, value string, rule func(string) []string) {
	for _, problem := range rule(value) {
		c.invalid(path, value, "%s", problem)
	}
}

// may is must for a value that may be empty.
func (c *checks) may(path *field.Path, value string, rule func(string) []string) {
	if value != "" {
		c.must(path, value, rule)
	}
}

func (c *checks) matches(path *field.Path, value string, pattern *regexp.Regexp, want string) {
	if !pattern.MatchString(value) {
		c.invalid(path, value, "must be %s", want)
	}
}

func (c *checks) oneOf(path *field.Path, value string, all ...string) {
	if !slices.Contains(all, value) {
		c.add(field.NotSupported(path, value, all))
	}
}

func (c *checks) atLeast(path *field.Path, value, least int32) {
	if value < least {
		c.invalid(path, value, "must be %d or more", least)
	}
}

func (c *checks) port(path *field.Path, value int32) {
	for _, problem := range validation.IsValidPortNum(int(value)) {
		c.invalid(path, value, "%s", problem)
	}
}

// line rejects line breaks, for strings that become part of a shell command line.
func (c *checks) line(path *field.Path, value string) {
	if strings.ContainsAny(value, "\n\r") {
		c.invalid(path, value, "must be a single line")
	}
}

// path rejects invalid mount paths.
func (c *checks) path(path *field.Path, value string) {
	switch {
	case value == "":
		c.required(path, "must be the path to mount the volume at")
	case strings.Contains(value, ":"):
		c.invalid(path, value, "must not contain a colon")
	}
}

func (c *checks) labels(path *field.Path, all map[string]string) {
	for key, value := range sorted(all) {
		c.must(path.Key(key), key, validation.IsQualifiedName)
		c.must(path.Key(key), value, validation.IsValidLabelValue)
	}
}

func (c *checks) annotations(path *field.Path, all map[string]string) {
	for key := range sorted(all) {
		c.must(path.Key(key), strings.ToLower(key), validation.IsQualifiedName)
	}
}

// resources checks that all values are quantities, and returns those that are.
func (c *checks) resources(path *field.Path, all map[string]intstr.IntOrString) map[string]resource.Quantity {
	out := map[string]resource.Quantity{}
	for name, value := range sorted(all) {
		c.must(path.Key(name), name, validation.IsQualifiedName)
		if q, ok := c.quantity(path.Key(name), value.String()); ok {
			out[name] = q
		}
	}
	return out
}

func (c *checks) quantity(path *field.Path, value string) (resource.Quantity, bool) {
	q, err := resource.ParseQuantity(value)
	if err != nil {
		c.invalid(path, value, "must be a quantity, such as 4, 500m or 2Gi")
		return q, false
	}
	if q.Sign() < 0 {
		c.invalid(path, value, "must not be negative")
		return q, false
	}
	return q, true
}

// sorted iterates over a map in key order.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
