package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/test/operator"
)

var previousRef = flag.String("previous", "",
	"git ref of the version that TestUpgrade upgrades from; by default the last release")

// version is a version of the operator.
type version struct {
	root     string // the directory of its files
	programs string // the directory with its manager
}

func (v version) chart() string { return v.root + "/charts/flux-operator" }

// unable skips a test that cannot run. In CI that is an error.
func unable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// git runs git in the repository, and returns what it prints.
func git(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// refOfPrevious returns the commit of the last release before HEAD: the newest tag or, without tags, the last commit
// before the chart got its present version.
func refOfPrevious(t *testing.T) string {
	t.Helper()
	if *previousRef != "" {
		return *previousRef
	}
	if shallow, err := git(t, "rev-parse", "--is-shallow-repository"); err != nil || shallow == "true" {
		unable(t, "the version to upgrade from is found in the history of git, which this clone does not have: "+
			"run `git fetch --unshallow --tags` (actions/checkout: `fetch-depth: 0`), or name it with PREVIOUS=REF")
	}
	if tag, err := git(t, "describe", "--tags", "--abbrev=0", "--match=v[0-9]*.[0-9]*.[0-9]*", "--exclude=*-*",
		"HEAD^"); err == nil {
		return tag
	}
	commit, err := git(t, "log", "-1", "--format=%H", "-G^version: ", "--", "charts/flux-operator/Chart.yaml")
	if err != nil || commit == "" {
		t.Fatalf("no commit that set the version of the chart: %v", err)
	}
	return commit + "^"
}

// previous builds the previous version in a directory that the test removes.
func previous(t *testing.T) version {
	t.Helper()
	ref := refOfPrevious(t)
	commit, err := git(t, "rev-parse", "--verify", ref+"^{commit}")
	if err != nil {
		t.Fatalf("%s is not a commit: %v", ref, err)
	}
	v := version{root: t.TempDir(), programs: t.TempDir()}
	archive := filepath.Join(v.programs, "archive.tar")
	if _, err := git(t, "archive", "--output="+archive, commit); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "tar", "-xf", archive, "-C", v.root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := operator.Build(v.root, v.programs); err != nil {
		t.Fatal(err)
	}
	title, err := git(t, "log", "-1", "--format=%h %s", commit)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the previous version is %s, chart %s", title, chartVersion(t, v))
	return v
}

// helm runs helm, and returns what it prints.
func helm(t *testing.T, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("helm")
	if err != nil {
		unable(t, "helm is not in PATH: `make bin/helm` builds one")
	}
	cmd := exec.Command(program, args...) // also in cleanups, where the test's context has ended
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("helm %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}
