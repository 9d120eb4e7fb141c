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
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/internal/artifact"
	"github.com/flux-framework/flux-operator/internal/diag"
)

// Jar is the generator and the Java that runs it, as Find returns them.
type Jar struct {
	path    string
	sum     string
	java    string                   // the java program
	version int                      // Java's major version
	names   func() ([]string, error) // of the files in the jar
}

// Job is one output of the jar.
type Job struct {
	Stage     string         // origin of the files
	Name      string         // a folder name of its own among the jobs
	Generator string         // the jar's name of it: python-legacy, go
	Spec      []byte         // the document, as the jar is to see it
	Config    map[string]any // options of the generator, the jar's -c
	Templates string         // folder of templates, absolute; empty for the jar's own
	Called    string         // what messages call Templates; itself if empty
}

// Run makes all jobs in one Java process and returns a set for each, with paths relative to
// the SDK's own folder, without what nobody wants of the jar's output. scratch is an existing
// empty folder; the jar always writes into a new one, as it neither refreshes nor removes
// what it finds.
func (j *Jar) Run(ctx context.Context, log *slog.Logger, scratch string, jobs []Job) ([]*artifact.Set, error) {
	configs := make([]string, 0, len(jobs))
	for _, job := range jobs {
		if err := j.checkTemplates(job); err != nil {
			return nil, err
		}
		config, err := job.write(filepath.Join(scratch, job.Name))
		if err != nil {
			return nil, fmt.Errorf("preparing %s: %w", job.Generator, err)
		}
		configs = append(configs, config)
	}
	if err := j.start(ctx, log, scratch, configs); err != nil {
		return nil, err
	}
	sets := make([]*artifact.Set, 0, len(jobs))
	for _, job := range jobs {
		set, err := job.read(filepath.Join(scratch, job.Name, outDir))
		if err != nil {
			return nil, fmt.Errorf("collecting the files of %s: %w", job.Generator, err)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

const outDir = "out"

// write puts the job's document and configuration into dir and returns the configuration's file.
func (job Job) write(dir string) (string, error) {
	if err := os.MkdirAll(filepath.Join(dir, outDir), 0o755); err != nil {
		return "", err
	}
	spec := filepath.Join(dir, "swagger.json")
	if err := os.WriteFile(spec, job.Spec, 0o644); err != nil {
		return "", err
	}
	config := map[string]any{}
	for key, value := range job.Config {
		config[key] = value
	}
	if err := job.addFiles(config); err != nil {
		return "", err
	}
	config["generatorName"] = job.Generator
	config["inputSpec"] = spec
	config["outputDir"] = filepath.Join(dir, outDir)
	if job.Templates != "" {
		config["templateDir"] = job.Templates
	}
	data, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "config.json")
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

// read collects what the jar wrote. Go files are formatted: the jar's are not.
func (job Job) read(dir string) (*artifact.Set, error) {
	set := &artifact.Set{}
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || slices.Contains(unwanted, filepath.ToSlash(rel)) {
			return err
		}
		if strings.HasSuffix(file, ".go") {
			if data, err = format.Source(data); err != nil {
				return diag.List{{Rule: rule, Message: fmt.Sprintf("the generator %s made Go that does not parse: %s:%v", job.Generator, filepath.ToSlash(rel), err),
					Hint: "correct the templates; `sdkgen generate -v` prints what the generator is run with"}}
			}
		}
		return set.Put(artifact.File{Path: filepath.ToSlash(rel), Data: data, Origin: job.Stage})
	})
	if err == nil && set.Len() == 0 {
		return nil, fmt.Errorf("it ended well, but wrote none")
	}
	return set, err
}
