package artifact

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// childHold takes the lock and keeps it.
func childHold(args []string) error {
	if _, err := Acquire(args[0]); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Minute)
	return nil
}

// TestAcquire has another process hold a project, under each spelling of its path, until it is killed.
func TestAcquire(t *testing.T) {
	root := t.TempDir()
	cmd := child(t, "hold", root)
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
		_, err := Acquire(spelling)
		want := fmt.Sprintf("another sdkgen is running in %q (lock)\n    wait until it ends, or stop it", spelling)
		if err == nil || err.Error() != want {
			t.Errorf("Acquire(%q): %v", spelling, err)
		}
	}
	release, err := Acquire(t.TempDir())
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
		release, err := Acquire(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Acquire(root); err == nil {
			t.Error("Acquire in the same process: no error")
		}
		if err := errors.Join(release(), release()); err != nil {
			t.Error(err)
		}
	}
	if in, err := os.ReadDir(root); err != nil || len(in) > 0 {
		t.Errorf("the root has %v in it, %v", in, err)
	}
	if _, err := Acquire(filepath.Join(root, "none")); err == nil {
		t.Error("a root that does not exist: no error")
	}
}
