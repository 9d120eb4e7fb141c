package gocode

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/klog/v2"
)

// TestAsCommand holds what becomes of all that a generator can do beside its work: it may log, end
// the process, or panic. Nothing of it reaches stderr, and the process goes on.
func TestAsCommand(t *testing.T) {
	for name, c := range map[string]struct {
		f    func() error
		want string // the error, "" for none
	}{
		"fatal":     {func() error { klog.Fatal("no such ", "type"); return nil }, "no such type"},
		"fatalf":    {func() error { klog.Fatalf("Error: %v", os.ErrNotExist); return nil }, "Error: file does not exist"},
		"fatalln":   {func() error { klog.Fatalln("one\ntwo"); return nil }, "one\ntwo"},
		"after log": {func() error { klog.Error("before"); klog.Fatal("x] y"); return nil }, "x] y"},
		"exit":      {func() error { klog.Exit("enough"); return nil }, "enough"},
		"exit code": {func() error { klog.Error("before"); klog.FlushAndExit(time.Second, 0); return nil },
			"exited without an error message"},
		"panic": {func() error { panic("oh") }, "bug in some-gen, please report it: oh"},
		"nil": {func() error { return *(*error)(nil) },
			"bug in some-gen, please report it: runtime error: invalid memory address or nil pointer dereference"},
		"error": {func() error { klog.Error("before"); return errors.New("plain") }, "plain"},
		"logs": {func() error {
			klog.Error("error")
			klog.ErrorS(os.ErrNotExist, "structured")
			klog.Warning("warning")
			klog.Info("info")
			klog.V(9).Info("verbose")
			return nil
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			args := slices.Clone(os.Args)
			var err error
			printed := stderr(t, func() {
				err = asCommand("some-gen", func() error {
					if !slices.Equal(os.Args, []string{"some-gen"}) {
						t.Errorf("os.Args is %q", os.Args)
					}
					return c.f()
				})
			})
			if printed != "" {
				t.Errorf("it printed %s", printed)
			}
			if got := text(err); got != c.want {
				t.Errorf("error %q, want %q", got, c.want)
			}
			if !slices.Equal(os.Args, args) {
				t.Errorf("os.Args stays %q", os.Args)
			}
			// klog is as it was.
			if printed := stderr(t, func() { klog.Error("hello") }); !strings.HasSuffix(printed, "] hello\n") {
				t.Errorf("klog prints %q afterwards", printed)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// stderr returns what f prints there.
func stderr(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	before := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = before }()
	f()
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
