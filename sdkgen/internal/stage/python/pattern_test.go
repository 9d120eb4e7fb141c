package python

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

var patterns = []string{
	``, `a`, `^a$`, `^$`, `a|b`, `^a|b$`, `^(a|b)+$`, `(?i)ab`, `(?i:k)`, `a.c`, `(?s)a.c`, `(?m)^b$`, `^[^a]*$`, `[\d\-]`,
	`\w+\s\S`,
	`\D`, `\W`, `\pL`, `\PL`, `\p{Greek}`, `[[:alpha:]]`, `[^[:space:]]`, `a{2}`, `a{2,}`, `^a{0,2}$`, `a*?b`, `(?U)a+`,
	`\bab\b`, `\Ba`,
	`\Aa\z`, `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, `\x{1F600}`, `[\x00-\x1f]`, `\Q.*\E`, `a\.b`, `[]a]`, `[.^$|()]`, ` `, `#`,
	`(?:)`, `(a)(b)?`,
	`^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$`,
	`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
}

var texts = []string{
	"", "a", "b", "ab", "AB", "a\n", "\n", "b\na", "a\nb\n", "aa", "aaa", "a c", "a.c", "a\nc", "9", "٣", "-", "é", "Ω",
	"\u212a", "K", "k",
	"1.5Gi", "100m", "a-b", "-a", "]", ".", "😀", "\x1f", "\x00", "ab ab", "xab", "_", "^$", " ", "#", ".*", "\u2028",
	"a\u2028", "ſ", "S",
}

// TestPattern holds Go's regexp and Python's re against each other: what pattern returns has to
// match the texts that the original matches.
func TestPattern(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		testkit.Missing(t, err.Error())
	}
	type check struct {
		Go, Python, Text string
		Matches          bool
	}
	var checks []check
	random := rand.New(rand.NewPCG(1, 2))
	for _, expression := range patterns {
		translated := pattern(expression)
		all := append([]string{}, texts...)
		for range 30 { // texts made of the others' characters
			var b strings.Builder
			for range random.IntN(5) {
				b.WriteString(texts[random.IntN(len(texts))])
			}
			all = append(all, b.String())
		}
		for _, text := range all {
			checks = append(checks, check{expression, translated, text, regexp.MustCompile(expression).MatchString(text)})
		}
	}
	data, err := json.Marshal(checks)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", `
import json, re, sys
wrong = 0
for c in json.load(sys.stdin):
    if bool(re.search(c["Python"], c["Text"])) is not c["Matches"]:
        wrong += 1
        print(c)
print(wrong, "wrong")
`)
	cmd.Stdin = strings.NewReader(string(data))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "0 wrong\n" {
		t.Errorf("%v\n%s", err, out)
	}
	for _, expression := range []string{"a(", "^(a+)+$"} {
		if got := pattern(expression); got != "" {
			t.Errorf("%q, which Go refuses or Python takes too long for, became %q", expression, got)
		}
	}
}

// FuzzPattern wants of each expression a sample that matches it, or word that there is none.
func FuzzPattern(f *testing.F) {
	for _, expression := range patterns {
		f.Add(expression, uint8(0), uint8(20))
	}
	f.Fuzz(func(t *testing.T, expression string, shortest, longest uint8) {
		re, err := regexp.Compile(expression)
		if err != nil {
			t.Skip("Go refuses it")
		}
		low, high := int64(shortest), int64(longest)
		s := &sampling{}
		text := s.text("wanted",
			&model.Type{SchemaValidations: spec.StringProperty().WithPattern(
				expression).WithMinLength(low).WithMaxLength(high).Validations()})
		if size := int64(len([]rune(text))); !s.invalid && (!re.MatchString(text) || size < low || size > high) {
			t.Errorf("%q is no sample of %q from %d to %d", text, expression, low, high)
		}
		if strings.Contains(pattern(expression), "\n") {
			t.Errorf("%q has a newline", pattern(expression))
		}
	})
}
