package gocode

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

	"github.com/flux-framework/flux-operator/sdkgen/internal/artifact"
)

// asCommand calls f as the named command would: gengo takes the name in "Code generated
// by …" from os.Args, and the generators report bad input by klog.Fatal, which is turned
// into an error here. What else they log is not printed.
func asCommand(name string, f func() error) (err error) {
	args, exit, state := &os.Args, klog.OsExit, klog.CaptureState() //nolint:forbidigo // gengo leaves no other way to name the command
	before := *args
	*args = []string{name}
	var entry string // the last that was logged
	klog.SetLoggerWithOptions(klog.Logger{}, klog.WriteKlogBuffer(func(data []byte) { entry = string(data) }))
	klog.OsExit = func(int) { panic(fatal(fatalMessage(entry))) }
	defer func() {
		*args, klog.OsExit = before, exit
		state.Restore()
	}()
	defer rescue(name, &err)
	return f()
}

// fatal is the message of a call of klog.Fatal.
type fatal string

// rescue, deferred, turns a panic of a generator into an error.
func rescue(command string, err *error) {
	switch r := recover().(type) {
	case nil:
	case fatal:
		*err = errors.New(string(r))
	default:
		*err = fmt.Errorf("bug in %s, please report it: %v", command, r)
	}
}

// fatalMessage returns the text of a fatal log entry, without klog's header.
func fatalMessage(entry string) string {
	if _, text, ok := strings.Cut(entry, "] "); ok && strings.HasPrefix(entry, "F") {
		return strings.TrimSpace(text)
	}
	return "exited without an error message"
}

// memory is a gengo file type that keeps the assembled Go file instead of writing it.
type memory struct {
	set    *artifact.Set
	root   string // what target directories are below
	origin string
}

// AssembleFile implements generator.FileType.
func (m *memory) AssembleFile(f *generator.File, path string) error {
	rel, err := filepath.Rel(m.root, path)
	if err != nil {
		return fmt.Errorf("placing %q: %w", path, err)
	}
	head := *f
	head.Vars, head.Consts, head.Body = bytes.Buffer{}, bytes.Buffer{}, bytes.Buffer{}
	top, err := assemble(&head)
	if err != nil {
		return err
	}
	all, err := assemble(f)
	if err != nil {
		return err
	}
	data, err := formatGo(top, all[len(top):])
	if err != nil {
		return fmt.Errorf("formatting %q: %w", rel, err)
	}
	return m.set.Put(artifact.File{Path: filepath.ToSlash(rel), Data: data, Origin: m.origin})
}

func assemble(f *generator.File) ([]byte, error) {
	var out bytes.Buffer
	tracker := generator.NewErrorTracker(&out)
	generator.NewGoFile().Assemble(tracker, f)
	return out.Bytes(), tracker.Error()
}

// formatGo formats as gengo does, which runs goimports and then the command gofmt -s, but in this
// process, and goimports only on what it is for: top is the file up to its imports, rest is all else.
func formatGo(top, rest []byte) ([]byte, error) {
	top, err := imports.Process("", top, &imports.Options{Comments: true, TabIndent: true, TabWidth: 8, FormatOnly: true})
	if err != nil {
		return nil, err
	}
	return simplify(append(append(top, '\n'), rest...))
}
