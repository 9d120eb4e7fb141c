package scaffold

import "testing"

func TestModuleName(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/fluxcd/source-controller/api":    "source-controller",
		"github.com/fluxcd/source-controller/api/v2": "source-controller",
		"example.org/op/apis":                        "op",
		"example.org/api":                            "api",
		"k8s.io/api":                                 "api",
		"sigs.k8s.io/jobset":                         "jobset",
		"example.org/op/v2":                          "op",
		"operator":                                   "operator",
	} {
		if got := moduleName(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
