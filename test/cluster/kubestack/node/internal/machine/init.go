package machine

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

// Init is the first process of the node's namespaces. It gives the node its view of the files, starts the machine, and
// reaps the processes that containerd leaves. Its exit ends all other processes and mounts of the namespaces.
func Init(args []string) int {
	c, err := parse("init", args)
	if err == nil {
		err = c.mount()
	}
	if err == nil {
		err = runMachine(args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// mount makes a copy-on-write view of the host's files the root directory. Only the node's own directory is the host's.
func (c Config) mount() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making the mounts private: %w", err)
	}
	root := c.path("root")
	for _, name := range []string{"root", "upper", "work"} {
		if err := os.MkdirAll(c.path(name), 0o755); err != nil {
			return err
		}
	}
	view := fmt.Sprintf("lowerdir=/,upperdir=%s,workdir=%s", c.path("upper"), c.path("work"))
	if err := syscall.Mount("overlay", root, "overlay", 0, view); err != nil {
		return fmt.Errorf("mounting an overlay of the host's files (it needs root and overlayfs): %w", err)
	}
	shared := []string{"/sys", "/dev", c.Dir, c.Runtime}
	for _, image := range c.Images {
		shared = append(shared, image.layers...)
	}
	for _, path := range shared {
		target := filepath.Join(root, path)
		if err := os.MkdirAll(target, 0o755); err != nil {
			return err
		}
		if err := syscall.Mount(path, target, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", path, err)
		}
	}
	for path, kind := range map[string]string{"/proc": "proc", "/run": "tmpfs"} {
		if err := syscall.Mount(kind, filepath.Join(root, path), kind, 0, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", path, err)
		}
	}
	old := filepath.Join(root, "run", "host")
	if err := os.Mkdir(old, 0o700); err != nil {
		return err
	}
	if err := syscall.PivotRoot(root, old); err != nil {
		return fmt.Errorf("entering the overlay: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return syscall.Unmount("/run/host", syscall.MNT_DETACH)
}

// runMachine starts the machine and returns when it has ended. Until then it waits for all children, also those of
// others.
func runMachine(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program := filepath.Join(filepath.Dir(self), "machine")
	child, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{
		Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr},
	})
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		child.Signal(syscall.SIGTERM) //nolint:errcheck // it has exited
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return fmt.Errorf("waiting for the machine: %w", err)
		case pid == child.Pid && status.ExitStatus() != 0:
			return fmt.Errorf("the machine exited: status %#x", uint32(status))
		case pid == child.Pid:
			return nil
		}
	}
}
