package baseline

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPaths: another major version of a module has the package below another path.
func TestPaths(t *testing.T) {
	for _, test := range []struct {
		module, pkg string
		want        []string
	}{
		{"a.org/m", "a.org/m/api", []string{"a.org/m/api"}},
		{"a.org/m", "a.org/m", []string{"a.org/m"}},
		{"a.org/m", "a.org/m/v2/api", []string{"a.org/m/v2/api", "a.org/m/api"}},
		{"a.org/m", "a.org/m/v2", []string{"a.org/m/v2", "a.org/m"}},
		{"a.org/m", "a.org/m/api/v1", []string{"a.org/m/api/v1"}},
		{"a.org/m/v2", "a.org/m/v2/api", []string{"a.org/m/v2/api"}},
		{"a.org/m/v2", "a.org/m/v3/api", []string{"a.org/m/v2/api"}},
		{"a.org/m/v2", "a.org/m/api", []string{"a.org/m/v2/api"}},
		{"a.org/m/v2", "a.org/m/v10", []string{"a.org/m/v2"}},
		{"a.org/m", "a.org/more/api", nil},
		{"a.org/m", "b.org/m/api", nil},
	} {
		if diff := cmp.Diff(test.want, paths(test.module, test.pkg)); diff != "" {
			t.Errorf("paths(%q, %q) (-want +got):\n%s", test.module, test.pkg, diff)
		}
	}
}
