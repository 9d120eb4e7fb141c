package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// sample is what running one or more processes took. CPU and Peak come from the resource
// usage that the kernel hands out with a finished child, which includes the children that
// it has itself waited for: the whole tree of a program that leaves nothing running. A peak
// is never below this program's own, because a child is its copy until it has started.
type sample struct {
	Wall time.Duration
	CPU  time.Duration // user and system time of the tree
	Peak int64         // bytes resident in the largest process of the tree
}

// then is s followed by next: times add up, the larger peak stays.
func (s sample) then(next sample) sample {
	return sample{Wall: s.Wall + next.Wall, CPU: s.CPU + next.CPU, Peak: max(s.Peak, next.Peak)}
}

// step is one process of a recipe.
type step struct {
	name   string   // for people
	dir    string   // where it runs
	argv   []string // argv[0] is a path or is looked up on PATH
	stdout string   // a file for its output; if empty, the output is kept for the error
}

// run starts the process and waits for it.
func (s step) run(ctx context.Context) (sample, error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir = s.dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if s.stdout != "" {
		out, err := os.Create(s.stdout)
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", s.name, err)
		}
		defer out.Close() //nolint:errcheck // the child writes it, through a descriptor of its own
		cmd.Stdout = out
	}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%s: running %s: %w\n%s", s.name, strings.Join(s.argv, " "), err, tail(said.String(), 20))
	}
	state := cmd.ProcessState
	return sample{Wall: wall, CPU: state.UserTime() + state.SystemTime(), Peak: peak(state)}, nil
}

// runAll runs the steps one after the other.
func runAll(ctx context.Context, steps []step) (sample, error) {
	var sum sample
	for _, s := range steps {
		one, err := s.run(ctx)
		if err != nil {
			return sample{}, err
		}
		sum = sum.then(one)
	}
	return sum, nil
}

// median returns the median of each figure on its own.
func median(all []sample) sample {
	var wall, cpu []time.Duration
	var peak []int64
	for _, s := range all {
		wall, cpu, peak = append(wall, s.Wall), append(cpu, s.CPU), append(peak, s.Peak)
	}
	return sample{Wall: middle(wall), CPU: middle(cpu), Peak: middle(peak)}
}

func middle[T time.Duration | int64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
