package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// disk is every operation that writes below the root. Its errors name the path
// that the user knows, not the temporary one alone.
type disk struct {
	root *os.Root
	// fault, if set, is asked before each operation and may fail it or never
	// return. It is how tests get at the moments between two operations.
	fault func(op, path string) error
}

func (d *disk) ask(op, path string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op, path)
}

// writeTemp writes the new bytes of c beside its target and syncs them.
func (d *disk) writeTemp(c Change) error {
	tmp := tempName(c.Path)
	if err := d.ask("create", tmp); err != nil {
		return fmt.Errorf("writing %q: %w", c.Path, err)
	}
	f, err := d.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing %q: %w", c.Path, err)
	}
	if err := errors.Join(d.fill(f, tmp, c), d.close(f, tmp)); err != nil {
		return fmt.Errorf("writing %q: %w", c.Path, err)
	}
	return nil
}

func (d *disk) fill(f *os.File, tmp string, c Change) error {
	if err := d.ask("write", tmp); err != nil {
		return err
	}
	if _, err := f.Write(c.New); err != nil {
		return err
	}
	if err := d.ask("chmod", tmp); err != nil {
		return err
	}
	if err := f.Chmod(c.Mode); err != nil {
		return err
	}
	if err := d.ask("sync", tmp); err != nil {
		return err
	}
	return f.Sync()
}

func (d *disk) close(f *os.File, path string) error {
	return errors.Join(d.ask("close", path), f.Close())
}

// rename puts the temporary file of p in its place.
func (d *disk) rename(p string) error {
	err := d.ask("rename", p)
	if err == nil {
		err = d.root.Rename(tempName(p), p)
	}
	if err != nil {
		return fmt.Errorf("replacing %q: %w", p, err)
	}
	return nil
}

// replace is writeTemp and rename for a single file.
func (d *disk) replace(c Change) error {
	err := d.writeTemp(c)
	if err == nil {
		err = d.rename(c.Path)
	}
	if err != nil {
		return errors.Join(err, d.removeTemp(c.Path))
	}
	return nil
}

func (d *disk) mkdir(p string) error {
	err := d.ask("mkdir", p)
	if err == nil {
		err = d.root.Mkdir(p, 0o755)
	}
	if err != nil {
		return fmt.Errorf("making directory %q: %w", p, err)
	}
	return nil
}

// remove deletes a file or an empty directory; one that is not there is fine.
func (d *disk) remove(p string) error {
	err := d.ask("remove", p)
	if err == nil {
		err = d.root.Remove(p)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting %q: %w", p, err)
	}
	return nil
}

// removeTemp deletes the temporary file of p, if there is one: on a read-only
// file system even the attempt to delete nothing is an error.
func (d *disk) removeTemp(p string) error {
	if _, err := d.root.Lstat(tempName(p)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return d.remove(tempName(p))
}

// syncDir makes what happened in the directory p durable, where the platform and
// the file system can.
func (d *disk) syncDir(p string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := d.ask("syncdir", p); err != nil {
		return fmt.Errorf("syncing directory %q: %w", p, err)
	}
	f, err := d.root.Open(p)
	if err != nil {
		return fmt.Errorf("syncing directory %q: %w", p, err)
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("syncing directory %q: %w", p, err)
	}
	return nil
}
