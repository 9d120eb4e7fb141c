package repos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// repository is a file of testdata: a repository, an adopter's commands in it, and their expected results.
type repository struct {
	name string

	// Module and Version name the repository's Go module; Sum is its hash, as in a go.sum.
	Module, Version, Sum string
	// Slow is the reason why the test runs only with -slow; empty if it always runs.
	Slow string
	// Steps are all that the adopter does, in order.
	Steps []step
	// CRDs are patterns of the files with the CRDs that the repository ships.
	CRDs []string
	// Clients are the directories of what code-generator made; none if the repository has no clients.
	Clients []string
	// Compile are patterns of the packages that must compile when all is generated, the clients aside.
	Compile []string
	// Examples are the manifests of the repository's kinds that it ships.
	Examples examples
	// Differences are those that are known between what the repository ships and what sdkgen made.
	Differences []*difference
}

// step is one thing that an adopter does: it runs a command, or changes a file.
type step struct {
	Run    string // a command and its arguments, separated by spaces
	Remove string // a file or directory
	Edit   string // a file in which Old becomes New, as often as Times says, by default once
	Write  string // a file that becomes New

	Old, New string
	Times    int
	Why      string // the reason for a change of a file
	// Refused says that the command ends with 1 or 2, and what it says; the steps end there.
	Refused string
}

// examples are manifests of a repository's kinds.
type examples struct {
	Files []string // patterns; ** stands for any directories
	// Documents is how many there are. Accepted are those that an API server takes with the shipped CRDs, Python
	// and Go those that go through an SDK without a change.
	Documents, Accepted, Python, Go int
}

// difference is one that is known: lines of the comparison, and why they are right or not yet avoided.
type difference struct {
	Match *pattern
	Times int
	Why   string

	found int
}

// pattern is a regular expression that a whole line matches.
type pattern struct{ *regexp.Regexp }

func (p *pattern) UnmarshalJSON(data []byte) (err error) {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	p.Regexp, err = regexp.Compile("(?s)^(?:" + text + ")$")
	return err
}

// repositories reads testdata.
func repositories(t *testing.T) []*repository {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no repositories: %v", err)
	}
	var all []*repository
	for _, file := range files {
		r := &repository{name: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		if err := yaml.UnmarshalStrict(read(t, file), r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, s := range r.Steps {
			if s.Run == "" && s.Why == "" {
				t.Errorf("%s: %s%s%s is changed without a reason", file, s.Edit, s.Write, s.Remove)
			}
		}
		for _, d := range r.Differences {
			if d.Match == nil || d.Times == 0 || d.Why == "" {
				t.Errorf("%s: a difference needs match, times and why", file)
			}
		}
		all = append(all, r)
	}
	return all
}

// checkout copies the module's zip to a new directory and makes that a git repository.
func (r *repository) checkout(t *testing.T) (root string) {
	t.Helper()
	var module struct{ Dir, Sum string }
	cmd := exec.Command("go", "mod", "download", "-json", r.Module+"@"+r.Version)
	cmd.Dir, cmd.Env = t.TempDir(), environ() // outside of any module
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("downloading %s: %v\n%s", r.Module, err, out)
	}
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	if module.Sum != r.Sum {
		t.Fatalf("%s@%s has the checksum %s, want %s", r.Module, r.Version, module.Sum, r.Sum)
	}
	root = t.TempDir()
	if err := copyTree(root, module.Dir); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		if _, err := run(root, "git", args...); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// copyTree copies a module's files, which can then be written. What a zip has of vendor/ is not enough to build with.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if rel == "vendor" {
			return fs.SkipDir
		}
		target := filepath.Join(to, rel)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

// cost is what the runs of sdkgen took: the time of all, and the memory of the largest.
type cost struct {
	wall time.Duration
	mib  int64
}

// follow does the steps, and says whether they ended with something made.
func (r *repository) follow(t *testing.T, root, sdkgen string) (total cost, generated bool) {
	t.Helper()
	for _, s := range r.Steps {
		if s.Run == "" {
			if err := s.change(root); err != nil {
				t.Fatal(err)
			}
			continue
		}
		args := strings.Fields(s.Run)
		program := args[0]
		if program == "sdkgen" {
			program = sdkgen
		}
		start := time.Now()
		mib, err := measure(t, root, program, args[1:]...)
		if program == sdkgen {
			total.wall += time.Since(start)
			total.mib = max(total.mib, mib)
		}
		switch {
		case s.Refused != "" && err == nil:
			t.Fatalf("%s: it is not refused any more: go on from there", s.Run)
		case s.Refused != "" && !regexp.MustCompile(s.Refused).MatchString(err.Error()):
			t.Fatalf("it does not say %q: %v", s.Refused, err)
		case s.Refused != "":
			return total, false
		case err != nil:
			t.Fatal(err)
		}
	}
	return total, true
}

// change changes a file as the step says.
func (s step) change(root string) error {
	name := filepath.Join(root, s.Edit+s.Write+s.Remove)
	switch {
	case s.Remove != "":
		if _, err := os.Stat(name); err != nil {
			return err
		}
		return os.RemoveAll(name)
	case s.Write != "":
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		return os.WriteFile(name, []byte(s.New), 0o644)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if found := bytes.Count(data, []byte(s.Old)); found != max(s.Times, 1) || s.Old == "" {
		return fmt.Errorf("editing %s: it has %q %d times, want %d:\n%s", s.Edit, s.Old, found, max(s.Times, 1), data)
	}
	return os.WriteFile(name, bytes.ReplaceAll(data, []byte(s.Old), []byte(s.New)), 0o644)
}

// run runs a program in a directory. The error holds what it printed.
func run(dir, program string, args ...string) (*os.ProcessState, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		panic(err) // the program is missing
	}
	return cmd.ProcessState, err
}

// measure runs a program and returns how much memory it took. Python starts it: the peak of a process counts the memory
// of its parent as well, and a test that has loaded many packages is larger than sdkgen.
func measure(t *testing.T, dir, program string, args ...string) (mib int64, err error) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("testdata", "peak.py"))
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "peak")
	_, err = run(dir, "python3", append([]string{script, report, program}, args...)...)
	if _, scanErr := fmt.Sscan(string(read(t, report)), &mib); scanErr != nil {
		t.Fatal(scanErr)
	}
	return mib, err
}

// environ is an adopter's environment: nothing in it is about this repository.
func environ() []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0", "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH=")
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
