package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"release": main})
}

// TestScript runs testdata/script/*.txtar, each in a repository of its own: that of testdata/project.txtar, with one
// commit.
func TestScript(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-C", "../../sdkgen", "-buildvcs=false", "-ldflags", "-s -w", "-o",
		filepath.Join(bin, "sdkgen"), ".")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building sdkgen: %v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               func(env *testscript.Env) error { return setUp(env, bin) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"code": code,
			"replace": replace},
	})
}

// setUp makes the repository. Its module is that of api/, under another name, so that its modules are those that are
// fetched already.
func setUp(env *testscript.Env, bin string) error {
	archive, err := txtar.ParseFile("testdata/project.txtar")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile("../../api/go.mod")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile("../../api/go.sum")
	if err != nil {
		return err
	}
	own := []byte(strings.Replace(string(mod), "module github.com/flux-framework/flux-operator/api",
		"module example.org/widget", 1))
	archive.Files = append(archive.Files, txtar.File{Name: "go.mod", Data: own}, txtar.File{Name: "go.sum", Data: sums})
	// Only the project is committed, not what a script brings.
	if err := txtar.Write(archive, env.WorkDir); err != nil {
		return err
	}
	cached, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return fmt.Errorf("asking go for its caches: %w", err)
	}
	for i, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY"} {
		env.Setenv(name, strings.Split(string(cached), "\n")[i])
	}
	for _, name := range []string{"AUTHOR", "COMMITTER"} {
		env.Setenv("GIT_"+name+"_NAME", "Nobody")
		env.Setenv("GIT_"+name+"_EMAIL", "nobody@example.org")
		env.Setenv("GIT_"+name+"_DATE", "2026-01-02T03:04:05Z")
	}
	env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("SDKGEN", filepath.Join(bin, "sdkgen"))
	ignored := ".git/info/exclude"
	for _, command := range [][]string{
		{"git", "init", "-q", "-b", "main"},
		{"sh", "-c", "printf '/.tmp/\\n/*.want\\n/*.before\\n/*.after\\n/more.md\\n' > " + ignored},
		{"sdkgen", "generate", "--quiet", "--engine", "native"},
		{"git", "add", "--all"},
		{"git", "commit", "-q", "-m", "start"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		if command[0] == "sdkgen" {
			cmd.Path = filepath.Join(bin, "sdkgen")
			cmd.Err = nil
		}
		cmd.Dir, cmd.Env = env.WorkDir, env.Vars
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
		}
	}
	return nil
}

// code runs release and compares its exit code: code N ARGS.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, args := args[0], append(args[1:], "--sdkgen", ts.Getenv("SDKGEN"))
	got := "0"
	var failed *exec.ExitError
	if err := ts.Exec("release", args...); errors.As(err, &failed) {
		got = fmt.Sprint(failed.ExitCode())
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("release %v ended with %s, want %s", args, got, want)
	}
}

// replace replaces a text that must be in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	data, from := ts.ReadFile(args[0]), unescape.Replace(args[1])
	if !strings.Contains(data, from) {
		ts.Fatalf("%s does not have %q", args[0], from)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(data, from, unescape.Replace(args[2]), 1)), 0o644))
}
