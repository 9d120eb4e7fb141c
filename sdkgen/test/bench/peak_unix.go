//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the largest resident size, in bytes, of the process and the children it waited for.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	size := int64(usage.Maxrss) //nolint:unconvert // 32 bits wide on some systems
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return size // bytes there, KiB elsewhere
	}
	return size * 1024
}
