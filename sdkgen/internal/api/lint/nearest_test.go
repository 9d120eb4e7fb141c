package lint

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNearest makes one slip in each known spelling. What is suggested must be known, and for
// nearly all it must be the spelling itself.
func TestNearest(t *testing.T) {
	c, err := newCatalog()
	if err != nil {
		t.Fatal(err)
	}
	random, right, all := rand.New(rand.NewPCG(1, 2)), 0, 0
	for _, name := range c.spelled {
		if len(name) < 8 {
			continue
		}
		for range 5 {
			i := 1 + random.IntN(len(name)-2)
			slip := name[:i] + name[i+1:]
			if c.find("+"+slip+"=") != nil || slip == name || name[i] == ':' {
				continue
			}
			all++
			got := c.nearest(slip)
			if got == name {
				right++
			}
			if c.find("+"+got+"=") == nil {
				t.Errorf("nearest(%q) = %q, which is not known", slip, got)
			}
		}
	}
	if all < 500 || right*100 < all*95 {
		t.Errorf("of %d slips %d were put right", all, right)
	}
}

// FuzzSpelling looks for comment lines that the linter cannot read, and for suggestions that are
// no better.
func FuzzSpelling(f *testing.F) {
	for _, line := range []string{
		"// +optional", "//+kubebuilder:validation:Minimun=1", "// + k8s:foo", "/* +listType=set */",
		"// +default={\"a\": [1]}",
		"// +k8s:alpha(since: \"1\")=+k8s:minimum=1", "//\t+k8s:validation:cel[0]:rul>x", "// +kubebuilder:default:={a}",
		"// +é=+",
	} {
		f.Add(line)
	}
	c, err := newCatalog()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "/*") {
			return
		}
		text, at, _ := markerIn(line, 0, line[1] == '*')
		if text == "" {
			return
		}
		if at < 2 || line[at] != '+' {
			t.Fatalf("markerIn(%q) is at %d", line, at)
		}
		if c.find(text) != nil {
			return
		}
		if right := c.nearest(word(text)); right != "" && c.find("+"+right+"=") == nil {
			t.Errorf("nearest(%q) = %q, which is not known", word(text), right)
		}
	})
}
