//go:build !unix

package jar

import "os/exec"

// group does nothing where there are no process groups: java itself is killed.
func group(*exec.Cmd) {}
