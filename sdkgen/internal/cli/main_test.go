package cli

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestCollectLess: whoever sets GOGC has it, as the runtime has read it by then.
func TestCollectLess(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	limit := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(limit)
	for _, c := range []struct {
		environ []string
		want    int
		limit   int64
	}{
		{nil, 300, memoryLimit},
		{[]string{"HOME=/", "GOGCX=1", "GOMEMLIMIT=1GiB"}, 300, math.MaxInt64},
		{[]string{"HOME=/", "GOGC=50"}, 100, memoryLimit},
		{[]string{"GOGC=off"}, 100, memoryLimit},
	} {
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(math.MaxInt64)
		collectLess(c.environ)
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("%q: %d, want %d", c.environ, got, c.want)
		}
		if got := debug.SetMemoryLimit(-1); got != c.limit {
			t.Errorf("%q: memory limit %d, want %d", c.environ, got, c.limit)
		}
	}
}
