package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// workspace is a stranger's project in a directory of its own.
type workspace struct {
	root    string // of the project
	outside string // a directory that is none of its business
	temp    string // TMPDIR
	sdkgen  string // this test's program, under that name
	env     []string
}

// newProject makes the project of TestScript.
func newProject(t *testing.T) *workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &workspace{root: filepath.Join(dir, "work"), outside: filepath.Join(dir, "outside"),
		temp: filepath.Join(dir, "temp"), sdkgen: filepath.Join(dir, "sdkgen")}
	for _, dir := range []string{p.root, p.outside, p.temp, filepath.Join(dir, "bin")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := testkit.WriteModule(p.root, modulePath); err != nil {
		t.Fatal(err)
	}
	if err := copyMissing(p.root, "testdata/project"); err != nil {
		t.Fatal(err)
	}
	// A child of the go command that counts would still write below HOME when the test is over.
	testkit.Write(t, dir, ".config/go/telemetry/mode", []byte("off"))
	// PATH has Go and nothing else, so that no Java of the machine's is found.
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	p.link(t, filepath.Join(dir, "bin", "go"), program)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.link(t, p.sdkgen, self)
	p.env = append(goEnvironment(), "GOFLAGS=", "GOPROXY=off",
		"PATH="+filepath.Join(dir, "bin"), "HOME="+dir, "TMPDIR="+p.temp, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	return p
}

func (p *workspace) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.root, filepath.FromSlash(name))
}

// write writes a file of the project; one in a directory bin is a program.
func (p *workspace) write(t *testing.T, name string, data []byte) {
	t.Helper()
	testkit.Write(t, p.root, name, data)
	if filepath.Base(filepath.Dir(p.path(name))) == "bin" {
		if err := os.Chmod(p.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *workspace) link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(from)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, p.path(from)); err != nil {
		t.Fatal(err)
	}
}

// expand puts in the directories' names, hide takes them out.
func (p *workspace) expand(text string) string {
	return strings.NewReplacer("$WORK", p.root, "$OUTSIDE", p.outside).Replace(text)
}

func (p *workspace) hide(text string) string {
	return strings.NewReplacer(p.root, "$WORK", p.outside, "$OUTSIDE").Replace(text)
}

// result is how a run ended.
type result struct{ code, stdout, stderr string }

// command prepares to run sdkgen in the project.
func (p *workspace) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.sdkgen, args...)
	cmd.Dir = p.root
	cmd.Env = append(append([]string{}, p.env...), env...)
	return cmd
}

// run runs sdkgen in the project. It may leave nothing in TMPDIR.
func (p *workspace) run(t *testing.T, env []string, args ...string) result {
	t.Helper()
	cmd := p.command(t, env, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	p.noScratch(t)
	return result{fmt.Sprint(cmd.ProcessState.ExitCode()), p.hide(stdout.String()), p.hide(stderr.String())}
}

// noScratch fails if a scratch directory was left behind.
func (p *workspace) noScratch(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(p.temp, "sdkgen-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in TMPDIR: %v, %v", left, err)
	}
}

// same fails if the state of the files is no longer that of before.
func (p *workspace) same(t *testing.T, before string) {
	t.Helper()
	if after := p.state(t); after != before {
		t.Errorf("the tree changed from\n%s\nto\n%s", before, after)
	}
}

// state lists all files of the project and outside of it, with what they hold.
func (p *workspace) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{p.root, p.outside} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s %s", p.hide(path), info.Mode())
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, " %s %s", info.ModTime(), artifact.Sum(data))
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
