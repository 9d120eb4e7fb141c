package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestBadInput runs testdata/bad/*.txtar, each in the project of TestScript with something wrong: the
// files of the case are laid over it. The comment's first line says what is wrong, and its fields
//
//	args     what sdkgen is run with, "generate -q" if there are none
//	exit     the exit code that is wanted
//	env      variables for it, NAME=VALUE
//	without  files of the project that are not there
//	link     a symbolic link, FROM -> TO
//
// "stderr" and "stdout" are what is printed. In all of these $WORK is the project's root and
// $OUTSIDE a directory beside it. Nothing in either may have changed, and no scratch is left.
func TestBadInput(t *testing.T) {
	testkit.Each(t, "bad/*.txtar", func(t *testing.T, c *testkit.Case) {
		t.Parallel()
		p := newProject(t)
		for _, f := range c.Files {
			if f.Name != "stderr" && f.Name != "stdout" {
				p.write(t, f.Name, f.Data)
			}
		}
		for _, name := range strings.Fields(c.Field("without")) {
			if err := os.Remove(p.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		if from, to, ok := strings.Cut(c.Field("link"), " -> "); ok {
			p.link(t, from, p.expand(to))
		}
		before := p.state(t)
		args := strings.Fields(c.Field("args"))
		if len(args) == 0 {
			args = []string{"generate", "-q"}
		}
		got := p.run(t, strings.Fields(p.expand(c.Field("env"))), args...)
		if got.code != c.Field("exit") {
			t.Errorf("exit code %s, want %q\n%s", got.code, c.Field("exit"), got.stderr)
		}
		c.Want(t, "stderr", got.stderr)
		c.Want(t, "stdout", got.stdout)
		p.same(t, before)
	})
}
