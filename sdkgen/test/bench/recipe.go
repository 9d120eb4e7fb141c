package main

import "path/filepath"

const header = "hack/boilerplate.go.txt"

// recipe is the classic one: what an operator's Makefile runs, with the jar's own templates.
func (p *place) recipe() []step {
	swagger := filepath.Join(p.old, apiDir, "swagger.json")
	jar := func(generator, dir string) []string {
		return []string{
			p.java, "-jar", p.jar, "generate", "-i", swagger, "-g", generator, "-o", filepath.Join(p.out, dir),
			"--package-name", "fluxoperator", "--git-user-id", "flux-framework", "--git-repo-id", "flux-operator",
		}
	}
	return []step{
		{name: "controller-gen object", dir: p.old, argv: []string{
			p.program("controller-gen"), "object:headerFile=" + header, "paths=" + apiPath,
		}},
		{name: "controller-gen crd", dir: p.old, argv: []string{
			p.program("controller-gen"), "crd", "paths=" + apiPath, "output:crd:artifacts:config=config/crd/bases",
		}},
		{name: "openapi-gen", dir: p.old, argv: []string{
			p.program("openapi-gen"), "--go-header-file", header, "--report-filename", "-",
			"--output-dir", "./" + apiDir, "--output-pkg", apiPath, "--output-file", "zz_generated.openapi.go", apiPath,
		}},
		{name: "go run swagger", dir: p.old, argv: []string{"go", "run", "./hack/classic", "v1alpha1"}, stdout: swagger},
		{name: "jar, python-legacy", dir: p.old, argv: jar("python-legacy", "python")},
		{name: "jar, go", dir: p.old, argv: jar("go", "go")},
	}
}

// clients are the steps that the recipe has beside these where clients are made.
func (p *place) clients() []step {
	const pkg = modulePath + "/sdk/go"
	generator := func(program, dir string, args ...string) step {
		argv := []string{
			p.program(program), "--go-header-file", header,
			"--output-dir", filepath.Join(p.out, "sdk", dir), "--output-pkg", pkg + "/" + dir,
		}
		return step{name: program, dir: p.old, argv: append(argv, args...)}
	}
	return []step{
		generator("applyconfiguration-gen", "applyconfiguration", apiPath),
		generator("client-gen", "clientset", "--clientset-name", "versioned", "--input-base", modulePath, "--input", apiDir,
			"--apply-configuration-package", pkg+"/applyconfiguration"),
		generator("lister-gen", "listers", apiPath),
		generator("informer-gen", "informers", "--versioned-clientset-package", pkg+"/clientset/versioned",
			"--listers-package", pkg+"/listers", apiPath),
	}
}
