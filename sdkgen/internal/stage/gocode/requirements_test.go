package gocode

import "testing"

func TestModuleOf(t *testing.T) {
	for name, want := range map[string]string{
		"k8s.io/apimachinery/pkg/apis/meta/v1":              "k8s.io/apimachinery",
		"k8s.io/api/v2/x":                                   "k8s.io/api",
		"sigs.k8s.io/structured-merge-diff/v6/typed":        "sigs.k8s.io/structured-merge-diff/v6",
		"gopkg.in/evanphx/json-patch.v4":                    "gopkg.in/evanphx/json-patch.v4",
		"gopkg.in/inf.v0":                                   "gopkg.in/inf.v0",
		"gopkg.in/yaml.v3/internal":                         "gopkg.in/yaml.v3",
		"sigs.k8s.io/structured-merge-diff/value/v2ray/any": "sigs.k8s.io/structured-merge-diff",
	} {
		if got := moduleOf(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
