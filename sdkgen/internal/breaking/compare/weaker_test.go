package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// expression returns a random rule for objects with a number x, a text s and a list l, of which each may be missing.
func expression(r *rand.Rand, depth int, item string) string {
	number := fmt.Sprint(r.IntN(4))
	if depth > 0 {
		a, b := expression(r, depth-1, item), expression(r, depth-1, item)
		switch r.IntN(7) {
		case 0, 1:
			return "(" + a + " && " + b + ")"
		case 2, 3:
			return "(" + a + " || " + b + ")"
		case 4:
			return "!" + a
		case 5:
			return "(" + a + " ? " + b + " : " + expression(r, depth-1, item) + ")"
		}
	}
	value := "self.x"
	if item != "" && r.IntN(2) == 0 {
		value = item
	}
	comparison := []string{"<", "<=", ">", ">=", "==", "!="}[r.IntN(6)]
	switch r.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s in %s)", value, []string{"[1]", "[1, 2]", "[2, 1, 3]", "[]"}[r.IntN(4)])
	case 1:
		return "has(self." + []string{"x", "s", "l"}[r.IntN(3)] + ")"
	case 2:
		return "(self.s == '" + number + "')"
	case 3:
		if depth > 0 {
			name := []string{"i", "j"}[r.IntN(2)] + fmt.Sprint(depth)
			return "self.l." + []string{"all", "exists", "exists_one"}[r.IntN(3)] + "(" + name + ", " +
				expression(r, depth-1, name) + ")"
		}
	case 4:
		return "(" + number + " " + comparison + " " + value + ")"
	}
	return "(" + value + " " + comparison + " " + number + ")"
}

// drawn is a random rule.
type drawn struct {
	text    string
	term    *term
	accepts []bool // by value
}

func draw(t *testing.T, env *cel.Env, r *rand.Rand, values []map[string]any) drawn {
	t.Helper()
	text := expression(r, r.IntN(3), "")
	tree, issues := env.Compile(text)
	if issues.Err() != nil {
		t.Fatalf("%s: %v", text, issues.Err())
	}
	program, err := env.Program(tree)
	if err != nil {
		t.Fatal(err)
	}
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		t.Fatal(issues.Err())
	}
	rule := drawn{text: text, term: (&reader{}).read(parsed.NativeRep().Expr(), false)}
	for _, value := range values {
		out, _, err := program.Eval(map[string]any{"self": value})
		rule.accepts = append(rule.accepts, err == nil && out == types.True)
	}
	return rule
}

func drawValues(r *rand.Rand) []map[string]any {
	var values []map[string]any
	for range 60 {
		value := map[string]any{}
		if r.IntN(4) > 0 {
			value["x"] = int64(r.IntN(5) - 1)
		}
		if r.IntN(4) > 0 {
			value["s"] = fmt.Sprint(r.IntN(4))
		}
		if r.IntN(4) > 0 {
			list := make([]int64, r.IntN(4))
			for i := range list {
				list[i] = int64(r.IntN(5) - 1)
			}
			value["l"] = list
		}
		values = append(values, value)
	}
	return values
}

// TestImplies: whatever rule is said to follow from another accepts all that it accepts.
func TestImplies(t *testing.T) {
	env, err := cel.NewEnv(cel.Variable("self", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	values := drawValues(r)
	var rules []drawn
	for range 600 {
		rules = append(rules, draw(t, env, r, values))
	}
	followed := 0
	for i, a := range rules {
		for j, b := range rules {
			if i == j || !implies(a.term, b.term) {
				continue
			}
			followed++
			for n, value := range values {
				if a.accepts[n] && !b.accepts[n] {
					t.Fatalf("%s is said to follow from %s: %v", b.text, a.text, value)
				}
			}
		}
	}
	if followed < 1000 {
		t.Errorf("only %d of %d pairs follow", followed, len(rules)*len(rules))
	}
}
