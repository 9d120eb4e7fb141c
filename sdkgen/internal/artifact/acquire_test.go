package artifact

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// childHold takes the lock and keeps it.
func childHold(args []string) error {
	if _, err := Acquire(args[0], args[1]); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Minute)
	return nil
}

func TestAcquire(t *testing.T) {
	dir, root := filepath.Join(t.TempDir(), "cache", "sdkgen"), t.TempDir()
	cmd := child(t, "hold", dir, root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatal(line, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	for _, spelling := range []string{root, root + "/.", link} {
		_, err = Acquire(dir, spelling)
		want := fmt.Sprintf("another sdkgen (pid %d) is running in %q (lock)\n    wait until it ends, or stop it", cmd.Process.Pid, spelling)
		if err == nil || err.Error() != want {
			t.Errorf("Acquire: %v, want %s", err, want)
		}
	}
	release, err := Acquire(dir, t.TempDir())
	if err != nil {
		t.Errorf("another root: %v", err)
	} else if err := release(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for range 2 { // after a kill, and after a release
		release, err := Acquire(dir, root)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Acquire(dir, root)
		if want := fmt.Sprintf("(pid %d)", os.Getpid()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Acquire in the same process: %v", err)
		}
		if err := errors.Join(release(), release()); err != nil {
			t.Error(err)
		}
	}
	if in, err := os.ReadDir(root); err != nil || len(in) > 0 {
		t.Errorf("the root has %v in it, %v", in, err)
	}
}

func TestAcquireErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, filepath.Dir(file), "file", "")
	for _, tt := range []struct{ dir, root string }{
		{t.TempDir(), "relative"}, {"relative", t.TempDir()},
		{t.TempDir(), filepath.Join(t.TempDir(), "none")}, {file, t.TempDir()},
	} {
		if _, err := Acquire(tt.dir, tt.root); err == nil || !strings.Contains(err.Error(), tt.root) {
			t.Errorf("Acquire(%q, %q): %v", tt.dir, tt.root, err)
		}
	}
}

func TestReadPID(t *testing.T) {
	dir := t.TempDir()
	for data, want := range map[string]int{"12\n": 12, "12": 0, "": 0, "x\n": 0, "-3\n": 0} {
		write(t, dir, "pid", data)
		if got := readPID(filepath.Join(dir, "pid")); got != want {
			t.Errorf("readPID of %q: %d", data, got)
		}
	}
}
