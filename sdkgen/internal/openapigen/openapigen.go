// Package openapigen runs the pinned openapi-generator jar: a document, a configuration and
// templates in, a set of files out. It is the only package that starts a process while
// generating, and both SDKs come from one Java process.
package openapigen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/cache"
	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/prose"
)

// Jar is the generator and the Java that runs it, as Find returns them.
type Jar struct {
	path    string
	sum     string
	java    string                   // the java program
	version int                      // Java's major version
	names   func() ([]string, error) // of the files in the jar
	cache   *cache.Cache             // nil if there is none
}

// Keep has Run keep what the jar makes, and take from there what it made of the same before.
func (j *Jar) Keep(c *cache.Cache) { j.cache = c }

// Job is one output of the jar.
type Job struct {
	Stage     string         // origin of the files
	Name      string         // a directory name of its own among the jobs
	Generator string         // the jar's name of it: python-legacy, go
	Spec      []byte         // the document, as the jar is to see it
	Config    map[string]any // options of the generator, the jar's -c
	Templates string         // directory of templates, absolute; empty for the jar's own
	Called    string         // what messages call Templates; itself if empty
}

// Run makes all jobs in one Java process and returns a set for each, with paths relative to
// the SDK's own directory, without what nobody wants of the jar's output. scratch is an existing
// empty directory; the jar always writes into a new one, as it neither refreshes nor removes
// what it finds. It does not see the texts that are marked in a document.
func (j *Jar) Run(ctx context.Context, log *slog.Logger, scratch string, jobs []Job) ([]*artifact.Set, error) {
	tasks := make([]*task, 0, len(jobs))
	for _, job := range jobs {
		task, err := j.prepare(job, scratch)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	if err := j.work(ctx, log, scratch, tasks); err != nil {
		return nil, err
	}
	sets := make([]*artifact.Set, 0, len(jobs))
	for _, task := range tasks {
		set, err := task.collect()
		if err != nil {
			return nil, fmt.Errorf("collecting the files of %s: %w", task.Generator, err)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

// work runs the jar for the tasks that were not done before.
func (j *Jar) work(ctx context.Context, log *slog.Logger, scratch string, tasks []*task) error {
	var open []*task
	var configs []string
	for _, task := range tasks {
		if task.made != nil {
			continue
		}
		config, err := task.write()
		if err != nil {
			return fmt.Errorf("preparing %s: %w", task.Generator, err)
		}
		open, configs = append(open, task), append(configs, config)
	}
	if len(open) == 0 {
		return nil
	}
	log.Info("running", "stage", "java")
	if err := j.start(ctx, log, scratch, configs); err != nil {
		return err
	}
	log.Info("done", "stage", "java")
	for _, task := range open {
		task.made = os.DirFS(filepath.Join(task.dir, outDir))
		if err := j.keep(task); err != nil {
			log.Debug("keeping what openapi-generator made", "error", err)
		}
	}
	return nil
}

const outDir = "out"

// write puts the task's document and configuration into its directory and returns the configuration's file.
func (t *task) write() (string, error) {
	if err := os.MkdirAll(filepath.Join(t.dir, outDir), 0o755); err != nil {
		return "", err
	}
	spec := filepath.Join(t.dir, "swagger.json")
	if err := os.WriteFile(spec, t.shape, 0o644); err != nil {
		return "", err
	}
	config := maps.Clone(t.options)
	config["generatorName"] = t.Generator
	config["inputSpec"] = spec
	config["outputDir"] = filepath.Join(t.dir, outDir)
	if t.Templates != "" {
		config["templateDir"] = t.Templates
	}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return "", err
	}
	file := filepath.Join(t.dir, "config.json")
	return file, os.WriteFile(file, data, 0o644)
}

// start runs the jar. What it prints is part of the error, and goes to the log otherwise.
func (j *Jar) start(ctx context.Context, log *slog.Logger, scratch string, configs []string) error {
	l, err := j.launch(scratch)
	if err != nil {
		return fmt.Errorf("preparing openapi-generator: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args, after := l.prepare(ctx, j, scratch)
	args = slices.Concat(j.flags(), args, []string{"-jar", l.front, "batch", "--fail-fast"}, configs)
	if err = j.execute(ctx, log, scratch, args); err != nil {
		cancel()
	}
	if kept := after(err); kept != nil && err == nil {
		log.Debug("archiving the classes of openapi-generator", "error", kept)
	}
	return err
}

// execute runs Java to its end.
func (j *Jar) execute(ctx context.Context, log *slog.Logger, scratch string, args []string) error {
	cmd := command(ctx, scratch, j.java, args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	log.Debug("starting openapi-generator", "argv", strings.Join(cmd.Args, " "))
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("running openapi-generator: %w%s%s", err, memory(cmd, output.String()), tail(output.String()))
	}
	log.Debug("openapi-generator", "output", output.String())
	return nil
}

// flags are the JVM's: for a run of a second the simple compiler and collector are fastest, and
// what the compiler would make of inlined calls costs more than it saves; the frames of a stack are
// in no message. Locale, encoding and time zone are fixed, so that no machine's output differs.
func (j *Jar) flags() []string {
	return []string{
		"-XX:TieredStopAtLevel=1", "-XX:-Inline", "-XX:+UseSerialGC", "-XX:-StackTraceInThrowable", "-Xshare:auto",
		"-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC",
	}
}

// unwanted is what the jar writes and nobody wants: its own notes, and a file that would have pytest
// import the source beside the tests in place of what is installed.
var unwanted = []string{".openapi-generator/FILES", ".openapi-generator/VERSION", ".openapi-generator-ignore", "test/__init__.py"}

// collect returns what the jar wrote, with the texts. Go files are formatted: the jar's are not.
func (t *task) collect() (*artifact.Set, error) {
	set := &artifact.Set{}
	err := fs.WalkDir(t.made, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(unwanted, name) {
			return err
		}
		data, err := fs.ReadFile(t.made, name)
		if err != nil {
			return err
		}
		data = prose.Expand(data, t.texts)
		if path.Ext(name) == ".go" {
			if data, err = format.Source(data); err != nil {
				return diag.List{{Rule: rule, Message: fmt.Sprintf("the generator %s made Go that does not parse: %s:%v", t.Generator, name, err),
					Hint: "correct the templates; `sdkgen generate -v` prints what the generator is run with"}}
			}
		}
		return set.Put(artifact.File{Path: name, Data: data, Origin: t.Stage})
	})
	if err == nil && set.Len() == 0 {
		return nil, fmt.Errorf("it ended well, but wrote none")
	}
	return set, err
}
