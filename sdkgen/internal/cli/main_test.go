package cli

import (
	"runtime/debug"
	"testing"
)

// TestCollectLess: whoever sets GOGC has it, as the runtime has read it by then.
func TestCollectLess(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, c := range []struct {
		environ []string
		want    int
	}{
		{nil, 300},
		{[]string{"HOME=/", "GOGCX=1", "GOMEMLIMIT=1GiB"}, 300},
		{[]string{"HOME=/", "GOGC=50"}, 100},
		{[]string{"GOGC=off"}, 100},
	} {
		debug.SetGCPercent(100)
		collectLess(c.environ)
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("%q: %d, want %d", c.environ, got, c.want)
		}
	}
}
