package samples

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// cut takes the first step from a path as the API server spells it, spec.list[0].map[key] or spec.list[0].map.key: the
// longest key of an object that fits, or the index of a list. step is nil if the value has nothing there.
func cut(at any, path string) (step any, key, rest string) {
	switch at := at.(type) {
	case map[string]any:
		return cutKey(slices.Collect(maps.Keys(at)), path)
	case []any:
		number, rest, ok := cutIndex(path)
		if ok && number < len(at) {
			return number, "", rest
		}
	}
	return nil, "", path
}

// cutKey takes the longest of some keys from a path.
func cutKey(keys []string, path string) (step any, key, rest string) {
	best := -1
	path = strings.TrimPrefix(path, ".")
	for _, name := range keys {
		for _, spelling := range []string{name, "[" + name + "]", "[" + strconv.Quote(name) + "]"} {
			after, ok := strings.CutPrefix(path, spelling)
			if ok && len(spelling) > best && (after == "" || after[0] == '.' || after[0] == '[') {
				best, step, key, rest = len(spelling), name, name, after
			}
		}
	}
	if best < 0 {
		return nil, "", path
	}
	return step, key, rest
}

// cutIndex takes an index from a path.
func cutIndex(path string) (number int, rest string, ok bool) {
	inner, rest, closed := strings.Cut(strings.TrimPrefix(path, "["), "]")
	number, err := strconv.Atoi(inner)
	return number, rest, closed && err == nil && number >= 0 && strings.HasPrefix(path, "[")
}
