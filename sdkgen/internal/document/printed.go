package document

import (
	"reflect"
	"strings"
)

// Printed returns the names by which templates reach what is in values of these types, JSON objects with
// tags on each field.
func Printed(types ...reflect.Type) []string {
	var names []string
	for _, t := range types {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			continue
		}
		for field := range t.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			names = append(append(names, name), Printed(field.Type)...)
		}
	}
	return names
}
