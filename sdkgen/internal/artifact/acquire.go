package artifact

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Acquire makes sure that this is the only run that writes the repository at
// root, an absolute path. It does not wait: another run is an error. The lock is the kernel's, so a killed run leaves none behind.
//
// Its file lies in dir, which is made if need be, under a name that depends on
// where root really is; runs exclude each other if they are given the same dir.
// The file stays: to remove it would let two runs lock two files of one name.
func Acquire(dir, root string) (release func() error, err error) {
	if !filepath.IsAbs(root) || !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("locking %q in %q: both must be absolute", root, dir)
	}
	actual, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("locking %q: %w", root, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("locking %q: %w", root, err)
	}
	sum := strings.TrimPrefix(Sum([]byte(actual)), sumPrefix)
	name := filepath.Join(dir, "run-"+sum[:16])
	lock := flock.New(name+".lock", flock.SetPermissions(0o644))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %q by %q: %w", root, name+".lock", err)
	}
	if !ok {
		who := "another sdkgen"
		if pid := readPID(name + ".pid"); pid != 0 {
			who += fmt.Sprintf(" (pid %d)", pid)
		}
		return nil, diag.Errorf(token.Position{}, "lock", "wait until it ends, or stop it", "%s is running in %q", who, root)
	}
	// The id has a file of its own: on Windows nobody can read a locked one.
	// It is for the message of others only: what goes wrong with it is no
	// reason not to run, and what is left of it is not read without the lock.
	_ = os.WriteFile(name+".pid", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	return sync.OnceValue(func() error {
		_ = os.Remove(name + ".pid")
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("unlocking %q: %w", lock.Path(), err)
		}
		return nil
	}), nil
}

// readPID returns 0 if the file is missing, half written or not a process id.
func readPID(name string) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	text, ended := strings.CutSuffix(string(data), "\n")
	pid, err := strconv.Atoi(text)
	if err != nil || !ended || pid < 0 {
		return 0
	}
	return pid
}
