package baseline_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/flux-framework/flux-operator/sdkgen/internal/project/baseline"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

// repository makes a git repository with a commit of two files, of which one is changed afterwards.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, dir, "project/api/types.go", []byte("package old\n"))
	testkit.Write(t, dir, "other/go.mod", []byte("module other\n"))
	if err := os.Symlink("types.go", filepath.Join(dir, "project", "api", "link.go")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."},
		{"-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "first"}, {"tag", "v0.1.0"}} {
		git(t, dir, args...)
	}
	testkit.Write(t, dir, "project/api/types.go", []byte("package new\n"))
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

func find(t *testing.T, root, against string, packages ...string) (*baseline.Baseline, error) {
	t.Helper()
	return baseline.Find(context.Background(), baseline.Options{Root: root, Against: against, Environ: testkit.Offline(),
		Scratch: t.TempDir(), Packages: packages})
}

func TestCommit(t *testing.T) {
	dir := repository(t)
	before := git(t, dir, "status", "--porcelain=v2", "--branch")
	for _, ref := range []string{"main", "HEAD", "v0.1.0", strings.TrimSpace(git(t, dir, "rev-parse", "HEAD")),
		"HEAD@{0}"} {
		found, err := find(t, filepath.Join(dir, "project"), ref)
		if err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if !strings.HasPrefix(found.Name, ref+" (") || found.Packages != nil {
			t.Errorf("%s: found %+v", ref, found)
		}
		if diff := cmp.Diff("package old\n",
			string(testkit.Read(t, filepath.Join(found.Root, "api", "types.go")))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
		testkit.Read(t, filepath.Join(found.Root, "api", "link.go"))
		testkit.Read(t, filepath.Join(found.Root, "..", "other", "go.mod"))
	}
	if diff := cmp.Diff(before, git(t, dir, "status", "--porcelain=v2", "--branch")); diff != "" {
		t.Errorf("the repository changed (-before +after):\n%s", diff)
	}
}

func TestDirectory(t *testing.T) {
	dir := repository(t)
	for _, name := range []string{"../other", filepath.Join(dir, "other")} {
		found, err := find(t, filepath.Join(dir, "project"), name)
		if err != nil || found.Name != name {
			t.Fatalf("%s: %+v, %v", name, found, err)
		}
		testkit.Read(t, filepath.Join(found.Root, "go.mod"))
	}
}

// TestModule takes a published version of a module. The versions that the module itself asks for are fetched: tests of
// other packages need later ones.
func TestModule(t *testing.T) {
	root := testkit.Project(t, txtarOf("-- go.mod+ --\n"))
	version := ""
	for line := range strings.Lines(string(testkit.Read(t, filepath.Join(root, "go.mod")))) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "k8s.io/apimachinery" {
			version = words[1]
		}
	}
	found, err := baseline.Find(context.Background(), baseline.Options{
		Root: root, Against: "k8s.io/apimachinery@" + version, Environ: append(os.Environ(), "GOFLAGS=", "GOWORK="),
		Scratch:  t.TempDir(),
		Packages: []string{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/nothing", "example.org/other"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"k8s.io/apimachinery/pkg/apis/meta/v1": "k8s.io/apimachinery/pkg/apis/meta/v1"},
		found.Packages); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	root := filepath.Join(repository(t), "project")
	for against, want := range map[string]string{
		"nothing":                   `there is no commit and no directory "nothing"`,
		"--upload-pack=x":           "is no git ref",
		"":                          "--against is empty",
		"example.org/m@1.2":         `"1.2" is not a version of a module`,
		"example.org/m@v1.2.3":      "example.org/m has no API package of this project",
		"example.org/api@v99.0.0":   "fetching example.org/api@v99.0.0",
		"main:project/api/types.go": "there is no commit",
	} {
		if _, err := find(t, root, against, "example.org/api/v1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", against, err, want)
		}
	}
}

func txtarOf(text string) *txtar.Archive { return txtar.Parse([]byte(text)) }
