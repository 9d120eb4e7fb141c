package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// born is the boot ID and the start time in ticks.
func born(pid int) (string, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	// The program's name is in parentheses and may hold any character; behind it the state is the first field, the number
	// of threads the eighteenth, the time of birth the twentieth.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return "", fmt.Errorf("reading /proc/%d/stat: %q has too few fields", pid, stat)
	}
	// The first thread may have ended while others hold files and locks.
	if state, threads := fields[0], fields[17]; (state == "Z" || state == "X") && (threads == "0" || threads == "1") {
		return "", ErrGone
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19], nil
}

// Isolated is Dependent for a child that becomes the init of new mount, PID and network namespaces. All processes and
// mounts of the namespaces end with it.
func Isolated(signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: signal,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET}
}

// Dependent makes the kernel send a signal to the child when the thread that started it ends. The caller must stay on
// its thread (runtime.LockOSThread).
func Dependent(signal syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: signal}
}
