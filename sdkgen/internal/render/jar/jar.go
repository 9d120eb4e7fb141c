// Package jar runs the pinned openapi-generator jar: its inputs are a document, a configuration and templates, its
// output is a set of files. The SDKs of all languages come from one Java process.
package jar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// Jar is the generator and the Java that runs it, as Find returns them.
type Jar struct {
	path    string
	java    string                   // the java program
	version int                      // of Java
	names   func() ([]string, error) // of the files in the jar
}

// Run makes all jobs in one Java process and returns a set for each, with paths relative to
// the SDK's own directory, without the unwanted files of the jar. scratch is an existing
// empty directory; the jar always writes into a new one, as it neither refreshes nor removes
// the files in it.
func (j *Jar) Run(ctx context.Context, log *slog.Logger, scratch string, jobs []render.Job) ([]*artifact.Set, error) {
	var configs []string
	for _, job := range jobs {
		if err := j.checkTemplates(job); err != nil {
			return nil, err
		}
		config, err := write(job, filepath.Join(scratch, job.Name))
		if err != nil {
			return nil, fmt.Errorf("preparing %s: %w", job.Generator, err)
		}
		configs = append(configs, config)
	}
	front := filepath.Join(scratch, "front")
	if err := writeFront(front, jobs); err != nil {
		return nil, fmt.Errorf("preparing openapi-generator: %w", err)
	}
	log.Info("running", "stage", "java")
	if err := j.start(ctx, log, scratch, front, configs); err != nil {
		return nil, err
	}
	log.Info("done", "stage", "java")
	var sets []*artifact.Set
	for _, job := range jobs {
		set, err := collect(job, filepath.Join(scratch, job.Name, outDir))
		if err != nil {
			return nil, fmt.Errorf("collecting the files of %s: %w", job.Generator, err)
		}
		sets = append(sets, set)
	}
	return sets, nil
}

const outDir = "out"

// write puts the job's document and configuration into a directory and returns the configuration's file.
func write(job render.Job, dir string) (string, error) {
	out, spec, file := filepath.Join(dir, outDir), filepath.Join(dir, "swagger.json"), filepath.Join(dir, "config.json")
	if err := os.MkdirAll(out, 0o755); err != nil {
		return "", err
	}
	data, err := document(job)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(spec, data, 0o644); err != nil {
		return "", err
	}
	config := map[string]any{}
	maps.Copy(config, job.Options)
	selectModels(job, config)
	if err := addFiles(job, config); err != nil {
		return "", err
	}
	config["generatorName"] = job.Generator
	config["inputSpec"] = spec
	if job.API.Extension != "" {
		config["validateSpec"] = false // sdkgen has made the document
	}
	config["outputDir"] = out
	if job.Templates != nil {
		templates := filepath.Join(dir, "templates")
		if err := os.CopyFS(templates, job.Templates); err != nil {
			return "", err
		}
		config["templateDir"] = templates
	}
	data, err = json.MarshalIndent(config, "", "  ")
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, data, 0o644)
}

// selectModels has the generator make no other models than those of the job, unless the configuration names some, or no
// kind of file at all, which means every file.
func selectModels(job render.Job, config map[string]any) {
	configured, _ := config["globalProperties"].(map[string]any)
	if models, ok := configured["models"]; job.API.Extension == "" || !ok || models != "" {
		return
	}
	var names []string
	for _, model := range job.API.Models {
		names = append(names, model.Name)
	}
	properties := maps.Clone(configured)
	properties["models"] = strings.Join(names, ",")
	config["globalProperties"] = properties
}

// start runs the jar. What it prints is part of the error, and goes to the log otherwise.
func (j *Jar) start(ctx context.Context, log *slog.Logger, scratch, front string, configs []string) error {
	classPath := front + string(filepath.ListSeparator) + j.path
	args := slices.Concat(flags(j.version), []string{"-cp", classPath, mainClass, "batch", "--fail-fast"}, configs)
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
// what the compiler would make of inlined calls costs more than it saves; no message has the frames of
// a stack. Locale, encoding and time zone are fixed, so that the output is the same on every machine.
// Java 24 and newer warn of what the jar's libraries do with memory, unless it is allowed.
func flags(version int) []string {
	flags := []string{
		"-XX:TieredStopAtLevel=1", "-XX:-Inline", "-XX:+UseSerialGC", "-XX:-StackTraceInThrowable", "-Xshare:auto",
		"-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US", "-Duser.timezone=UTC",
	}
	if version >= 24 {
		flags = append(flags, "--sun-misc-unsafe-memory-access=allow")
	}
	return flags
}

// unwanted are files of the jar that are no part of an SDK: its own notes, and a file that would make
// pytest import the source beside the tests in place of the installed package.
var unwanted = []string{".openapi-generator/FILES", ".openapi-generator/VERSION", ".openapi-generator-ignore",
	"test/__init__.py"}

// collect returns the files that the jar wrote to a directory.
func collect(job render.Job, dir string) (*artifact.Set, error) {
	set, out := &artifact.Set{}, os.DirFS(dir)
	err := fs.WalkDir(out, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || slices.Contains(unwanted, name) {
			return err
		}
		data, err := fs.ReadFile(out, name)
		if err != nil {
			return err
		}
		return job.Put(set, name, data)
	})
	if err == nil && set.Len() == 0 {
		return nil, fmt.Errorf("it ended well, but wrote none")
	}
	return set, err
}
