package diag_test

import (
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 3, 0},
		{"minimum", "minimum", 3, 0},
		{"minimun", "minimum", 3, 1},
		{"minmum", "minimum", 3, 1},
		{"miniimum", "minimum", 3, 1},
		{"minmium", "minimum", 3, 1}, // a swap is one slip
		{"abc", "xyz", 5, 3},
		{"abc", "xyz", 2, 2},
		{"a", "abcdef", 3, 3},
	} {
		if got := diag.Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}
