package load_test

import (
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/golden"
)

// eachCase runs f on every testdata/GLOB, with the archive written to a folder, and compares
// what it returns with the archive's "want".
func eachCase(t *testing.T, glob string, f func(t *testing.T, root string, c *golden.Case) string) {
	t.Helper()
	golden.Each(t, glob, func(t *testing.T, c *golden.Case) {
		t.Parallel()
		c.Want(t, "want", f(t, golden.Project(t, c.Archive), c))
	})
}

// dirs returns the API packages of a case.
func dirs(c *golden.Case) []string {
	if dirs := strings.Fields(c.Field("apis")); len(dirs) > 0 {
		return dirs
	}
	return []string{"api/v1"}
}
