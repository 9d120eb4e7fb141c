package compare

import (
	"cmp"
	"math"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// values compares formats, enumerations, bounds and patterns.
func (c *comparison) values(at node, old, now *schema) {
	at.allowed = implied(old, now)
	c.format(at, old, now)
	c.bounds(at, old, now)
}

func (c *comparison) bounds(at node, old, now *schema) {
	c.enums(at, old.Enum, now.Enum)
	c.pattern(at, old.Pattern, now.Pattern)
	if least := shortest(old.Pattern); now.MinLength == nil || *now.MinLength > least {
		c.lower(at, "minLength", old.MinLength, now.MinLength)
	} else if orZero(old.MinLength) != orZero(now.MinLength) {
		text := transition(show(old.MinLength), show(now.MinLength))
		c.add("bound-loosened", at, "minLength: "+text+": the pattern asked for it already")
	}
	c.lower(at, "minItems", old.MinItems, now.MinItems)
	c.lower(at, "minProperties", old.MinProperties, now.MinProperties)
	c.upper(at, "maxLength", old.MaxLength, now.MaxLength)
	c.upper(at, "maxItems", old.MaxItems, now.MaxItems)
	c.upper(at, "maxProperties", old.MaxProperties, now.MaxProperties)
	low, high := numericBound{old.Minimum, old.ExclusiveMinimum}, numericBound{old.Maximum, old.ExclusiveMaximum}
	c.number(at, "minimum", low, numericBound{now.Minimum, now.ExclusiveMinimum}, now.Type == "integer", 1)
	c.number(at, "maximum", high, numericBound{now.Maximum, now.ExclusiveMaximum}, now.Type == "integer", -1)
	if before, after := show(old.MultipleOf), show(now.MultipleOf); before != after {
		c.bound(at, "multipleOf", before, after, now.MultipleOf != nil)
	}
}

func (c *comparison) bound(at node, keyword, before, after string, tighter bool) {
	id := "bound-loosened"
	if tighter {
		id = "bound-tightened"
	}
	c.add(id, at, keyword+": "+transition(before, after))
}

func (c *comparison) lower(at node, keyword string, before, after *int64) {
	if a, b := orZero(before), orZero(after); a != b {
		c.bound(at, keyword, show(before), show(after), b > a)
	}
}

func orZero(value *int64) int64 {
	if value == nil {
		return 0
	}
	return *value
}

func (c *comparison) upper(at node, keyword string, before, after *int64) {
	switch {
	case before == nil && after == nil, before != nil && after != nil && *before == *after:
	default:
		c.bound(at, keyword, show(before), show(after), after != nil && (before == nil || *after < *before))
	}
}

// numericBound is a minimum or maximum.
type numericBound struct {
	value     *float64
	exclusive bool
}

func (b numericBound) String() string {
	if b.value != nil && b.exclusive {
		return show(b.value) + " (exclusive)"
	}
	return show(b.value)
}

// number compares bounds of numbers; a tighter one is greater by sign.
func (c *comparison) number(at node, keyword string, old, now numericBound, whole bool, sign float64) {
	if old.String() == now.String() {
		return
	}
	tighter := now.value != nil
	switch {
	case old.value == nil || now.value == nil:
	case whole:
		before, after := least(*old.value, old.exclusive, sign), least(*now.value, now.exclusive, sign)
		tighter = sign*after > sign*before
	default:
		tighter = sign**now.value > sign**old.value || *now.value == *old.value && now.exclusive
	}
	c.bound(at, keyword, old.String(), now.String(), tighter)
}

// least returns the first integer that meets a bound.
func least(bound float64, exclusive bool, sign float64) float64 {
	first := sign * math.Ceil(sign*bound)
	if exclusive && first == bound {
		first += sign
	}
	return first
}

func (c *comparison) enums(at node, old, now []apiextensionsv1.JSON) {
	before, after := spelled(old), spelled(now)
	removed := slices.DeleteFunc(slices.Clone(before), func(value string) bool { return slices.Contains(after, value) })
	added := slices.DeleteFunc(slices.Clone(after), func(value string) bool { return slices.Contains(before, value) })
	switch {
	case len(before) == 0 && len(after) == 0:
	case len(before) == 0:
		c.add("enum-narrowed", at, "only "+strings.Join(after, ", ")+" are allowed now")
	case len(after) == 0:
		c.add("enum-widened", at, "every value is allowed, not only "+strings.Join(before, ", "))
	default:
		if len(removed) > 0 {
			c.add("enum-narrowed", at, "no longer allowed: "+strings.Join(removed, ", "))
		}
		if len(added) > 0 {
			c.add("enum-widened", at, "allowed too: "+strings.Join(added, ", "))
		}
	}
}

func spelled(enum []apiextensionsv1.JSON) []string {
	var values []string
	for i := range enum {
		values = append(values, encoded(&enum[i]))
	}
	return values
}

func (c *comparison) pattern(at node, before, after string) {
	switch {
	case before == after:
	case after == "":
		c.add("pattern-removed", at, before+" is gone")
	default:
		c.add("pattern-added", at, transition(cmp.Or(before, "none"), after))
	}
}
