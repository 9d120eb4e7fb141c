package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/internal/golden"
	"github.com/flux-framework/flux-operator/internal/load"
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
	if c.Field("foreign") != "" {
		return nil
	}
	return []string{"api/v1"}
}

// foreign returns the packages of other modules that "foreign:" names; their files go to out/N.
func foreign(c *golden.Case) []load.Foreign {
	var all []load.Foreign
	for i, path := range strings.Fields(c.Field("foreign")) {
		all = append(all, load.Foreign{Path: path, Dir: fmt.Sprintf("out/%d", i)})
	}
	return all
}
