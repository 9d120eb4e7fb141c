//go:build unix && !linux

package process

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// born is the start as ps prints it, to the second.
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

// Dependent cannot tie a child to its parent here; what a killed parent leaves is ended by the next command.
func Dependent(syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{}
}
