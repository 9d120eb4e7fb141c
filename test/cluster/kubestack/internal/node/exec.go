package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// executor runs the commands of an exec in a shell that lives in this process. It has the shell's own commands, and
// cat, sleep, hostname, env and sh -c. It starts no program and opens no file of the host.
type executor struct {
	pod pod
}

// ExecInContainer runs one command with its arguments.
func (e executor) ExecInContainer(ctx context.Context, _, _, container string, command []string, stdin io.Reader,
	stdout, stderr io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	shell := shell{
		environment: []string{
			"HOME=/", "PATH=/bin", "TMPDIR=/dev/null", // where nothing can be made
			"HOSTNAME=" + e.pod.name, "POD_NAMESPACE=" + e.pod.namespace, "CONTAINER=" + container,
		},
		stdin: stdin, stdout: io.Discard, stderr: io.Discard,
	}
	// A stream that was not asked for is nil; a terminal has one for both.
	if stdout != nil {
		shell.stdout, shell.stderr = stdout, stdout
	}
	if stderr != nil {
		shell.stderr = stderr
	}
	words := make([]string, 0, len(command))
	for _, word := range command {
		quoted, err := syntax.Quote(word, syntax.LangBash)
		if err != nil {
			return fmt.Errorf("reading the argument %q: %w", word, err)
		}
		words = append(words, quoted)
	}
	return exitError(shell.run(ctx, strings.Join(words, " ")))
}

// exitError turns a shell's exit code into the one that the protocol knows.
func exitError(err error) error {
	var status interp.ExitStatus
	if errors.As(err, &status) {
		return utilexec.CodeExitError{Err: status, Code: int(status)}
	}
	return err
}

// shell is what a command runs in.
type shell struct {
	environment    []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

func (s shell) run(ctx context.Context, script string, parameters ...string) error {
	parsed, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil {
		fmt.Fprintf(s.stderr, "sh: %v\n", err)
		return interp.ExitStatus(2)
	}
	runner, err := interp.New(
		interp.Env(expand.ListEnviron(s.environment...)),
		interp.Dir("/"),
		interp.StdIO(s.stdin, s.stdout, s.stderr),
		interp.Params(append([]string{"--"}, parameters...)...),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return program }),
		interp.OpenHandler(openNothing),
		interp.ReadDirHandler2(func(_ context.Context, path string) ([]fs.DirEntry, error) {
			return nil,
				absent("readdir", path)
		}),
		interp.StatHandler(func(_ context.Context, path string, _ bool) (fs.FileInfo, error) {
			return nil,
				absent("stat", path)
		}),
		interp.AccessHandler(func(_ context.Context, path string,
			_ interp.AccessMode) error {
			return absent("access", path)
		}),
	)
	if err != nil {
		return fmt.Errorf("making a shell: %w", err)
	}
	return runner.Run(ctx, parsed)
}

// program plays the few programs that are not the shell's own commands.
func program(ctx context.Context, args []string) error {
	in := interp.HandlerCtx(ctx)
	switch args[0] {
	case "cat":
		if len(args) > 1 {
			fmt.Fprintln(in.Stderr, "cat: there are no files here; it copies its input only")
			return interp.ExitStatus(1)
		}
		if in.Stdin == nil {
			return nil
		}
		_, err := io.Copy(in.Stdout, in.Stdin)
		return err
	case "sleep":
		return sleep(ctx, in, args[1:])
	case "hostname":
		fmt.Fprintln(in.Stdout, in.Env.Get("HOSTNAME"))
		return nil
	case "env":
		for name, variable := range in.Env.Each {
			if variable.Exported {
				fmt.Fprintf(in.Stdout, "%s=%s\n", name, variable)
			}
		}
		return nil
	case "sh", "bash", "/bin/sh", "/bin/bash":
		return subshell(ctx, in, args[1:])
	}
	fmt.Fprintf(in.Stderr, "%s: not found\n", args[0])
	return interp.ExitStatus(127)
}

func sleep(ctx context.Context, in interp.HandlerContext, args []string) error {
	duration, err := time.ParseDuration(strings.Join(args, " ") + "s")
	if err != nil {
		fmt.Fprintln(in.Stderr, "sleep: wants a number of seconds")
		return interp.ExitStatus(1)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(duration):
		return nil
	}
}

// subshell runs sh -c SCRIPT [NAME [PARAMETER...]], or the script that comes on its input.
func subshell(ctx context.Context, in interp.HandlerContext, args []string) error {
	shell := shell{stdin: in.Stdin, stdout: in.Stdout, stderr: in.Stderr}
	for name, variable := range in.Env.Each {
		if variable.Exported {
			shell.environment = append(shell.environment, name+"="+variable.String())
		}
	}
	switch {
	case len(args) == 0 && in.Stdin != nil:
		script, err := io.ReadAll(in.Stdin)
		if err != nil {
			return err
		}
		shell.stdin = nil
		return shell.run(ctx, string(script))
	case len(args) > 1 && args[0] == "-c":
		return shell.run(ctx, args[1], args[min(3, len(args)):]...)
	}
	fmt.Fprintln(in.Stderr, "sh: wants -c SCRIPT, or a script on its input")
	return interp.ExitStatus(2)
}

func openNothing(_ context.Context, path string, _ int, _ os.FileMode) (io.ReadWriteCloser, error) {
	if path == os.DevNull {
		return nothing{}, nil
	}
	return nil, absent("open", path)
}

func absent(operation, path string) error {
	return &fs.PathError{Op: operation, Path: path, Err: fs.ErrNotExist}
}

// nothing is the null device.
type nothing struct{}

func (nothing) Read([]byte) (int, error)          { return 0, io.EOF }
func (nothing) Write(content []byte) (int, error) { return len(content), nil }
func (nothing) Close() error                      { return nil }
