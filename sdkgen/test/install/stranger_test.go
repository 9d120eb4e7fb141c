package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// TestGoAndGit has nothing on PATH but go and git: go install, and then init, generate and verify in projects
// as kubebuilder makes them, with one version, two versions and several groups, and in an empty module for
// JobSet's API. It prints what each took.
func TestGoAndGit(t *testing.T) {
	testkit.NeedAll(t)
	m := newMachine(t)
	m.only(t, "go", "git")
	program := filepath.Join(m.bin, "sdkgen")
	lines := []string{timed(t, m, t.TempDir(), "go", "install", m.sdkgen.String())}
	for _, c := range []struct {
		name  string
		write func(t *testing.T, dir string)
		init  []string
		made  []string
	}{
		{"single", kubebuilder("single"), []string{"--outputs", "python,go"},
			[]string{"sdk/python/dairy_farm/models/field.py", "config/crd/bases/crops.acme.io_fields.yaml"}},
		{"versions", kubebuilder("versions"), []string{"--outputs", "python,go"},
			[]string{"config/crd/bases/crops.acme.io_fields.yaml"}},
		{"groups", kubebuilder("groups"), nil, []string{"api/crops/v1/zz_generated.deepcopy.go"}},
		{"jobset", func(t *testing.T, dir string) {
			m.run(t, dir, "go", "mod", "init", "example.org/user")
			m.run(t, dir, "go", "get", jobset(t))
		}, []string{"--package", "sigs.k8s.io/jobset/api/jobset/v1alpha2"}, []string{"sdk/python/jobset/models/job_set.py"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			c.write(t, dir)
			m.run(t, dir, "git", "init", "-q")
			for _, args := range [][]string{append([]string{"init"}, c.init...), {"generate"}, {"verify"},
				{"verify", "--lock"}} {
				lines = append(lines, c.name+": "+timed(t, m, dir, append([]string{program}, args...)...))
			}
			for _, name := range c.made {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	t.Log("\n" + strings.Join(lines, "\n"))
}

// only makes PATH a directory with links to the named programs.
func (m *machine) only(t *testing.T, names ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		program, err := exec.LookPath(name)
		if err == nil {
			program, err = filepath.EvalSymlinks(program)
		}
		if err == nil {
			err = os.Symlink(program, filepath.Join(dir, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m.env = append(m.env, "PATH="+dir, "JAVA_HOME=", "SDKGEN_TOOLS=")
}

// timed runs a command that must succeed, and returns how long it took.
func timed(t *testing.T, m *machine, dir string, args ...string) string {
	t.Helper()
	start := time.Now()
	m.run(t, dir, args...)
	return strings.Join(append([]string{filepath.Base(args[0])}, args[1:]...), " ") + ": exit 0, " +
		time.Since(start).Round(10*time.Millisecond).String()
}

// kubebuilder writes a project of the tests of `sdkgen init`, as kubebuilder's templates have it.
func kubebuilder(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		archive, err := txtar.ParseFile(filepath.Join(root, "internal/cli/testdata/init", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.Contains(file.Name, "/") || file.Name == "PROJECT" || file.Name == "Makefile" {
				testkit.Write(t, dir, file.Name, file.Data)
			}
		}
		if err := testkit.WriteModule(dir, "example.org/widget"); err != nil {
			t.Fatal(err)
		}
	}
}

// jobset is the module of JobSet, at the version that the tests of other projects' APIs have.
func jobset(t *testing.T) string {
	t.Helper()
	for line := range strings.Lines(string(testkit.Read(t, filepath.Join(root, "test/apis/go.mod")))) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "sigs.k8s.io/jobset" {
			return fields[0] + "@" + fields[1]
		}
	}
	t.Fatal("test/apis/go.mod does not require sigs.k8s.io/jobset")
	return ""
}
