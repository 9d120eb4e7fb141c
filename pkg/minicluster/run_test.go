package minicluster_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/internal/testkit"
)

// programs are called by the entrypoints, and replaced by testdata/stub.sh.
var programs = []string{
	"chmod", "chown", "chpasswd", "flux", "flux-broker-0", "id", "install", "munged", "mv", "nice",
	"python3", "service", "sleep", "strace", "sudo", "tar", "time", "useradd",
}

// TestRun runs entrypoints, and compares their calls, output, termination message and exit status. Fields
// of a case's comment: script (its key), index (of the pod), version (of Flux), cores (of the node),
// failures (of brokers), lost (ranks), dump (what the broker writes), exists (a file to create beforehand).
func TestRun(t *testing.T) {
	testkit.Each(t, "run/*.txtar", func(t *testing.T, c *testkit.Case) {
		t.Parallel()
		c.Only(t, input, "calls", "stdout", "stderr", "message")
		s := newSandbox(t, c)
		if file := c.Field("exists"); file != "" {
			testkit.Write(t, s.root, file, nil)
		}
		cmd := s.command(c)
		cmd.Env = append(cmd.Env, "BROKER_FAILURES="+c.Field("failures"), "LOST="+c.Field("lost"), "DUMP="+c.Field("dump"))
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		s.start(t, cmd)
		if err := cmd.Wait(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok {
				t.Fatal(err)
			}
		}
		c.Want(t, "calls", s.read(t, "calls")+cmd.ProcessState.String()+"\n")
		c.Want(t, "stdout", s.portable(stdout.String()))
		// Depending on which of them gets SIGTERM first, a shell reports the end of the pause.
		c.Want(t, "stderr", strings.ReplaceAll(s.portable(stderr.String()), "Terminated\n", ""))
		c.Want(t, "message", s.read(t, "dev/termination-log"))
	})
}

// TestStop stops an entrypoint, as Kubernetes does, while a program runs in it. The exit code is that of a
// terminated process, so that the pod counts neither as succeeded nor as failed by its command.
func TestStop(t *testing.T) {
	for _, test := range []struct {
		files, sleeps, runs string
		broker              bool
	}{
		{"run/[ilwt]*.txtar", "broker", "flux-broker-0 ", true},
		{"run/interactive.txtar", "late", "sudo ", true},
		{"run/[ilwt]*.txtar", "install", "install ", false},
		{"run/stop-*.txtar", "sleep", "sleep ", false},
	} {
		testkit.Each(t, test.files, func(t *testing.T, c *testkit.Case) {
			t.Parallel()
			t.Run(test.sleeps, func(t *testing.T) {
				s := newSandbox(t, c)
				cmd := s.command(c)
				cmd.Env = append(cmd.Env, "SLEEPS="+test.sleeps)
				s.start(t, cmd)
				file := "calls"
				if test.sleeps == "broker" {
					file = "starts" // written once the broker heeds signals
				}
				until(t, func() bool { return s.read(t, file) != "" && strings.Contains(s.read(t, "calls"), test.runs) })
				if test.sleeps == "broker" {
					time.Sleep(3 * time.Second) // a younger one may get a second signal
				}
				begin := time.Now()
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 143 || time.Since(begin) > 30*time.Second {
					t.Errorf("ended with %v after %s, want exit code 143 at once", err, time.Since(begin))
				}
				calls := s.read(t, "calls")
				if signals := strings.Count(calls, "broker gets SIGTERM\n"); test.broker &&
					(signals != 1 || !strings.Contains(calls, "broker stopped\n")) {
					t.Errorf("the broker got %d signals, want 1, and to be waited for:\n%s", signals, calls)
				}
				if message := s.read(t, "dev/termination-log"); message != "" {
					t.Errorf("the termination message is %q", message)
				}
			})
		})
	}
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
	for _, configMap := range set.ConfigMaps {
		for key, text := range configMap.Data {
			testkit.Write(t, s.root, "flux_operator/"+key, []byte(s.inside(text)))
		}
	}
	for _, secret := range set.Keys {
		for key, value := range secret.Data {
			testkit.Write(t, s.root, "mnt/"+strings.TrimPrefix(secret.Name, set.Job.Name+"-")+"/"+key, value)
		}
	}
	directories := []string{"dev", "var/lib/flux-restful"}
	for _, container := range set.Job.Spec.Template.Spec.Containers {
		for _, mount := range container.VolumeMounts {
			directories = append(directories, mount.MountPath)
		}
	}
	for _, directory := range directories {
		if err := os.MkdirAll(filepath.Join(s.root, directory), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// inside rewrites the absolute paths of a script to the sandbox.
func (s *sandbox) inside(text string) string {
	var pairs []string
	for _, path := range []string{
		"/dev/termination-log", "/etc/", "/flux_operator/", "/mnt/", "/opt/flux", "/run/flux", "/state/", "/tmp/fluxout",
		"/usr/bin/time", "/var/lib/flux",
	} {
		pairs = append(pairs, path, s.root+path)
	}
	return strings.NewReplacer(append([]string{"/usr/bin/time", s.bin + "/time"}, pairs...)...).Replace(text)
}

// command returns the process of the entrypoint. It has its own process group, as in a container.
func (s *sandbox) command(c *testkit.Case) *exec.Cmd {
	shell := "/bin/bash"
	file := filepath.Join(s.root, "flux_operator", c.Field("script"))
	if text, err := os.ReadFile(file); err == nil && bytes.HasPrefix(text, []byte("#!/bin/sh")) {
		shell = "/bin/sh"
	}
	cmd := exec.Command(shell, file)
	cmd.Dir = s.root
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = []string{
		"ROOT=" + s.root, "PATH=" + s.bin + ":/usr/bin:/bin", "JOB_COMPLETION_INDEX=" + cmp.Or(c.Field("index"), "0"),
		"FLUX_VERSION=" + cmp.Or(c.Field("version"), "0.60.0"), "FLUX_CORES=" + cmp.Or(c.Field("cores"), "4"),
	}
	return cmd
}

// start starts the entrypoint, and notes its process ID for the programs that it calls.
func (s *sandbox) start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, s.root, "pid", []byte(strconv.Itoa(cmd.Process.Pid)))
}

// read returns a file that the entrypoint wrote, or "".
func (s *sandbox) read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return s.portable(string(data))
}

// portable removes the path of the sandbox from output.
func (s *sandbox) portable(text string) string { return strings.ReplaceAll(text, s.root, "") }
