package config

import (
	"reflect"
	"slices"
)

// keysOf returns the keys of the section that the named struct describes, sorted.
func keysOf(structName string) []string {
	found := find(reflect.TypeFor[Config](), structName)
	if found == nil {
		return nil
	}
	var keys []string
	for field := range found.Fields() {
		if field.IsExported() {
			keys = append(keys, field.Tag.Get("yaml"))
		}
	}
	slices.Sort(keys)
	return keys
}

func find(t reflect.Type, name string) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	if t.Name() == name {
		return t
	}
	for field := range t.Fields() {
		if found := find(field.Type, name); found != nil {
			return found
		}
	}
	return nil
}
