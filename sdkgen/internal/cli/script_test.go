package cli

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"sdkgen": func() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }})
}

// TestScript runs testdata/script/*.txtar, each in a project of its own: an API of one kind in a Go
// module that resolves from this one's module cache. -update rewrites the files that they compare.
func TestScript(t *testing.T) {
	runScripts(t, "testdata/script", setUp)
}

// TestInit runs testdata/init/*.txtar, each in a Go module of its own with nothing else than the script brings.
func TestInit(t *testing.T) {
	runScripts(t, "testdata/init", setUpModule)
}

func runScripts(t *testing.T, dir string, setUp func(*testscript.Env) error) {
	t.Helper()
	root, err := filepath.Abs(testkit.Repository)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		UpdateScripts:       flag.Lookup("update").Value.String() == "true",
		Setup:               setUp,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "jar":
				return hasJar(root)
			case "all":
				return testkit.All(), nil
			}
			return false, fmt.Errorf("there is no condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"need-jar":       func(ts *testscript.TestScript, _ bool, args []string) { needJar(ts, root, args) },
			"code":           code,
			"replace":        replace,
			"tree":           tree,
			"interrupt":      interrupt,
			"without":        without,
			"module":         module,
			"controller-gen": controllerGen,
		},
	})
}

// modulePath is that of the project.
const modulePath = "example.org/widget"

// setUp writes the project's module, and its API where the script has none.
func setUp(env *testscript.Env) error {
	return errors.Join(setUpModule(env), copyMissing(env.WorkDir, "testdata/project"))
}

// setUpModule writes the project's module.
func setUpModule(env *testscript.Env) error {
	if err := testkit.WriteModule(env.WorkDir, modulePath); err != nil {
		return err
	}
	for _, entry := range goEnvironment() {
		name, value, _ := strings.Cut(entry, "=")
		env.Setenv(name, value)
	}
	env.Setenv("JAVA_HOME", os.Getenv("JAVA_HOME"))
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
	return nil
}

// goEnvironment is what the go command needs of this process's environment.
func goEnvironment() []string {
	var env []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	if os.Getenv("GOMODCACHE") == "" {
		env = append(env, "GOMODCACHE="+filepath.Join(goPath(), "pkg", "mod"))
	}
	if cache, err := os.UserCacheDir(); os.Getenv("GOCACHE") == "" && err == nil {
		env = append(env, "GOCACHE="+filepath.Join(cache, "go-build"))
	}
	return append(env, "GOFLAGS=-mod=mod")
}

// copyMissing copies the files that a script does not bring itself.
func copyMissing(to, from string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if _, err := os.Stat(target); err == nil {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

func goPath() string {
	if path := os.Getenv("GOPATH"); path != "" {
		return path
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, "go")
}

// needJar links the tools of this checkout: need-jar DIR.
func needJar(ts *testscript.TestScript, root string, args []string) {
	ts.Check(os.Symlink(filepath.Join(root, ".tools"), ts.MkAbs(args[0])))
}

// module makes a directory a module of its own: module DIR PATH.
func module(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(testkit.WriteModule(dir, args[1]))
}

// hasJar is the condition of scripts that run Java. In CI a missing jar is a failure.
func hasJar(root string) (bool, error) {
	_, err := os.Stat(filepath.Join(root, ".tools", "openapi-generator-cli-6.6.0.jar"))
	if err != nil && os.Getenv("CI") != "" {
		return false, err
	}
	return err == nil, nil
}

// code runs sdkgen and checks the exit code: code 2 generate --only crd.
func code(ts *testscript.TestScript, _ bool, args []string) {
	want, args := args[0], args[1:]
	err := ts.Exec("sdkgen", args...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != want {
		ts.Fatalf("sdkgen %v ended with %s, want %s", args, got, want)
	}
}

// replace replaces a text that must be in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	data := ts.ReadFile(args[0])
	from, to := unescape.Replace(args[1]), unescape.Replace(args[2])
	if !strings.Contains(data, from) {
		ts.Fatalf("%s does not hold %q", args[0], from)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(data, from, to, 1)), 0o644))
}

// tree remembers the state of all files, with times, under a name, or compares it: tree save
// before, tree same before.
func tree(ts *testscript.TestScript, neg bool, args []string) {
	state := snapshot(ts)
	file := ts.MkAbs(".cache/tree-" + args[1])
	if args[0] == "save" {
		ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
		ts.Check(os.WriteFile(file, []byte(state), 0o644))
		return
	}
	before, err := os.ReadFile(file)
	ts.Check(err)
	if same := string(before) == state; same == neg {
		ts.Fatalf("the tree is the same as %s: %t\n%s", args[1], same, state)
	}
}

func snapshot(ts *testscript.TestScript) string {
	var b strings.Builder
	root := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == ".cache" || name == ".tmp") {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		b.WriteString(rel + " " + info.ModTime().String() + " " + info.Mode().String() + "\n")
		return err
	}))
	return b.String()
}

// without takes directories that hold a program off PATH: without java.
func without(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv("JAVA_HOME", "")
	var keep []string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[0])); err != nil {
			keep = append(keep, dir)
		}
	}
	ts.Setenv("PATH", strings.Join(keep, string(filepath.ListSeparator)))
}

// interrupt sends SIGINT to a sdkgen once it has printed a line that starts with a word, and
// expects it to end as interrupted: interrupt WORD ARGS.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	word, args := args[0], args[1:]
	var program string
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if file := filepath.Join(dir, "sdkgen"); program == "" {
			if _, err := os.Stat(file); err == nil {
				program = file
			}
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "XDG_CACHE_HOME",
		"JAVA_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	var printed strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		printed.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), word) {
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	_ = cmd.Wait() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
		ts.Fatalf("interrupted after %q, sdkgen ended with %d:\n%s", word, got, printed.String())
	}
}
