package gocode_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/gotypes"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/load"
	"github.com/flux-framework/flux-operator/sdkgen/internal/api/swagger"
	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/config"
	"github.com/flux-framework/flux-operator/sdkgen/internal/stage/gocode"
	"github.com/flux-framework/flux-operator/sdkgen/internal/testkit"
)

const (
	module    = "github.com/flux-framework/flux-operator"
	apiDir    = "api/v1alpha1"
	header    = "hack/boilerplate.go.txt"
	crdDir    = "config/crd/bases"
	clientDir = "sdk/go"
)

// TestSameAsCommands holds every generator, run as a library over the one load, against its
// own command, built from sdkgen's go.mod and run on the same package. The library loads it from its
// own module, the commands from the root's.
func TestSameAsCommands(t *testing.T) {
	testkit.NeedAll(t)
	root, bin := projectRoot(t), buildCommands(t)
	for name, c := range map[string]struct {
		opts gocode.ClientOptions
		args commandArgs
	}{
		"defaults": {defaults, commandArgs{}},
		"options": {
			gocode.ClientOptions{Clients: config.Clients{
				ClientsetName: "cs", VersionedName: "flux", ApplyconfigName: "apply", ListersName: "list", InformersName: "inform",
				ApplyconfigExternals: []string{"k8s.io/api/core/v1.ResourceRequirements:k8s.io/client-go/applyconfigurations/core/v1"},
				PluralExceptions:     []string{"MiniCluster:MiniClusteri"}, SingleDirectory: true, PrefersProtobuf: true,
			}},
			commandArgs{
				plural: []string{"--plural-exceptions", "MiniCluster:MiniClusteri"}, client: []string{"--prefers-protobuf"},
				informer: []string{"--single-directory"},
				apply: []string{"--external-applyconfigurations",
					"k8s.io/api/core/v1.ResourceRequirements:k8s.io/client-go/applyconfigurations/core/v1"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) { same(t, generateAll(t, root, c.opts), runCommands(t, root, bin, c.opts, c.args)) })
	}
}

// defaults are the options of sdkgen's own.
var defaults = gocode.ClientOptions{Clients: config.Clients{}.Named()}

// commandArgs are more arguments of the commands.
type commandArgs struct{ plural, client, informer, apply []string }

// same compares the files of the library with those of the commands.
func same(t *testing.T, got *artifact.Set, want map[string][]byte) {
	t.Helper()
	for file := range got.All() {
		data, ok := want[file.Path]
		if !ok {
			t.Errorf("%s: no command makes it", file.Path)
			continue
		}
		if !bytes.Equal(data, file.Data) {
			t.Errorf("%s differs (-command +library):\n%s", file.Path, cmp.Diff(string(data), string(file.Data)))
		}
		delete(want, file.Path)
	}
	for name := range want {
		t.Errorf("%s: only the command makes it", name)
	}
	if n := got.Len(); n < 20 {
		t.Errorf("only %d files were compared", n)
	}
}

// TestDeterministic runs the generators many times over fresh loads.
func TestDeterministic(t *testing.T) {
	root := projectRoot(t)
	first := contents(generateAll(t, root, defaults))
	for range 5 {
		if d := cmp.Diff(first, contents(generateAll(t, root, defaults))); d != "" {
			t.Fatal(d)
		}
	}
}

func projectRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func generateAll(t *testing.T, root string, opts gocode.ClientOptions) *artifact.Set {
	t.Helper()
	api, err := load.Load(context.Background(), load.Options{Root: root, Env: os.Environ(), Dirs: []string{apiDir}})
	if err != nil {
		t.Fatal(err)
	}
	gen, err := gocode.New(gotypes.New(api, crd.Generator{}),
		gocode.Options{Root: root, Header: header, Scratch: t.TempDir(), ControllerTools: controllerTools(t)})
	if err != nil {
		t.Fatal(err)
	}
	all := &artifact.Set{}
	add := func(set *artifact.Set, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if err := all.Merge(set); err != nil {
			t.Fatal(err)
		}
	}
	add(gen.Deepcopy())
	crds, large, err := gen.CRDs(crdDir)
	add(crds, err)
	if len(large) > 0 {
		t.Error(large)
	}
	openapi, report, _, err := gen.OpenAPI(api.Packages[0])
	add(openapi, err)
	if len(report) > 0 {
		t.Errorf("API rule violations: %s", report)
	}
	opts.Dir, opts.Package, opts.Models = clientDir, module+"/"+clientDir, models(t, root)
	add(gen.Clients(opts))
	return all
}

// models writes the models that applyconfiguration-gen reads.
func models(t *testing.T, root string) string {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(root, apiDir, swagger.Doc))
	if err != nil {
		t.Fatal(err)
	}
	data, err := swagger.Models(testkit.Model(t, document))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// controllerTools returns the version in go.mod; a test binary does not know it.
func controllerTools(t *testing.T) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/controller-tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(version))
}

func contents(set *artifact.Set) map[string]string {
	out := map[string]string{}
	for file := range set.All() {
		out[file.Path] = string(file.Data)
	}
	return out
}

// buildCommands builds the commands and returns their directory.
func buildCommands(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	run(t, ".", "go", "build", "-o", bin+"/",
		"-ldflags", "-X sigs.k8s.io/controller-tools/pkg/version.version="+controllerTools(t),
		"sigs.k8s.io/controller-tools/cmd/controller-gen", "k8s.io/kube-openapi/cmd/openapi-gen",
		"k8s.io/code-generator/cmd/applyconfiguration-gen", "k8s.io/code-generator/cmd/client-gen",
		"k8s.io/code-generator/cmd/lister-gen", "k8s.io/code-generator/cmd/informer-gen")
	return bin
}

// runCommands runs the commands into a temporary directory and returns what they wrote.
func runCommands(t *testing.T, root, bin string, opts gocode.ClientOptions, more commandArgs) map[string][]byte {
	t.Helper()
	out := t.TempDir()
	api, pkg := module+"/"+apiDir, module+"/"+clientDir
	place := func(name string) []string {
		return []string{"--go-header-file", header, "--output-dir", filepath.Join(out, clientDir, name), "--output-pkg",
			pkg + "/" + name}
	}
	command := func(name string, args ...[]string) {
		t.Helper()
		run(t, root, filepath.Join(bin, name), slices.Concat(args...)...)
	}
	command("controller-gen", []string{"object:headerFile=" + header, "paths=" + api,
		"output:dir=" + filepath.Join(out, apiDir)})
	command("controller-gen", []string{"crd", "paths=" + api, "output:crd:dir=" + filepath.Join(out, crdDir)})
	command("openapi-gen", []string{"--go-header-file", header, "--output-dir", filepath.Join(out, apiDir), "--output-pkg",
		api,
		"--output-file", gocode.OpenAPIFile, "--report-filename", filepath.Join(bin, "report"), api})
	command("applyconfiguration-gen", place(opts.ApplyconfigName), []string{"--openapi-schema", models(t, root)},
		more.apply, []string{api})
	command("client-gen", place(opts.ClientsetName),
		[]string{"--clientset-name", opts.VersionedName, "--input-base", module, "--input", apiDir,
			"--apply-configuration-package", pkg + "/" + opts.ApplyconfigName}, more.plural, more.client)
	command("lister-gen", place(opts.ListersName), more.plural, []string{api})
	command("informer-gen", place(opts.InformersName),
		[]string{"--versioned-clientset-package", pkg + "/" + opts.ClientsetName + "/" + opts.VersionedName,
			"--listers-package", pkg + "/" + opts.ListersName}, more.plural, more.informer, []string{api})
	return readTree(t, out)
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func readTree(t *testing.T, root string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
