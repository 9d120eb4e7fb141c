package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

const (
	modulePath = "github.com/flux-framework/flux-operator"
	apiDir     = "api/v1alpha1"
	apiPath    = modulePath + "/" + apiDir
)

// place is where the programs and the copies of the project are.
type place struct {
	log   io.Writer
	root  string // the project itself
	tmp   string // holds all below
	bin   string // the built programs
	ours  string // the copy that sdkgen works on
	old   string // the copy that the classic recipe works on
	out   string // where the classic recipe's SDKs go
	tools string // the jar, and Java if the project has one: the copies' .tools
	java  string // the program that the classic recipe runs
	jar   string

	refused []refusal // of k8s.io/api, once its copy is made
	missing []string  // why generators of others are not measured
}

// prepare copies the project and builds the programs.
func prepare(ctx context.Context, opts options, root, tmp string) (*place, error) {
	p := &place{
		log: opts.log, root: root, tmp: tmp, bin: filepath.Join(tmp, "bin"), ours: filepath.Join(tmp, "ours"),
		old: filepath.Join(tmp, "classic"), out: filepath.Join(tmp, "out"), tools: filepath.Join(tmp, "tools"),
	}
	fmt.Fprintln(p.log, "bench: copying the project, building the programs")
	if err := copyTools(filepath.Join(root, ".tools"), p.tools); err != nil {
		return nil, err
	}
	for _, dest := range []string{p.ours, p.old} {
		if err := errors.Join(copyTree(ctx, root, dest), p.linkTools(dest)); err != nil {
			return nil, err
		}
	}
	classic := os.DirFS(filepath.Join(root, "sdkgen", "test", "bench", "testdata", "classic"))
	if err := os.CopyFS(filepath.Join(p.old, "hack", "classic"), classic); err != nil {
		return nil, err
	}
	jars, err := filepath.Glob(filepath.Join(p.tools, "*.jar"))
	if err != nil || len(jars) != 1 {
		return nil, fmt.Errorf("looking for the jar in .tools: %d found, 1 wanted", len(jars))
	}
	p.jar = jars[0]
	if p.java, err = findJava(p.tools, os.Getenv); err != nil {
		return nil, err
	}
	_, _, err = runAll(ctx, []step{p.build(p.bin, sdkgenPrograms), p.build(p.bin, classicPrograms)})
	return p, err
}

// linkTools gives a project in a directory the tools.
func (p *place) linkTools(dir string) error {
	return os.Symlink(p.tools, filepath.Join(dir, ".tools"))
}

// The programs of both sides. The versions are go.mod's.
var (
	sdkgenPrograms  = []string{"."}
	classicPrograms = []string{
		"sigs.k8s.io/controller-tools/cmd/controller-gen", "k8s.io/kube-openapi/cmd/openapi-gen",
		"k8s.io/code-generator/cmd/applyconfiguration-gen", "k8s.io/code-generator/cmd/client-gen",
		"k8s.io/code-generator/cmd/lister-gen", "k8s.io/code-generator/cmd/informer-gen",
	}
)

// build is the step that puts programs into a directory.
func (p *place) build(bin string, programs []string) step {
	return step{name: "go build", dir: filepath.Join(p.root, "sdkgen"),
		argv: append([]string{"go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", bin + string(filepath.Separator)},
			programs...)}
}

func (p *place) program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.bin, name)
}

// sdkgen is the step that runs it in a directory, with the engine that is its default.
func (p *place) sdkgen(dir string, args ...string) step {
	return step{name: "sdkgen", dir: dir, argv: append([]string{p.program("sdkgen"), "-q", "--engine=native"}, args...)}
}

// findJava returns the java that the classic recipe runs: the one of JAVA_HOME, of PATH or, last, the fetched one.
func findJava(tools string, getenv func(string) string) (string, error) {
	if home := getenv("JAVA_HOME"); home != "" {
		if java, err := exec.LookPath(filepath.Join(home, "bin", "java")); err == nil {
			return java, nil
		}
	}
	if java, err := exec.LookPath("java"); err == nil {
		return java, nil
	}
	java := filepath.Join(tools, "java", "bin", "java")
	if _, err := os.Stat(java); err != nil {
		return "", errors.New("no java in JAVA_HOME, on PATH or in .tools/java: run `sdkgen tools --java`")
	}
	return java, nil
}
