// Package cli is the command line of sdkgen: flags in, a pipeline run, an exit code out.
package cli

import (
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Main runs the command line args and returns the exit code of the process.
func Main(args []string, stdout, stderr io.Writer) int {
	collectLess(os.Environ())
	return run(args, stdout, stderr)
}

// collectLess makes the garbage collector wait until the heap has grown fourfold: a run is short and keeps
// most of what it allocates. A large API has it collect more once the heap is near memoryLimit. GOGC and
// GOMEMLIMIT, where they are set, decide instead.
func collectLess(environ []string) {
	set := func(name string) bool {
		return slices.ContainsFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	}
	if !set("GOGC") {
		debug.SetGCPercent(300)
	}
	if !set("GOMEMLIMIT") {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// memoryLimit is a soft limit: more is taken where that much is in use.
const memoryLimit = 440 << 20
