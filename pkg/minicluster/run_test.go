package minicluster_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/internal/testkit"
)

// programs are called by the entrypoints, and replaced by testdata/stub.sh.
var programs = []string{
	"alembic", "chmod", "chown", "chpasswd", "flux", "git", "id", "install", "munged", "nice", "python3",
	"service", "sleep", "strace", "sudo", "time", "useradd", "uvicorn",
}

// TestRun runs entrypoints, and compares their calls, output and exit status. Fields of a case's comment:
// script (its key), index (of the pod), version (of Flux), failures (of brokers), exists (a file to
// create beforehand).
func TestRun(t *testing.T) {
	testkit.Each(t, "run/*.txtar", func(t *testing.T, c *testkit.Case) {
		c.Only(t, input, "calls", "stdout", "stderr")
		s := newSandbox(t, c)
		if file := c.Field("exists"); file != "" {
			testkit.Write(t, s.root, file, nil)
		}
		cmd := s.command(c.Field("script"))
		cmd.Env = append(cmd.Env, "JOB_COMPLETION_INDEX="+cmp.Or(c.Field("index"), "0"),
			"FLUX_VERSION="+cmp.Or(c.Field("version"), "0.60.0"), "BROKER_FAILURES="+c.Field("failures"))
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				t.Fatal(err)
			}
		}
		c.Want(t, "calls", s.calls(t)+cmd.ProcessState.String()+"\n")
		c.Want(t, "stdout", s.portable(stdout.String()))
		c.Want(t, "stderr", s.portable(stderr.String()))
	})
}

// TestStop stops a worker and a lead broker. The broker gets the signal, and the exit code is that of a
// terminated process, so that the pod does not count as succeeded.
func TestStop(t *testing.T) {
	testkit.Each(t, "run/[iw]*.txtar", func(t *testing.T, c *testkit.Case) {
		s := newSandbox(t, c)
		cmd := s.command(c.Field("script"))
		cmd.Env = append(cmd.Env, "JOB_COMPLETION_INDEX="+cmp.Or(c.Field("index"), "0"), "BROKER_SLEEPS=yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, func() bool { return strings.Contains(s.calls(t), "broker runs") })
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 143 {
			t.Errorf("ended with %v, want exit code 143", err)
		}
		if !strings.Contains(s.calls(t), "broker stopped") {
			t.Errorf("the broker was not stopped:\n%s", s.calls(t))
		}
	})
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	for range 200 {
		if done() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("timed out")
}

// sandbox is a directory that replaces the root of a container.
type sandbox struct {
	root    string
	bin     string
	scripts map[string]string
}

func newSandbox(t *testing.T, c *testkit.Case) *sandbox {
	t.Helper()
	s := &sandbox{root: t.TempDir(), scripts: map[string]string{}}
	s.bin = filepath.Join(s.root, "opt/flux/bin")
	stub, err := filepath.Abs("testdata/stub.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		if err := os.Symlink(stub, filepath.Join(s.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	set := objects(t, decode(t, c.Part(input)))
	for _, configMap := range slices.Concat(set.ConfigMaps, set.Keys) {
		for key, text := range configMap.Data {
			dir := "flux_operator"
			if strings.HasSuffix(configMap.Name, "-flux-restful") {
				dir = "mnt/flux-restful"
			}
			testkit.Write(t, s.root, dir+"/"+key, []byte(s.inside(text)))
		}
	}
	if err := os.Mkdir(filepath.Join(s.root, "flux-restful-api"), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// inside rewrites the absolute paths of a script to the sandbox.
func (s *sandbox) inside(text string) string {
	var pairs []string
	for _, path := range []string{
		"/etc/", "/flux-restful-api", "/flux_operator/", "/mnt/", "/opt/flux", "/run/flux", "/state/", "/tmp/fluxout",
		"/usr/bin/time", "/var/lib/flux",
	} {
		pairs = append(pairs, path, s.root+path)
	}
	return strings.NewReplacer(append([]string{"flux-framework/flux-restful-api", "flux-framework/flux-restful-api",
		"/usr/bin/time", s.bin + "/time"}, pairs...)...).Replace(text)
}

func (s *sandbox) command(script string) *exec.Cmd {
	shell := "/bin/bash"
	file := filepath.Join(s.root, "flux_operator", script)
	if text, err := os.ReadFile(file); err == nil && bytes.HasPrefix(text, []byte("#!/bin/sh")) {
		shell = "/bin/sh"
	}
	cmd := exec.Command(shell, file)
	cmd.Dir = s.root
	cmd.Env = []string{"ROOT=" + s.root, "PATH=" + s.bin + ":/usr/bin:/bin"}
	return cmd
}

func (s *sandbox) calls(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, "calls"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return s.portable(string(data))
}

// portable removes the path of the sandbox from output.
func (s *sandbox) portable(text string) string { return strings.ReplaceAll(text, s.root, "") }
