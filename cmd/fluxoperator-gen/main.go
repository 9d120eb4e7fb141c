// Command fluxoperator-gen prints the objects that the Flux Operator makes of a MiniCluster, so
// that they can be read, changed and applied where no operator runs. docs/fluxoperator-gen.md is
// its manual.
package main

import (
	"crypto/rand"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(400) // the process ends before collecting more often pays
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, rand.Reader))
}
