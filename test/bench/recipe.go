package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// place is where the programs and the copies of the project are.
type place struct {
	api  string // the API's version
	bin  string // the built programs
	ours string // the copy that sdkgen works on
	old  string // the copy that the classic recipe works on
	out  string // where the classic recipe's SDKs go
	java string
	jar  string
}

// build puts the programs of both recipes into bin. The versions are go.mod's.
func build(ctx context.Context, root, bin string) error {
	_, err := step{name: "building", dir: root, argv: []string{
		"go", "build", "-buildvcs=false", "-o", bin + string(filepath.Separator),
		"./cmd/sdkgen",
		"sigs.k8s.io/controller-tools/cmd/controller-gen",
		"k8s.io/kube-openapi/cmd/openapi-gen",
	}}.run(ctx)
	return err
}

func (p place) program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.bin, name)
}

// everything is A.
func (p place) everything() []step {
	return []step{{name: "sdkgen, everything", dir: p.ours, argv: []string{p.program("sdkgen"), "generate", "--no-cache", "-q"}}}
}

// unchanged is C.
func (p place) unchanged() []step {
	return []step{{name: "sdkgen, nothing changed", dir: p.ours, argv: []string{p.program("sdkgen"), "generate", "-q"}}}
}

// classic is B: what an operator's Makefile runs, with the jar's own templates.
func (p place) classic() []step {
	const header = "hack/boilerplate.go.txt"
	folder := "./api/" + p.api
	pkg := "github.com/flux-framework/flux-operator/api/" + p.api
	swagger := filepath.Join(p.old, "api", p.api, "swagger.json")
	jar := func(generator, dir string) []string {
		return []string{
			p.java, "-jar", p.jar, "generate", "-i", swagger, "-g", generator, "-o", filepath.Join(p.out, dir),
			"--package-name", "fluxoperator", "--git-user-id", "flux-framework", "--git-repo-id", "flux-operator",
		}
	}
	return []step{
		{name: "controller-gen object", dir: p.old, argv: []string{
			p.program("controller-gen"), "object:headerFile=" + header, "paths=" + pkg,
		}},
		{name: "controller-gen crd", dir: p.old, argv: []string{
			p.program("controller-gen"), "crd", "paths=" + pkg, "output:crd:artifacts:config=config/crd/bases",
		}},
		{name: "openapi-gen", dir: p.old, argv: []string{
			p.program("openapi-gen"), "--go-header-file", header, "--report-filename", "-",
			"--output-dir", folder, "--output-pkg", pkg,
			"--output-file", "zz_generated.openapi.go", pkg,
		}},
		{name: "go run swagger", dir: p.old, argv: []string{"go", "run", "./test/bench/classic", p.api}, stdout: swagger},
		{name: "jar, python-legacy", dir: p.old, argv: jar("python-legacy", "python")},
		{name: "jar, go", dir: p.old, argv: jar("go", "go")},
	}
}

// findJava returns the java that the classic recipe runs: the one of JAVA_HOME, of PATH or, last, the fetched one.
func findJava(root string, getenv func(string) string) (string, error) {
	if home := getenv("JAVA_HOME"); home != "" {
		if java, err := exec.LookPath(filepath.Join(home, "bin", "java")); err == nil {
			return java, nil
		}
	}
	if java, err := exec.LookPath("java"); err == nil {
		return java, nil
	}
	java := filepath.Join(root, ".tools", "java", "bin", "java")
	if _, err := os.Stat(java); err != nil {
		return "", errors.New("no java in JAVA_HOME, on PATH or in .tools/java: run python3 hack/tools.py")
	}
	return java, nil
}
