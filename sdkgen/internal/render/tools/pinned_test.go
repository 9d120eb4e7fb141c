package tools

import (
	"archive/zip"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

var wheels = flag.String("wheels", "",
	"`directory` with the wheels of the Java runtime: check the table of their checksums")

// TestPinned: the table of runtimes has one for each pinned wheel, and the jar's name has its version.
// With -wheels, the table is that of the wheels in a directory.
func TestPinned(t *testing.T) {
	hash := regexp.MustCompile(`--hash=sha256:[0-9a-f]{64}`)
	if got := len(hash.FindAllString(javaRequirements, -1)); got != len(runtimes) {
		t.Errorf("requirements-java.txt has %d hashes for %d runtimes", got, len(runtimes))
	}
	if got := len(hash.FindAllString(generatorRequirements, -1)); got != 1 {
		t.Errorf("requirements-generator.txt has %d hashes", got)
	}
	name, version, _ := strings.Cut(requirement(generatorRequirements), "==")
	if want := name + "-" + version + ".jar"; templates.Jar != want {
		t.Errorf("the jar is named %s, not %s", templates.Jar, want)
	}
	if *wheels == "" {
		return
	}
	files, err := filepath.Glob(filepath.Join(*wheels, "*.whl"))
	if err != nil || len(files) != len(runtimes) {
		t.Errorf("%d wheels for %d runtimes, %v", len(files), len(runtimes), err)
	}
	known := fmt.Sprint(runtimes)
	for _, file := range files {
		wheel, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := fs.Sub(wheel, strings.TrimSuffix(javaPrefix, "/"))
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := treeSum(tree); err != nil || !strings.Contains(known, sum) {
			t.Errorf("%s: %s is not in the table, %v", filepath.Base(file), sum, err)
		}
	}
}
