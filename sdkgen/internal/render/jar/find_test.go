package jar_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
)

// TestFindJar checks what is said of a jar that is not the pinned one. Java is never looked at.
func TestFindJar(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.jar")
	write(t, whole, "PK and more", 0o644)
	write(t, filepath.Join(dir, "truncated.jar"), "PK and", 0o644)
	write(t, filepath.Join(dir, "empty.jar"), "", 0o644)
	sum := sha256.Sum256([]byte("PK and more"))
	for name, want := range map[string]string{
		"missing.jar":   "the openapi-generator jar is missing: " + dir + "/missing.jar (tools)\n    fetch it",
		"truncated.jar": dir + "/truncated.jar has the sha256 5157f660",
		"empty.jar":     dir + "/empty.jar has the sha256 e3b0c442",
		"":              "is a directory",
		"a:b.jar":       "Java cannot run a jar whose path contains ':': " + dir + "/a:b.jar (tools)",
		"whole.jar":     "Java 11 or newer was not found in JAVA_HOME or on PATH (tools)\n    fetch it",
	} {
		_, err := jar.Find(jar.Where{Jar: filepath.Join(dir, name), SHA256: hex.EncodeToString(sum[:]), Hint: "fetch it"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", name, err, want)
		}
	}
	_, err := jar.Find(jar.Where{Jar: whole, SHA256: "f00", Hint: "fetch it"})
	if list, ok := errors.AsType[diag.List](err); !ok || len(list) != 1 || list[0].Hint != "remove the file; fetch it" {
		t.Errorf("a wrong sum: %v", err)
	}
}

// runtime makes a directory with bin/java, a shell script, and a release file if there is a text for it.
func runtime(t *testing.T, release, script string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin", "java"), "#!/bin/sh\n"+script+"\n", 0o755)
	if release != "" {
		write(t, filepath.Join(dir, "release"), release, 0o644)
	}
	return dir
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

const (
	never = "echo must not be started; exit 1"
	java8 = `JAVA_VERSION="1.8.0_412"`
	java2 = `IMPLEMENTOR="x"` + "\n" + `JAVA_VERSION="21.0.8"` + "\n" + `OS_NAME="Linux"`
)

func says(version string) string { return "echo 'openjdk version \"" + version + "\" 2025-04-15' >&2" }

// TestFindJavaOrder checks that JAVA_HOME comes before PATH and PATH before the fallback, and
// that what does not do is passed over.
func TestFindJavaOrder(t *testing.T) {
	bin := func(home string) string { return filepath.Join(home, "bin") }
	home, first, second, fallback := runtime(t, java2, never), runtime(t, java2, never), runtime(t, java2, never),
		runtime(t, java2, never)
	old, broken := runtime(t, java8, never), runtime(t, "", "echo no runtime; exit 3")
	empty := t.TempDir()
	plain := t.TempDir()
	write(t, filepath.Join(plain, "bin", "java"), "not executable", 0o644)
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin", "java"), 0o755); err != nil {
		t.Fatal(err)
	}
	path := func(homes ...string) string {
		var dirs []string
		for _, home := range homes {
			dirs = append(dirs, bin(home))
		}
		return strings.Join(dirs, string(filepath.ListSeparator))
	}
	// What is relative means another place for a child in a directory of its own.
	t.Chdir(home)
	for name, c := range map[string]struct {
		where jar.Where
		want  string
	}{
		"all":                {jar.Where{JavaHome: home, Path: path(first, second), Java: fallback}, home},
		"no home":            {jar.Where{Path: path(first, second), Java: fallback}, first},
		"empty home":         {jar.Where{JavaHome: empty, Path: path(second, first), Java: fallback}, second},
		"old home":           {jar.Where{JavaHome: old, Path: path(first), Java: fallback}, first},
		"broken home":        {jar.Where{JavaHome: broken, Path: path(first), Java: fallback}, first},
		"relative home":      {jar.Where{JavaHome: ".", Path: path(first), Java: fallback}, first},
		"passed over":        {jar.Where{Path: path(empty, plain, dir, old, broken, second), Java: fallback}, second},
		"relative path":      {jar.Where{Path: "bin:.::" + path(second), Java: fallback}, second},
		"fallback":           {jar.Where{JavaHome: old, Path: path(empty, broken), Java: fallback}, fallback},
		"fallback, no PATH":  {jar.Where{Java: fallback}, fallback},
		"home without PATH":  {jar.Where{JavaHome: home}, home},
		"home with fallback": {jar.Where{JavaHome: home, Java: old}, home},
	} {
		program, version, err := jar.FindJava(c.where)
		if err != nil || program != filepath.Join(c.want, "bin", "java") || version != 21 {
			t.Errorf("%s: %s, version %d, %v", name, program, version, err)
		}
	}
	_, _, err := jar.FindJava(jar.Where{JavaHome: old, Path: path(broken, empty), Java: empty, Hint: "fetch it"})
	want := fmt.Sprintf(
		"Java 11 or newer was not found in JAVA_HOME or on PATH, nor in %s (%s/bin/java is version 8; %s/bin/java does not "+
			"run: exit status 3: no runtime) (tools)", empty, old, broken)
	if err == nil || !strings.HasPrefix(err.Error(), want+"\n") {
		t.Errorf("none: %v\nwant  %s", err, want)
	}
	if _, ok := errors.AsType[diag.List](err); !ok {
		t.Errorf("none: %T is no diag.List", err)
	}
}

// TestFindJavaVersion checks what is made of a runtime's release file and, where it says
// nothing, of what `java -version` prints.
func TestFindJavaVersion(t *testing.T) {
	for name, c := range map[string]struct {
		release, script string
		want            int // 0 for none
	}{
		"release":             {java2, never, 21},
		"release, one number": {`JAVA_VERSION="25"`, never, 25},
		"release, no quotes":  {"JAVA_VERSION=17.0.1\r\n", never, 17},
		"release, 11":         {`JAVA_VERSION="11.0.2"`, never, 11},
		"release, 10":         {`JAVA_VERSION="10.0.2"`, never, 0},
		"release, 8":          {java8, says("17.0.1"), 0},
		"no release":          {"", says("17.0.15"), 17},
		"no version in it":    {`OS_NAME="Linux"`, says("17.0.15"), 17},
		"empty version":       {`JAVA_VERSION=""`, says("17.0.15"), 17},
		"odd version":         {`JAVA_VERSION="26-ea"`, says("26-ea"), 26},
		"garbage":             {strings.Repeat("x", 100_000) + "\n" + java8, says("17.0.15"), 17},
		"one number":          {"", says("25"), 25},
		"old":                 {"", says("1.8.0_412"), 0},
		"on stdout":           {"", `echo 'java version "12.0.1"'`, 12},
		"after a warning":     {"", "echo 'Picked up JAVA_TOOL_OPTIONS: -Dx=y' >&2\n" + says("17.0.1"), 17},
		"no version":          {"", "echo hello", 0},
		"nothing":             {"", "", 0},
		"fails":               {"", says("17.0.1") + "; exit 1", 0},
		"killed":              {"", "kill -9 $$", 0},
	} {
		_, version, err := jar.FindJava(jar.Where{JavaHome: runtime(t, c.release, c.script)})
		if version != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%s: version %d, %v", name, version, err)
		}
	}
}

// TestFindJavaRelease finds the release file of a java that PATH has by symbolic links, and does
// without one that cannot be read.
func TestFindJavaRelease(t *testing.T) {
	home, links := runtime(t, java2, never), t.TempDir()
	for from, to := range map[string]string{filepath.Join(home, "bin", "java"): "alternatives",
		filepath.Join(links, "alternatives"): "java"} {
		if err := os.Symlink(from, filepath.Join(links, to)); err != nil {
			t.Fatal(err)
		}
	}
	program, version, err := jar.FindJava(jar.Where{Path: links})
	if err != nil || program != filepath.Join(links, "java") || version != 21 {
		t.Errorf("by links: %s, version %d, %v", program, version, err)
	}

	unreadable := runtime(t, "", says("17.0.1"))
	if err := os.Mkdir(filepath.Join(unreadable, "release"), 0o755); err != nil { // root reads every file
		t.Fatal(err)
	}
	if _, version, err := jar.FindJava(jar.Where{JavaHome: unreadable}); err != nil || version != 17 {
		t.Errorf("unreadable: version %d, %v", version, err)
	}
}

// TestFindJavaEnvironment checks that a java is asked under the conditions in which it will run:
// the user's options cannot make it look broken, or right.
func TestFindJavaEnvironment(t *testing.T) {
	t.Setenv("JAVA_TOOL_OPTIONS", "-agentpath:/missing")
	t.Setenv("LC_ALL", "tr_TR.ISO-8859-9")
	home := runtime(t, "", `test -z "$JAVA_TOOL_OPTIONS" || exit 1; test "$LC_ALL" = C.UTF-8 || exit 2; `+says("17.0.1"))
	if _, version, err := jar.FindJava(jar.Where{JavaHome: home}); err != nil || version != 17 {
		t.Errorf("version %d, %v", version, err)
	}
}

// TestFindJavaChecked: the fallback is used only if it is the expected runtime, and only it is asked.
func TestFindJavaChecked(t *testing.T) {
	home, fallback := runtime(t, java2, never), runtime(t, java2, never)
	where := jar.Where{JavaHome: home, Java: fallback, CheckJava: func(dir string) error {
		if dir != fallback {
			t.Errorf("%s was checked", dir)
		}
		return errors.New("a file is another")
	}}
	if program, _, err := jar.FindJava(where); err != nil || program != filepath.Join(home, "bin", "java") {
		t.Errorf("with JAVA_HOME: %s, %v", program, err)
	}
	where.JavaHome = ""
	want := "(the runtime in " + fallback + " is not used: a file is another)"
	if _, _, err := jar.FindJava(where); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without: %v", err)
	}
	where.CheckJava = func(string) error { return nil }
	if _, version, err := jar.FindJava(where); err != nil || version != 21 {
		t.Errorf("checked: version %d, %v", version, err)
	}
}
