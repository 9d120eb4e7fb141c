package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

var toolVersion = regexp.MustCompile(`(controller-gen.kubebuilder.io/version:) v.*`)

// controllerGen runs the command of the version that is linked into sdkgen: controller-gen ARGS. A test's
// sdkgen does not know that version, so the CRDs name none.
func controllerGen(ts *testscript.TestScript, neg bool, args []string) {
	program := ts.MkAbs(".cache/bin/controller-gen") // removed with the script's directory
	if _, err := os.Stat(program); err != nil {
		cmd := exec.Command("go", "build", "-o", program, "sigs.k8s.io/controller-tools/cmd/controller-gen")
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("building controller-gen: %v\n%s", err, out)
		}
	}
	if err := ts.Exec(program, args...); (err != nil) != neg {
		ts.Fatalf("controller-gen %v: %v", args, err)
	}
	crds, err := filepath.Glob(ts.MkAbs("config/crd/bases/*.yaml"))
	ts.Check(err)
	for _, file := range crds {
		data, err := os.ReadFile(file)
		ts.Check(err)
		ts.Check(os.WriteFile(file, toolVersion.ReplaceAll(data, []byte(`$1 ""`)), 0o644))
	}
}
