package model

import (
	"reflect"
	"strings"
)

// Printed returns the names of the fields of these types in JSON, and of the types that they refer to: the
// variables of templates that print them.
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
