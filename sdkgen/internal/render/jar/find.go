package jar

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

// MinJava is the oldest Java version that runs the jar.
const MinJava = 11

// Where says where to look for the jar and for Java. All paths are absolute.
type Where struct {
	Jar      string // the jar
	SHA256   string // its checksum, in hex
	JavaHome string // value of JAVA_HOME, may be empty
	Path     string // value of PATH
	Java     string // directory of a runtime to use where the others have none, may be empty
	// CheckJava refuses the runtime in Java if it is not the expected one; nil for any.
	CheckJava func(dir string) error
	Hint      string // what to do where the jar or Java is missing
}

const rule = "tools"

// Find checks the jar's checksum and looks for Java 11 or newer: in JAVA_HOME, on PATH, then
// in the given directory. What is missing is a diag.List.
func Find(where Where) (*Jar, error) {
	if err := checkJar(where); err != nil {
		return nil, err
	}
	java, version, err := FindJava(where)
	if err != nil {
		return nil, err
	}
	names := sync.OnceValues(func() ([]string, error) { return list(where.Jar) })
	return &Jar{path: where.Jar, java: java, version: version, names: names}, nil
}

// checkJar checks that Java can run the jar, and the jar's checksum.
func checkJar(where Where) error {
	if strings.ContainsRune(where.Jar, filepath.ListSeparator) {
		return diag.List{{Rule: rule, Message: fmt.Sprintf("Java cannot run a jar whose path contains %q: %s",
			filepath.ListSeparator, where.Jar), Hint: where.Hint}}
	}
	sum, err := FileSum(where.Jar)
	if errors.Is(err, fs.ErrNotExist) {
		return diag.List{{Rule: rule, Message: "the openapi-generator jar is missing: " + where.Jar, Hint: where.Hint}}
	}
	if err != nil {
		return fmt.Errorf("reading the openapi-generator jar: %w", err)
	}
	if sum != where.SHA256 {
		return diag.List{{Rule: rule, Message: fmt.Sprintf("%s has the sha256 %s, not %s", where.Jar, sum, where.SHA256),
			Hint: "remove the file; " + where.Hint}}
	}
	return nil
}

// FileSum returns the sha256 of a file, in hex.
func FileSum(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	return Sum(file)
}

// Sum returns the sha256 of what it reads, in hex, and closes it.
func Sum(in io.ReadCloser) (string, error) {
	hash := sha256.New()
	_, err := io.Copy(hash, in)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, in.Close())
}

// FindJava returns the java program to use and its major version.
func FindJava(where Where) (program string, version int, err error) {
	var tried []string
	for _, dir := range candidates(where) {
		program := filepath.Join(dir, executable("java"))
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		if where.CheckJava != nil && dir == filepath.Join(where.Java, "bin") {
			if err := where.CheckJava(where.Java); err != nil {
				tried = append(tried, fmt.Sprintf("the runtime in %s is not used: %v", where.Java, err))
				continue
			}
		}
		version, err := javaVersion(program)
		if err == nil && version >= MinJava {
			return program, version, nil
		}
		if err != nil {
			tried = append(tried, fmt.Sprintf("%s does not run: %v", program, err))
		} else {
			tried = append(tried, fmt.Sprintf("%s is version %d", program, version))
		}
	}
	message := fmt.Sprintf("Java %d or newer was not found in JAVA_HOME or on PATH", MinJava)
	if where.Java != "" {
		message += ", nor in " + where.Java
	}
	if len(tried) > 0 {
		message += " (" + strings.Join(tried, "; ") + ")"
	}
	return "", 0, diag.List{{Rule: rule, Message: message, Hint: where.Hint}}
}

// candidates are the directories that may hold a java program, best first.
func candidates(where Where) []string {
	var dirs []string
	if filepath.IsAbs(where.JavaHome) {
		dirs = append(dirs, filepath.Join(where.JavaHome, "bin"))
	}
	for _, dir := range filepath.SplitList(where.Path) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	if where.Java != "" {
		dirs = append(dirs, filepath.Join(where.Java, "bin"))
	}
	return dirs
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

var versionText = regexp.MustCompile(`version "(\d+)(?:\.(\d+))?`)

// versionTime is how long a java may take to say its version.
const versionTime = 20 * time.Second

// javaVersion reads the version from the runtime's release file, which is quicker than
// starting it, or from what `java -version` prints.
func javaVersion(program string) (int, error) {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		if version, ok := releaseVersion(filepath.Join(filepath.Dir(filepath.Dir(real)), "release")); ok {
			return version, nil
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), versionTime)
	defer cancel()
	out, err := command(ctx, os.TempDir(), program, "-version").CombinedOutput()
	text := strings.TrimSpace(string(out))
	if ctx.Err() != nil {
		return 0, fmt.Errorf("no answer in %v", versionTime)
	}
	if err != nil {
		first, _, _ := strings.Cut(text, "\n")
		return 0, fmt.Errorf("%w: %s", err, first)
	}
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("no version in %q", text)
	}
	return major(m[1], m[2]), nil
}

func releaseVersion(file string) (int, bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close() //nolint:errcheck // it is only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "JAVA_VERSION="); ok {
			first, rest, _ := strings.Cut(strings.Trim(value, `"`), ".")
			second, _, _ := strings.Cut(rest, ".")
			version := major(first, second)
			return version, version > 0
		}
	}
	return 0, false
}

// major returns 8 for 1.8 and 17 for 17.0.
func major(first, second string) int {
	n, _ := strconv.Atoi(first)
	if n == 1 && second != "" {
		n, _ = strconv.Atoi(second)
	}
	return n
}
