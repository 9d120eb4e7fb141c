package version_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/hack/release/version"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		last, next string
		breaking   bool
		want       string // a part of the error, empty if the version may follow
	}{
		{"", "v0.1.0", true, ""},
		{"", "v0.1", false, "is not a version"},
		{"", "0.1.0", false, "is not a version"},
		{"", "v0.1.0-beta", false, "is not a version"},
		{"", "v0.1.0-rc.01", false, "is not a version"},
		{"", "v0.1.0+build", false, "is not a version"},
		{"", "v0.01.0", false, "is not a version"},
		{"", "v0.1.0-alpha.0", false, ""},
		{"v0.3.0", "v0.3.0", false, "is not higher"},
		{"v0.3.0", "v0.2.9", false, "is not higher"},
		{"v0.3.0", "v0.3.1", false, ""},
		{"v0.3.0", "v0.3.1", true, "needs a new minor version"},
		{"v0.3.0", "v0.4.0", true, ""},
		{"v0.3.0", "v1.0.0", true, ""},
		{"v1.2.3", "v1.2.4", false, ""},
		{"v1.2.3", "v1.3.0", true, "needs a new major version"},
		{"v1.2.3", "v2.0.0", true, ""},
		{"v0.4.0-rc.1", "v0.4.0", false, ""},
		{"v0.4.0", "v0.4.0-rc.1", false, "is not higher"},
		{"v0.3.0", "v0.3.1-rc.1", true, "needs a new minor version"},
	} {
		err := version.Check(c.last, c.next, c.breaking)
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s after %q (breaking: %t) is allowed, want an error with %q", c.next, c.last, c.breaking, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s after %q (breaking: %t): %v, want %q", c.next, c.last, c.breaking, err, c.want)
		}
	}
}
