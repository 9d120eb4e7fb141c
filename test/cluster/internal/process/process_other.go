//go:build unix && !linux

package process

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// born is the start time as ps prints it, in seconds.
func born(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "stat=,lstart=", "-p", strconv.Itoa(pid)).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", ErrGone
	}
	if err != nil {
		return "", err
	}
	state, when, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found || strings.HasPrefix(state, "Z") {
		return "", ErrGone
	}
	return strings.TrimSpace(when), nil
}

// Isolated is Dependent: this system has no namespaces.
func Isolated(signal syscall.Signal) *syscall.SysProcAttr { return Dependent(signal) }

// Dependent does nothing on this system; the next command kills what a killed parent leaves.
func Dependent(syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{}
}
