package jar_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/format"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	sdktemplates "github.com/flux-framework/flux-operator/sdkgen/templates"
)

const document = `{"swagger": "2.0", "info": {"title": "t", "version": "v1"}, "paths": {}, "definitions": {
	"Island": {"type": "object", "description": "INSEL mit Ümläuten", "properties": {
		"title": {"type": "string"}, "IPs": {"type": "array", "items": {"type": "string"}}, "pi": {"type": "number", "format": "double", "default": 3.5}}},
	"IslandList": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/definitions/Island"}}}}}}`

// TestRun makes both languages in one process, with a template that the job has and the jar's own.
func TestRun(t *testing.T) {
	jar, templates := findJar(t), t.TempDir()
	write(t, filepath.Join(templates, "model.mustache"),
		"{{#models}}{{#model}}package {{packageName}}\nvar   {{classname}} =   1 // {{{description}}}\n{{/model}}{{/models}}",
		0o644)
	jobs := []render.Job{job("python", "python-legacy", ""), job("go", "go", templates)}
	scratch := t.TempDir()
	var log bytes.Buffer
	sets, err := jar.Run(t.Context(), slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		scratch, jobs)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "starting openapi-generator"); n != 1 {
		t.Errorf("%d processes:\n%s", n, &log)
	}
	if len(sets) != 2 {
		t.Fatalf("%d sets", len(sets))
	}
	for i, want := range []string{"made/models/island_list.py", "model_island_list.go"} {
		if file, ok := sets[i].Lookup(want); !ok || file.Origin != jobs[i].Stage {
			t.Errorf("%s: there is no %s of stage %s", jobs[i].Name, want, jobs[i].Stage)
		}
		for file := range sets[i].All() {
			if strings.HasPrefix(file.Path, ".openapi-generator") || file.Path == "test/__init__.py" {
				t.Errorf("%s: nobody wants %s", jobs[i].Name, file.Path)
			}
		}
	}
	if file, _ := sets[1].Lookup(
		"model_island.go"); string(file.Data) != "package made\n\nvar Island = 1 // INSEL mit Ümläuten\n" {
		t.Errorf("by the job's template: %q", file.Data)
	}
	for file := range sets[1].All() {
		if formatted, err := format.Source(file.Data); strings.HasSuffix(file.Path, ".go") &&
			(err != nil || !bytes.Equal(formatted, file.Data)) {
			t.Errorf("%s is not formatted: %v", file.Path, err)
		}
	}
	if _, ok := jobs[0].Options["inputSpec"]; ok {
		t.Error("a job's options were changed")
	}
}

// TestRunSame runs the jar three times: plainly, from other directories, and in an environment that
// tries to change what Java does. The output is the same.
func TestRunSame(t *testing.T) {
	jar := findJar(t)
	jobs := []render.Job{job("python", "python-legacy", ""), job("go", "go", "")}
	first := run(t, jar, jobs)
	second := run(t, jar, jobs)
	for name, value := range map[string]string{
		"JAVA_TOOL_OPTIONS": "-Duser.language=tr -Duser.country=TR -Dfile.encoding=ISO-8859-9 -Dline.separator=x",
		"_JAVA_OPTIONS":     "-Duser.language=tr -Dfile.encoding=UTF-16", "JDK_JAVA_OPTIONS": "-Dfile.encoding=UTF-16",
		"JAVA_OPTS": "-Xmx1m", "CLASSPATH": "/nowhere", "LC_ALL": "tr_TR.ISO-8859-9", "LANG": "C", "LANGUAGE": "tr",
		"TZ": "Asia/Kathmandu", "HOME": t.TempDir(), "TMPDIR": t.TempDir(), "USER": "someone",
		"GO_POST_PROCESS_FILE":     "/bin/false",
		"PYTHON_POST_PROCESS_FILE": "/bin/false", "PATH": "/nowhere",
	} {
		t.Setenv(name, value)
	}
	third := run(t, jar, jobs)
	for name, other := range map[string][]string{"a second run": second, "a run in another environment": third} {
		if d := cmp.Diff(first, other); d != "" {
			t.Errorf("%s gives something else:\n%s", name, d)
		}
	}
}

// run returns all files of all jobs as text.
func run(t *testing.T, jar *jar.Jar, jobs []render.Job) []string {
	t.Helper()
	sets, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, set := range sets {
		for file := range set.All() {
			out = append(out, fmt.Sprintf("%s/%s %v\n%s", jobs[i].Name, file.Path, file.Mode, file.Data))
		}
	}
	if len(out) < 38 {
		t.Fatalf("%d files", len(out))
	}
	return out
}

// TestRunFails holds what is said of a job that cannot be done: the jar's own message, and nothing
// else of what it prints.
func TestRunFails(t *testing.T) {
	jar, broken := findJar(t), t.TempDir()
	write(t, filepath.Join(broken, "model.mustache"), "{{#models}}{{>nothing}}{{/models}}\n", 0o644)
	python := job("python", "python-legacy", "")
	for name, c := range map[string]struct {
		jobs []render.Job
		want string
	}{
		// Alone: two jobs print at the same time, and a line of one may end up inside that of the other.
		"missing partial": {[]render.Job{job("go", "go", broken)}, `running openapi-generator: exit status 1
    ERROR o.o.c.api.TemplatingEngineAdapter - Failed to read full template nothing.mustache, nothing.mustache
    Generation failed for go: (RuntimeException) Could not generate model 'Island'
    java.lang.RuntimeException: Could not generate model 'Island'
    Caused by: org.openapitools.codegen.templating.TemplateNotFoundException: nothing`},
		"broken document": {[]render.Job{with(python, func(j *render.Job) { j.Document = []byte(`{"swagger": "2.0"}`) })}, `running openapi-generator: exit status 1
    Generation failed for unspecified: (SpecValidationException) There were issues with the specification. The option can be disabled via validateSpec (Maven/Gradle) or --skip-validate-spec (CLI).
     | Error count: 2, Warning count: 0
    Errors: 
    	-attribute paths is missing
    	-attribute info is missing
    org.openapitools.codegen.SpecValidationException: There were issues with the specification. The option can be disabled via validateSpec (Maven/Gradle) or --skip-validate-spec (CLI).`},
	} {
		t.Run(name, func(t *testing.T) {
			sets, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), c.jobs)
			if err == nil || sets != nil {
				t.Fatalf("%d sets, error %v", len(sets), err)
			}
			if d := cmp.Diff(c.want, err.Error()); d != "" {
				t.Errorf("%s", d)
			}
		})
	}
}

// TestRunOutOfMemory gives the real jar too little memory.
func TestRunOutOfMemory(t *testing.T) {
	where := real(t)
	java, _, err := jar.FindJava(where)
	if err != nil {
		missing(t, err.Error())
	}
	where.JavaHome = runtime(t, java2, "exec '"+java+"' -Xmx4m \"$@\"")
	jar, err := jar.Find(where)
	if err != nil {
		missing(t, err.Error())
	}
	sets, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), []render.Job{job("go", "go", "")})
	if err == nil || !strings.Contains(err.Error(), "(out of memory? Java needs about 200 MB)") ||
		!strings.Contains(err.Error(), "OutOfMemoryError") {
		t.Errorf("%d sets, error %v", len(sets), err)
	}
}

// TestRunFake holds the messages of what can be wrong with a process, with scripts for java.
func TestRunFake(t *testing.T) {
	out := "for config; do :; done; out=$(dirname $config)/out; "
	for name, c := range map[string]struct{ script, want string }{
		"out of memory": {"echo '[main] INFO  x - hello'; echo 'Exception in thread \"main\" java.lang.OutOfMemoryError: " +
			"Java heap space' >&2; echo '\tat x.y(Z.java:1)'; exit 1",
			"running openapi-generator: exit status 1 (out of memory? Java needs about 200 MB)\n    Exception in thread " +
				"\"main\" java.lang.OutOfMemoryError: Java heap space"},
		"no native memory": {"echo '#'; echo '# There is insufficient memory for the Java Runtime Environment to " +
			"continue.'; exit 1",
			"running openapi-generator: exit status 1 (out of memory? Java needs about 200 MB)\n    # There is insufficient " +
				"memory for the Java Runtime Environment to continue."},
		"killed in a shell": {"exit 137",
			"running openapi-generator: exit status 137 (out of memory? Java needs about 200 MB)"},
		"killed": {"kill -9 $$",
			"running openapi-generator: signal: killed (out of memory? Java needs about 200 MB)"},
		"silent": {"exit 3", "running openapi-generator: exit status 3"},
		"only noise": {"echo '[main] INFO  x - hello'; exit 3",
			"running openapi-generator: exit status 3\n    INFO  x - hello"},
		"much": {"i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; echo line 1; done; exit 1",
			"running openapi-generator: exit status 1\n    line 71\n"},
		"nothing written":   {"exit 0", "collecting the files of go: it ended well, but wrote none"},
		"directory removed": {out + "rmdir $out", "no such file or directory"},
		"broken Go": {out + "echo 'package {' > $out/x.go",
			"the generator go made Go that does not parse: x.go:1:9: expected 'IDENT'"},
		"a path for no file":  {out + "echo x > $out/'a?.txt'", "collecting the files of go: adding \"a?.txt\""},
		"two in one spelling": {out + "echo x > $out/a; echo x > $out/A", "differs only in case"},
		"a child stays": {"sleep 20 & exit 0",
			"running openapi-generator: exec: WaitDelay expired before I/O complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			jar := fakeJar(t, c.script)
			_, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), t.TempDir(), []render.Job{job("go", "go", "")})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.HasSuffix(err.Error(), "\n") {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// TestRunWrites checks what a java is given: its options, a clean environment, and the scratch directory.
func TestRunWrites(t *testing.T) {
	t.Setenv("JAVA_TOOL_OPTIONS", "-Dx=y")
	scratch, templates := t.TempDir(), t.TempDir()
	jar := fakeJar(t, `pwd > pwd; env > env; echo "$@" > args; for config; do :; done; echo x > $(dirname $config)/out/f`)
	sets, err := jar.Run(t.Context(), slog.New(slog.DiscardHandler), scratch, []render.Job{job("go", "go", templates)})
	if err != nil {
		t.Fatal(err)
	}
	if file, ok := sets[0].Lookup("f"); !ok || string(file.Data) != "x\n" {
		t.Errorf("f: %q, %v", file.Data, ok)
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(scratch, name))
		if err != nil {
			t.Error(err)
		}
		return string(data)
	}
	if got := read("pwd"); got != scratch+"\n" {
		t.Errorf("it ran in %s", got)
	}
	for line := range strings.Lines(read("env")) {
		if name, _, _ := strings.Cut(line, "="); !slices.Contains([]string{"LC_ALL", "HOME", "PWD", "SHLVL", "_", "OLDPWD"},
			name) {
			t.Errorf("it saw %s", line)
		}
	}
	if args := read("args"); !strings.Contains(args, "-Dfile.encoding=UTF-8") ||
		!strings.HasSuffix(args, scratch+"/go/config.json\n") {
		t.Errorf("its arguments: %s", args)
	}
	want := `{
  "generatorName": "go",
  "inputSpec": "` + scratch + `/go/swagger.json",
  "outputDir": "` + scratch + `/go/out",
  "packageName": "made",
  "templateDir": "` + scratch + `/go/templates"
}`
	if d := cmp.Diff(want, read("go/config.json")); d != "" {
		t.Errorf("config.json:\n%s", d)
	}
	if read("go/swagger.json") != document {
		t.Error("swagger.json is not the document")
	}
}

// TestRunCancelled checks that nothing is left running by a run that is called off: of the real
// jar, and of a java that is a script with the real work in a child.
func TestRunCancelled(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip(err)
	}
	for name, jar := range map[string]*jar.Jar{
		"jar": findJar(t), "script": fakeJar(t, "sleep 61\nexit 0"), "background": fakeJar(t, "sleep 61 & sleep 62"),
	} {
		t.Run(name, func(t *testing.T) {
			scratch := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := jar.Run(ctx, slog.New(slog.DiscardHandler), scratch,
					[]render.Job{job("python", "python-legacy", ""), job("go", "go", "")})
				done <- err
			}()
			for start := time.Now(); len(processes(t, scratch)) == 0; time.Sleep(5 * time.Millisecond) {
				if time.Since(start) > 30*time.Second {
					t.Fatal("it does not start")
				}
			}
			time.Sleep(300 * time.Millisecond)
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("it does not end")
			}
			// A killed child is its new parent's to collect.
			for start := time.Now(); len(processes(t, scratch)) > 0; time.Sleep(5 * time.Millisecond) {
				if time.Since(start) > 20*time.Second {
					t.Fatalf("left: %v", processes(t, scratch))
				}
			}
		})
	}
}

// processes returns those whose working directory is dir.
func processes(t *testing.T, dir string) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if cwd, err := os.Readlink(link); err == nil && cwd == dir {
			found = append(found, link)
		}
	}
	return found
}

func job(stage, generator, templates string) render.Job {
	job := render.Job{
		Stage: stage, Name: stage, Generator: generator, Document: []byte(document),
		Options: map[string]any{"packageName": "made"},
	}
	if templates != "" {
		job.Templates = os.DirFS(templates)
	}
	return job
}

func with(job render.Job, change func(*render.Job)) render.Job {
	change(&job)
	return job
}

// fakeJar has a few templates, and is run by a script. Its last argument is the configuration of the last job.
func fakeJar(t *testing.T, script string) *jar.Jar {
	t.Helper()
	home := runtime(t, java2, script)
	file := filepath.Join(home, "fake.jar")
	var data bytes.Buffer
	archive := zip.NewWriter(&data)
	for _, name := range []string{"go/model.mustache", "go/partial_header.mustache", "go/.travis.yml",
		"cobol/picture.mustache"} {
		if _, err := archive.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, file, data.String(), 0o644)
	sum := sha256.Sum256(data.Bytes())
	jar, err := jar.Find(jar.Where{Jar: file, SHA256: hex.EncodeToString(sum[:]), JavaHome: home})
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

// real is where the pinned jar of this checkout is, and Java.
func real(t *testing.T) jar.Where {
	t.Helper()
	file, err := filepath.Abs("../../../../.tools/" + sdktemplates.Jar)
	if err != nil {
		t.Fatal(err)
	}
	return jar.Where{
		Jar: file, SHA256: sdktemplates.JarSHA256,
		JavaHome: os.Getenv("JAVA_HOME"), Path: os.Getenv("PATH"), Java: filepath.Join(filepath.Dir(file), "java"),
	}
}

func findJar(t *testing.T) *jar.Jar {
	t.Helper()
	jar, err := jar.Find(real(t))
	if err != nil {
		missing(t, err.Error())
	}
	return jar
}

// missing skips a test whose tool is not there, or fails it in CI.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
