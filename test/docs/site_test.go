package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The APIs whose pages are tested: one of this directory with every rule, the MiniCluster of this repository, and a
// large one.
const (
	garden      = "garden"
	minicluster = "minicluster"
	kubevirt    = "kubevirt"
)

// kubevirtConfig is the sdkgen.yaml of the large API, whose module sdkgen/test/apis requires.
const kubevirtConfig = `version: 0.1.0
apis:
  - package: kubevirt.io/api/core/v1
    dir: spec
crd:
  allowDangerousTypes: true
`

var (
	scratch string // of all tests
	lock    sync.Mutex
)

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "sdkgen-docs-"); err == nil {
		err = run("../../sdkgen", "go", "build", "-o", filepath.Join(scratch, "sdkgen"), ".")
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := os.RemoveAll(scratch); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// site makes the pages of an API, once, and returns their directory.
func site(t testing.TB, name string) string {
	t.Helper()
	lock.Lock()
	defer lock.Unlock()
	dir := filepath.Join(scratch, name, "site")
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	root := filepath.Join(scratch, name)
	var err error
	switch name {
	case minicluster:
		root, err = filepath.Abs("../..")
	case garden:
		err = project(root, "../../sdkgen/internal/testkit/testdata/project")
		if err == nil {
			err = os.CopyFS(root, os.DirFS("testdata"))
		}
	case kubevirt:
		err = project(root, "../../sdkgen/test/apis")
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "sdkgen.yaml"), []byte(kubevirtConfig), 0o644)
		}
	}
	if err == nil {
		err = run(root, filepath.Join(scratch, "sdkgen"), "docs", "-q", "--engine", "native", "-o", dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// project writes a go.mod that requires what a module of sdkgen's tests does.
func project(root, like string) error {
	if err := run(like, "go", "mod", "download"); err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(like, name))
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte("module "), []byte("module example.org/user // "), 1)
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// run runs a program. The error holds what it printed.
func run(dir, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return nil
}

// TestWeight: what a browser reads for the page of the MiniCluster, with everything that it needs, is at most 300 KiB.
func TestWeight(t *testing.T) {
	total := int64(0)
	dir := site(t, minicluster)
	for _, name := range []string{"flux-framework.org/v1alpha1/minicluster.html", "style.css", "search.js", "index.js"} {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%7d bytes: %s", info.Size(), name)
		total += info.Size()
	}
	if t.Logf("%7d bytes in all", total); total > 300<<10 {
		t.Errorf("%d bytes are more than 300 KiB", total)
	}
}
