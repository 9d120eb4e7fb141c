// Package backtrack finds regular expressions that take exponential time where they are matched by
// backtracking, as Python's re does. Go's regexp, by which the API server decides, is linear.
//
// Such an expression has a loop in which one string can be read in two ways: (a+)+ reads aa in one
// round or in two. Before the match fails, all combinations are tried, twice as many with each
// further character. In the automaton of the expression there is then a state from which two
// different paths with the same characters lead back to it (Weber and Seidl, "On the degree of
// ambiguity of finite automata", 1991: criterion EDA).
package backtrack

import (
	"maps"
	"regexp/syntax"
	"slices"
	"unicode"
)

// Exponential says whether matching an expression by backtracking can take time that is exponential
// in the length of the text. It is false for an expression that does not compile.
func Exponential(expression string) bool {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return false
	}
	program, err := syntax.Compile(unbounded(parsed).Simplify())
	if err != nil {
		return false
	}
	a := newAutomaton(program)
	a.dropStraight()
	for _, state := range a.states {
		if !a.accepts[state] && a.ambiguous(state) {
			return true
		}
	}
	return false
}

// few is up to how many repetitions a bounded repeat is copied; more count as a loop, which they
// are as slow as.
const few = 8

// unbounded returns an expression in which the repeats with a high bound have none.
func unbounded(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	out.Sub = nil
	for _, sub := range re.Sub {
		out.Sub = append(out.Sub, unbounded(sub))
	}
	if out.Op == syntax.OpRepeat {
		out.Min = min(out.Min, few)
		if out.Max > few {
			out.Max = -1
		}
	}
	return &out
}

// automaton has the instructions of a program that read a character as states.
type automaton struct {
	program *syntax.Prog
	states  []uint32
	next    map[uint32]map[uint32]int // how many ways, at most a few, lead from a state to the next
	steps   int                       // of all searches so far
	accepts map[uint32]bool           // after this state the expression has matched, whatever follows
}

func newAutomaton(program *syntax.Prog) *automaton {
	a := &automaton{program: program, next: map[uint32]map[uint32]int{}, accepts: map[uint32]bool{}}
	for i := range program.Inst {
		if reads(&program.Inst[i]) {
			state := uint32(i)
			a.states = append(a.states, state)
			a.next[state] = map[uint32]int{}
			w := &walk{automaton: a, from: state, edges: map[edge]bool{}, seen: map[uint32]int{}}
			w.to(program.Inst[i].Out, true)
		}
	}
	return a
}

func reads(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// walk follows the ways from a state that read nothing. A way uses no edge twice: a round of a loop
// that reads nothing ends the loop in Python, too.
type walk struct {
	*automaton
	from  uint32
	edges map[edge]bool // of the way so far
	seen  map[uint32]int
}

// edge is one of the two ways out of an instruction.
type edge struct{ from, number uint32 }

// manyWays is how often the ways through one instruction are followed. Two are enough to find that
// there are several; without a limit the number of ways can be exponential.
const manyWays = 4

func (w *walk) to(at uint32, certain bool) {
	inst := &w.program.Inst[at]
	if reads(inst) {
		w.next[w.from][at]++
		return
	}
	if w.seen[at] >= manyWays {
		return
	}
	w.seen[at]++
	switch inst.Op {
	case syntax.InstMatch:
		w.accepts[w.from] = w.accepts[w.from] || certain
	case syntax.InstAlt, syntax.InstAltMatch:
		w.along(edge{at, 0}, inst.Out, certain)
		w.along(edge{at, 1}, inst.Arg, certain)
	case syntax.InstCapture, syntax.InstNop:
		w.along(edge{at, 0}, inst.Out, certain)
	case syntax.InstEmptyWidth:
		w.along(edge{at, 0}, inst.Out, false)
	}
}

func (w *walk) along(by edge, to uint32, certain bool) {
	if w.edges[by] {
		return
	}
	w.edges[by] = true
	w.to(to, certain)
	delete(w.edges, by)
}

// dropStraight drops the transitions that are in no loop.
func (a *automaton) dropStraight() {
	reached := map[uint32]map[uint32]bool{}
	for _, state := range a.states {
		found, queue := map[uint32]bool{}, []uint32{state}
		for len(queue) > 0 {
			at := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for to := range a.next[at] {
				if !found[to] {
					found[to] = true
					queue = append(queue, to)
				}
			}
		}
		reached[state] = found
	}
	for _, state := range a.states {
		maps.DeleteFunc(a.next[state], func(to uint32, _ int) bool { return !reached[to][state] })
	}
}

// pair is where two paths with the same characters have come to, and whether they have parted.
type pair struct {
	one, other uint32
	parted     bool
}

// enough is after how many steps an expression, which is then a huge one, counts as exponential.
const enough = 2_000_000

// ambiguous says whether two different paths with the same characters lead from a state back to it.
func (a *automaton) ambiguous(state uint32) bool {
	start := pair{state, state, false}
	seen, queue := map[pair]bool{start: true}, []pair{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for one, ways := range a.next[at.one] {
			for other := range a.next[at.other] {
				if a.steps++; a.steps > enough {
					return true
				}
				if !a.overlap(one, other) {
					continue
				}
				to := pair{one, other, at.parted || one != other || at.one == at.other && ways > 1}
				if to == (pair{state, state, true}) {
					return true
				}
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
	}
	return false
}

// overlap says whether two states read a character in common.
func (a *automaton) overlap(one, other uint32) bool {
	if one == other {
		return true
	}
	first, second := &a.program.Inst[one], &a.program.Inst[other]
	return slices.ContainsFunc(samples(first), second.MatchRune) || slices.ContainsFunc(samples(second), first.MatchRune)
}

// samples returns characters of which two instructions that overlap have one: the first of each range.
func samples(inst *syntax.Inst) []rune {
	switch {
	case inst.Op == syntax.InstRuneAny, inst.Op == syntax.InstRuneAnyNotNL:
		return []rune{0, 'a'}
	case len(inst.Rune) == 1:
		out := []rune{inst.Rune[0]}
		return append(out, folds(inst)...)
	}
	var out []rune
	for i := 0; i < len(inst.Rune); i += 2 {
		out = append(out, inst.Rune[i])
	}
	return out
}

// folds returns the other cases of the one character of an instruction that ignores case.
func folds(inst *syntax.Inst) []rune {
	var out []rune
	if syntax.Flags(inst.Arg)&syntax.FoldCase == 0 {
		return nil
	}
	for r := unicode.SimpleFold(inst.Rune[0]); r != inst.Rune[0]; r = unicode.SimpleFold(r) {
		out = append(out, r)
	}
	return out
}
