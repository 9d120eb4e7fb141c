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
// most of what it allocates. GOGC, where it is set, decides instead; GOMEMLIMIT still applies.
func collectLess(environ []string) {
	if !slices.ContainsFunc(environ, func(entry string) bool { return strings.HasPrefix(entry, "GOGC=") }) {
		debug.SetGCPercent(300)
	}
}
