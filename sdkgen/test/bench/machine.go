package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// describe says when and on what the figures were taken.
func describe(ctx context.Context, java, load string, at time.Time, rounds int) string {
	version := "an unknown Java"
	if text, err := exec.CommandContext(ctx, java, "-version").CombinedOutput(); err == nil {
		version, _, _ = strings.Cut(string(text), "\n")
	}
	return fmt.Sprintf(
		"%s, %s/%s, %d cores, %s, %s; load average before: %s; medians of N=%d where a row does not say less.\n",
		at.Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(),
		strings.TrimSpace(version), load, rounds)
}

// loadAverage is that of the last 1, 5 and 15 minutes, where the system tells.
func loadAverage() string {
	data, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(data))
	if err != nil || len(fields) < 3 {
		return "unknown"
	}
	return strings.Join(fields[:3], " ")
}
