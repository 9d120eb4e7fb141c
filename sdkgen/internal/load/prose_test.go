package load_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/load"
)

func TestWithoutProse(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"text of a type and of a field", "package v1\n\n// T is\n// a type.\ntype T struct {\n\t// A is.\n\tA int // here\n}\n", "package v1\n\n//\ntype T struct {\n\t//\n\tA int //\n}\n"},
		{"text of another length", "package v1\n\n// T.\n//\n// More\ntype T int\n", "package v1\n\n//\ntype T int\n"},
		{"a text with markers", "package v1\n\n// T is\n// so.\n// +optional\n// And\n//\n// so.\n//  +nullable\ntype T int\n", "package v1\n\n//\n// +optional\n//\n//  +nullable\ntype T int\n"},
		{"a marker apart from the text", "package v1\n\n//  +k8s:deepcopy-gen=true\n\n// T is.\ntype T int\n", "package v1\n\n//  +k8s:deepcopy-gen=true\n\n//\ntype T int\n"},
		{"directives", "//go:build x\n\n// Text.\n\npackage v1\n\n//nolint:all\nvar a = 1\n", "//go:build x\n\n//\n\npackage v1\n\n//nolint:all\nvar a = 1\n"},
		{"another kind of comment", "package v1\n\n/* T is. */\ntype T int\n", "package v1\n\n/* T is. */\ntype T int\n"},
		{"what looks like a comment", "package v1\n\nconst a = \"// no\"\n", "package v1\n\nconst a = \"// no\"\n"},
		{"line directives", "package v1\n\n//line other.go:10\n\n// Text.\nconst a = 1\n", "package v1\n\n//line other.go:10\n\n//\nconst a = 1\n"},
		{"no Go", "package // v1\n", "package // v1\n"},
		{"nothing", "", ""},
	} {
		if got := string(load.WithoutProse([]byte(c.source))); got != c.want {
			t.Errorf("%s: got %q, not %q", c.name, got, c.want)
		}
	}
}
