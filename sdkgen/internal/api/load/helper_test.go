package load_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// eachCase runs f on every testdata/GLOB, with the archive written to a directory, and compares
// what it returns with the archive's "want".
func eachCase(t *testing.T, glob string, f func(t *testing.T, root string, c *testkit.Case) string) {
	t.Helper()
	testkit.Each(t, glob, func(t *testing.T, c *testkit.Case) {
		t.Parallel()
		c.Want(t, "want", f(t, testkit.Project(t, c.Archive), c))
	})
}

// dirs returns the API packages of a case.
func dirs(c *testkit.Case) []string {
	if dirs := strings.Fields(c.Field("apis")); len(dirs) > 0 {
		return dirs
	}
	if c.Field("foreign") != "" {
		return nil
	}
	return []string{"api/v1"}
}

// foreign returns the packages of other modules that "foreign:" names; their files go to out/N.
func foreign(c *testkit.Case) []load.Foreign {
	var all []load.Foreign
	for i, path := range strings.Fields(c.Field("foreign")) {
		all = append(all, load.Foreign{Path: path, Dir: fmt.Sprintf("out/%d", i)})
	}
	return all
}
