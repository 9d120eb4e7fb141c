// Command cluster starts, supervises and stops a Kubernetes control plane for tests, on the loopback address.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
