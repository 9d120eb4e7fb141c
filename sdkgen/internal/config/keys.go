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
	keys := tags(found)
	slices.Sort(keys)
	return keys
}

// tags are the keys of a struct, and of those that are inline in it.
func tags(t reflect.Type) []string {
	var keys []string
	for field := range t.Fields() {
		switch tag := field.Tag.Get("yaml"); {
		case tag == ",inline":
			keys = append(keys, tags(field.Type)...)
		case field.IsExported():
			keys = append(keys, tag)
		}
	}
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
