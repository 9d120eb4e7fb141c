package cli

import (
	"runtime/debug"
	"testing"
)

// TestVersions: the version command prints what the go command recorded; the keys of stages know
// a released version only, so that they are the same in every checkout.
func TestVersions(t *testing.T) {
	const released, generator = "v1.2.3", "k8s.io/gengo/v2"
	dirty := debug.Module{Path: self, Version: "v1.2.4-0.20260102030405-0123456789ab+dirty"}
	deps := []*debug.Module{{Path: generator, Version: "v2.0.1"}}
	for name, c := range map[string]struct {
		info                   *debug.BuildInfo
		printed, key, gengoKey string
		released               string
	}{
		"nothing recorded": {info: nil, printed: development, key: development},
		"go install": {&debug.BuildInfo{Main: debug.Module{Path: self, Version: released, Sum: "h1:x"}, Deps: deps},
			released, released, "v2.0.1", ""},
		"a wheel": {&debug.BuildInfo{Main: debug.Module{Path: self, Version: development}, Deps: deps}, released,
			released, "v2.0.1", released},
		"a fork": {&debug.BuildInfo{Main: debug.Module{
			Path: self, Version: released, Sum: "h1:x", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.2.5",
				Sum: "h1:y"},
		}}, "v1.2.5", "v1.2.5", "", ""},
		"a checkout": {&debug.BuildInfo{Main: dirty, Deps: deps}, dirty.Version, development, "v2.0.1", ""},
		"a checkout without VCS": {&debug.BuildInfo{Main: debug.Module{Path: self, Version: development}}, development,
			development, "", ""},
		"another program's part": {&debug.BuildInfo{Main: debug.Module{Path: "example.org/op"},
			Deps: []*debug.Module{{Path: self, Version: released}}}, released, released, "", ""},
		"a directory in its place": {&debug.BuildInfo{Main: debug.Module{Path: "example.org/op"}, Deps: []*debug.Module{
			{Path: self, Version: released, Replace: &debug.Module{Path: "../sdkgen"}},
		}}, development, development, "", ""},
	} {
		if got := recorded(c.info, c.released)[self]; got != c.printed {
			t.Errorf("%s: version prints %s, want %s", name, got, c.printed)
		}
		if got := keyed(c.info, c.released); got[self] != c.key || got[generator] != c.gengoKey {
			t.Errorf("%s: keys have %s and %s, want %s and %s", name, got[self], got[generator], c.key, c.gengoKey)
		}
	}
}
