package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
)

// result is what the rounds gave.
type result struct {
	machine    string
	everything []sample            // A
	classic    []sample            // B
	unchanged  []sample            // C
	names      []string            // B's steps, in their order
	steps      map[string][]sample // by name
}

// wallRatio is A's median wall time over B's.
func (r *result) wallRatio() float64 {
	return ratio(median(r.everything).Wall.Seconds(), median(r.classic).Wall.Seconds())
}

// print writes the table: medians, with B's steps, and ratios.
func (r *result) print(w io.Writer) error {
	a, b, c := median(r.everything), median(r.classic), median(r.unchanged)
	var text strings.Builder
	fmt.Fprintf(&text, "%s; medians of n=%d\n\n", r.machine, len(r.classic))
	fmt.Fprintf(&text, "%-27s%9s%9s%10s\n", "", "wall s", "cpu s", "peak MiB")
	row := func(name string, s sample) {
		fmt.Fprintf(&text, "%-27s%9.3f%9.3f%10.0f\n", name, s.Wall.Seconds(), s.CPU.Seconds(), float64(s.Peak)/(1<<20))
	}
	row("A sdkgen generate", a)
	row("B classic recipe", b)
	for _, name := range r.names {
		row("    "+name, median(r.steps[name]))
	}
	row("C sdkgen, nothing changed", c)
	ratios := func(name string, s, t sample) {
		fmt.Fprintf(&text, "%-27s%9.3f%9.3f%10.3f\n", name,
			ratio(s.Wall.Seconds(), t.Wall.Seconds()), ratio(s.CPU.Seconds(), t.CPU.Seconds()), ratio(float64(s.Peak), float64(t.Peak)))
	}
	ratios("A/B", a, b)
	ratios("C/A", c, a)
	_, err := io.WriteString(w, text.String())
	return err
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// describe says on what the figures were taken.
func describe(ctx context.Context, java string) string {
	version := "unknown"
	if said, err := exec.CommandContext(ctx, java, "-version").CombinedOutput(); err == nil {
		version, _, _ = strings.Cut(string(said), "\n")
	}
	return fmt.Sprintf("%s/%s, %d CPUs, %s, B's %s", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), strings.TrimSpace(version))
}
