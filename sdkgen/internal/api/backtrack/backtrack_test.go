package backtrack

import (
	"strings"
	"testing"
	"time"
)

// Each takes Python's re seconds with 40 characters.
var slow = []string{
	`^(a+)+$`, `^(a*)*$`, `^(a|aa)+$`, `^(a|ab|b)*$`, `^([a-z]+)*\d$`, `^(\w+\s?)*$`, `^(([a-z])+.)+[A-Z]([a-z])+$`,
	`^(.*a){10,}$`, `^(a?a?)*$`, `^((a?b?)?(c?d?)?x)*$`, `^([0-9]+(\.[0-9]*)?)+s$`, `^(x+x+)+y`,
	`(?i)^(ka|[\x{212A}x]a)*$`, `^(a{1,30}){1,30}$`,
	`^([0-9]+(.[0-9]+)?(ms|s|m|h))*$`, `^(-?[a-z0-9]+)*\.$`, `^(ab|[^b]b)*$`, `^(éa|[à-ü]a)*$`,
}

var fast = []string{
	``, `a`, `^a+$`, `^(a+)+`, `(a|a)*`, `^(a|[^b])*$`, `^(a?)*$`, `^(ab)*$`, `^(a|b)*$`,
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `^a*a*a*$`,
	`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`, `^([0-9]+(\.[0-9]+)?(ms|s|m|h))*$`,
	`^([0-9]{1,5}(h|m|s|ms)){1,4}$`, `^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$`, `^(([a-z]+,)*[a-z]+)?$`,
	`^(a{1,3}){1,3}$`,
	`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
	`^((25[0-5]|(2[0-4]|1\d|[1-9]|)\d)\.?\b){4}$`, `^[a-z]{1,1000}(\.[a-z]{1,1000}){0,1000}$`, `(`, `^(/[^/]+)*/?$`,
}

func TestExponential(t *testing.T) {
	for want, patterns := range map[bool][]string{true: slow, false: fast} {
		for _, pattern := range patterns {
			if got := Exponential(pattern); got != want {
				t.Errorf("Exponential(%q) = %v", pattern, got)
			}
		}
	}
}

// TestExponentialEnds wants an answer soon, whatever the expression.
func TestExponentialEnds(t *testing.T) {
	for _, pattern := range []string{
		`^(` + strings.Repeat(`(a?b?)?`, 60) + `)$`, `^((((a{8}){8}){8})b)*$`, `^(` + strings.Repeat(`a?`, 200) + `b)*$`,
		`^(` + strings.Repeat(`[a-z]{0,9}`, 100) + `)$`, strings.Repeat(`(`, 200) + `a` + strings.Repeat(`*)`, 200),
	} {
		began := time.Now()
		Exponential(pattern)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%.40q took %v", pattern, took)
		}
	}
}

func FuzzExponential(f *testing.F) {
	for _, pattern := range append(slow, fast...) {
		f.Add(pattern)
	}
	f.Fuzz(func(_ *testing.T, pattern string) {
		if len(pattern) < 50 {
			Exponential(pattern)
		}
	})
}
