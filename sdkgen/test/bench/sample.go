package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
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
	Own  int64         // the same of the started process alone; 0 where the system does not tell
}

// then is s followed by next: times add up, the larger peak stays.
func (s sample) then(next sample) sample {
	return sample{Wall: s.Wall + next.Wall, CPU: s.CPU + next.CPU, Peak: max(s.Peak, next.Peak), Own: max(s.Own, next.Own)}
}

// step is one process of a recipe.
type step struct {
	name   string   // for people
	dir    string   // where it runs
	argv   []string // argv[0] is a path or is looked up on PATH
	env    []string // what is set beside this program's own environment
	stdout string   // a file for its output; if empty, the output is kept for the error
}

// run starts the process and waits for it.
func (s step) run(ctx context.Context) (sample, error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off"), s.env...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if s.stdout != "" {
		out, err := os.Create(s.stdout)
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", s.name, err)
		}
		defer out.Close() //nolint:errcheck // the child writes it, through a descriptor of its own
		cmd.Stdout = out
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return sample{}, fmt.Errorf("%s: %w", s.name, err)
	}
	ended, own := make(chan struct{}), make(chan int64)
	go func() { own <- watch(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	out := sample{Wall: time.Since(start)}
	close(ended)
	out.Own = <-own
	if err != nil {
		return sample{}, &failure{step: s, err: err, said: text.String()}
	}
	out.CPU, out.Peak = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peak(cmd.ProcessState)
	return out, nil
}

// failure is a process that did not end well.
type failure struct {
	step step
	err  error
	said string // what it printed
}

func (f *failure) Error() string {
	return fmt.Sprintf("%s: running %s: %v\n%s", f.step.name, strings.Join(f.step.argv, " "), f.err, tail(f.said, 20))
}

func (f *failure) Unwrap() error { return f.err }

// watchEvery is how often a running process is asked for its size: its last moments are missed.
const watchEvery = 15 * time.Millisecond

// watch returns the largest size that a process has had by itself, once it has ended.
func watch(pid int, ended <-chan struct{}) int64 {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for largest := int64(0); ; {
		largest = max(largest, resident(pid))
		select {
		case <-ended:
			return largest
		case <-ticks.C:
		}
	}
}

// resident is the largest size so far of a running process, in bytes; 0 where it is not known.
func resident(pid int) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "\nVmHWM:")
	line, _, _ := strings.Cut(rest, "\n")
	kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}

// runAll runs the steps one after the other and returns the sum, and the sample of each.
func runAll(ctx context.Context, steps []step) (sum sample, each []sample, err error) {
	for _, s := range steps {
		one, err := s.run(ctx)
		if err != nil {
			return sample{}, nil, err
		}
		sum, each = sum.then(one), append(each, one)
	}
	return sum, each, nil
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
