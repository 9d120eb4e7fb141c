// Command fluxoperator-gen prints the objects that the Flux Operator creates for a MiniCluster, to
// inspect, change or apply them where no operator runs. See docs/operate/fluxoperator-gen.md.
package main

import (
	"crypto/rand"
	"os"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(400) // the process ends before more collections would pay off
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, rand.Reader))
}
