package artifact

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// Acquire makes sure that this is the only run that writes the project in the directory root. It does not
// wait: another run is an error. The lock is the kernel's and a killed run leaves
// none behind. It is on the directory itself, so nothing is written; Windows locks no directories, there it
// is on a file in the temporary directory.
func Acquire(root string) (release func() error, err error) {
	lock := flock.New(root, flock.SetFlag(os.O_RDONLY))
	if runtime.GOOS == "windows" {
		sum := strings.TrimPrefix(Sum([]byte(root)), sumPrefix)
		lock = flock.New(filepath.Join(os.TempDir(), "sdkgen-"+sum[:16]+".lock"))
	}
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("locking %q: %w", root, err)
	}
	if !ok {
		return nil, diag.Errorf(token.Position{}, "lock", "wait until it ends, or stop it", "another sdkgen is running in %q",
			root)
	}
	return sync.OnceValue(func() error {
		if err := lock.Unlock(); err != nil {
			return fmt.Errorf("unlocking %q: %w", root, err)
		}
		return nil
	}), nil
}
