//go:build unix

package jar

import (
	"os/exec"
	"syscall"
)

// group gives a command a process group of its own, all of which is killed with it: a java that
// is a shell script may have the real one as its child.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
