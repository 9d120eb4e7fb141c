package gogen

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/imports"
	"k8s.io/gengo/v2/generator"
	"k8s.io/klog/v2"

	"github.com/flux-framework/flux-operator/internal/artifact"
)

// asCommand calls f as the named command would: gengo takes the name in "Code generated
// by …" from os.Args, and the generators report bad input by klog.Fatal, which is turned
// into an error here.
func asCommand(name string, f func() error) (err error) {
	args, exit := &os.Args, klog.OsExit //nolint:forbidigo // gengo leaves no other way to name the command
	var log bytes.Buffer
	before := *args
	*args = []string{name}
	klog.LogToStderr(false)
	klog.SetOutput(&log)
	klog.OsExit = func(code int) { panic(fatal{code}) }
	defer func() {
		klog.Flush()
		*args, klog.OsExit = before, exit
		klog.SetOutput(os.Stderr)
		klog.LogToStderr(true)
		r := recover()
		if _, ok := r.(fatal); ok {
			err = errors.New(fatalMessage(log.String()))
		} else if r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// fatal is what a call of klog.Fatal is turned into.
type fatal struct{ code int }

// fatalMessage returns the text of the log's fatal line, without klog's header and goroutines.
func fatalMessage(log string) string {
	for line := range strings.Lines(log) {
		if !strings.HasPrefix(line, "F") {
			continue
		}
		if _, text, ok := strings.Cut(line, "] "); ok {
			return strings.TrimSpace(text)
		}
	}
	return "ended without a message"
}

// memory is a gengo file type that keeps the assembled Go file instead of writing it.
type memory struct {
	set    *artifact.Set
	root   string // what target folders are below
	origin string
}

// AssembleFile implements generator.FileType.
func (m *memory) AssembleFile(f *generator.File, path string) error {
	rel, err := filepath.Rel(m.root, path)
	if err != nil {
		return fmt.Errorf("placing %q: %w", path, err)
	}
	var raw bytes.Buffer
	tracker := generator.NewErrorTracker(&raw)
	generator.NewGoFile().Assemble(tracker, f)
	if err := tracker.Error(); err != nil {
		return err
	}
	data, err := formatGo(raw.Bytes())
	if err != nil {
		return fmt.Errorf("formatting %q: %w", rel, err)
	}
	return m.set.Put(artifact.File{Path: filepath.ToSlash(rel), Data: data, Origin: m.origin})
}

// formatGo formats as gengo does, which runs goimports and then the command gofmt -s,
// but without starting a process for each file.
func formatGo(src []byte) ([]byte, error) {
	formatted, err := imports.Process("", src, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
	if err != nil {
		return nil, err
	}
	return simplify(formatted)
}
