package artifact

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/diag"
)

const (
	hintRestore   = "restore the file from git, then run `sdkgen generate`"
	hintConflict  = "delete the conflict markers and keep one line for each path, then run `sdkgen generate`"
	hintDuplicate = "delete either line, then run `sdkgen generate`"
	hintUpdate    = "run the version of sdkgen that wrote the file, or a later one"
)

// ReadLock reads the lock of a configuration, a path below root. If there is none, it returns an empty
// lock: nothing in the tree is sdkgen's.
func ReadLock(root *os.Root, config string) (*Lock, error) {
	name, lock := LockFile(config), &Lock{config: config}
	if config == defaultConfig {
		lock.config = ""
	}
	data, err := readLockFile(root, name)
	if data == nil || err != nil {
		return lock, err
	}
	parsed, err := ParseLock(name, data)
	if err != nil {
		return nil, err
	}
	other := parsed.configAt(name)
	if _, err := root.Lstat(other); err == nil && other != config { // it was not renamed
		return nil, diag.Errorf(token.Position{Filename: name}, "lock", "rename one of the two configurations",
			"the file would be the lock of %s and is that of %s", config, other)
	}
	parsed.config = lock.config
	return parsed, nil
}

// configAt returns the configuration that the lock in a file belongs to.
func (l *Lock) configAt(name string) string {
	return cmp.Or(l.config, strings.TrimSuffix(name, ".lock")+".yaml")
}

// owners returns, by folded path, the locks of the root's other configurations that list a file. A lock
// whose configuration is gone owns nothing.
func owners(root *os.Root, own string) (map[string]string, error) {
	names, err := newTree(root).list(".")
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, name := range names {
		if path.Ext(name) != ".lock" || name == own {
			continue
		}
		data, err := readLockFile(root, name)
		if err != nil || !bytes.HasPrefix(data, []byte(lockMagic)) {
			continue // of another program
		}
		lock, err := ParseLock(name, data)
		if err != nil {
			return nil, err
		}
		if _, err := root.Lstat(lock.configAt(name)); err != nil {
			continue
		}
		for p := range lock.files {
			found[fold(p)] = name
		}
	}
	return found, nil
}

// readLockFile returns nil if there is no lock file.
func readLockFile(root *os.Root, name string) ([]byte, error) {
	n, err := newTree(root).look(name)
	if err != nil {
		return nil, err
	}
	switch n.kind {
	case absent:
		return nil, nil
	case regular:
		data, err := root.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		return append([]byte{}, data...), nil
	default:
		return nil, diag.Errorf(token.Position{Filename: name}, "lock", hintMove, "it is a %s, not a regular file", n.kind)
	}
}

// ParseLock reads the bytes of a lock file of that name. Errors are a diag.List with line and
// column, in bytes. Lines may come in any order, and in CRLF, as after a merge or
// a checkout on Windows; Encode puts that right.
func ParseLock(name string, data []byte) (*Lock, error) {
	p := &lockParser{name: name, lock: &Lock{files: map[string]Entry{}, seals: map[string]string{}},
		seen: map[string]int{}}
	text := string(data)
	if err := p.header(text); err != nil {
		return nil, err
	}
	for line := range strings.Lines(text) {
		p.line++
		body, ended := strings.CutSuffix(line, "\n")
		body = strings.TrimSuffix(body, "\r")
		if !ended {
			return nil, p.fail(len(body)+1, hintRestore, "the last line is incomplete")
		}
		if err := p.parse(body); err != nil {
			return nil, err
		}
	}
	return p.lock, nil
}

type lockParser struct {
	name string
	line int
	lock *Lock
	seen map[string]int // "file PATH" or "stage NAME" -> line
}

func (p *lockParser) fail(col int, hint, format string, args ...any) error {
	return diag.Errorf(token.Position{Filename: p.name, Line: max(p.line, 1), Column: col}, "lock", hint, format, args...)
}

func (p *lockParser) header(text string) error {
	first, _, _ := strings.Cut(text, "\n")
	switch rest, ok := strings.CutPrefix(first, lockMagic); {
	case ok && (rest == "" || rest[0] == ':' || rest[0] == '\r'):
		return nil
	case conflict(first):
		return p.fail(1, hintConflict, "unresolved merge conflict")
	case strings.HasPrefix(first, strings.TrimSuffix(lockMagic, "1")):
		return p.fail(1, hintUpdate, "the file has another format version than v1, the one that this sdkgen reads")
	default:
		return p.fail(1, hintRestore, "the first line is not %q", lockMagic+": …")
	}
}

func (p *lockParser) parse(line string) error {
	switch word, rest, _ := strings.Cut(line, " "); {
	case line == "", line[0] == '#':
		return nil
	case conflict(line):
		return p.fail(1, hintConflict, "unresolved merge conflict")
	case word == "config" && rest != "":
		p.lock.config = rest
		return p.unique("config", 1)
	case word == "file":
		return p.file(rest, len("file ")+1)
	case word == "stage":
		return p.stage(rest, len("stage ")+1)
	default:
		return p.fail(1, hintRestore, "the line starts with %q, not with config, file or stage", word)
	}
}

func (p *lockParser) file(text string, col int) error {
	var e Entry
	text, e.Exec = strings.CutSuffix(text, " +x")
	i := strings.LastIndexByte(text, ' ')
	j := strings.LastIndexByte(text[:max(i, 0)], ' ')
	if j < 0 {
		return p.fail(col, hintRestore, "the line is not \"file PATH sha256:HEX STAGE\"")
	}
	e.Path, e.Sum, e.Stage = text[:j], text[j+1:i], text[i+1:]
	if err := checkPath(e.Path); err != nil {
		return p.fail(col, hintRestore, "bad path %q: %v", e.Path, err)
	}
	if !isSum(e.Sum) {
		return p.fail(col+j+1, hintRestore, "bad hash %q of %q: not sha256: and 64 lower-case hex digits", e.Sum, e.Path)
	}
	if err := checkStage(e.Stage); err != nil {
		return p.fail(col+i+1, hintRestore, "bad stage: %v", err)
	}
	if err := p.unique("file "+e.Path, col); err != nil {
		return err
	}
	p.lock.files[e.Path] = e
	return nil
}

func (p *lockParser) stage(text string, col int) error {
	name, seal, ok := strings.Cut(text, " ")
	if !ok {
		return p.fail(col, hintRestore, "the line is not \"stage STAGE sha256:HEX\"")
	}
	if err := checkStage(name); err != nil {
		return p.fail(col, hintRestore, "bad stage: %v", err)
	}
	if seal == "-" {
		seal = ""
	} else if !isSum(seal) {
		return p.fail(col+len(name)+1, hintRestore, "bad hash %q of stage %q: not sha256: and 64 lower-case hex digits", seal,
			name)
	}
	if err := p.unique("stage "+name, col); err != nil {
		return err
	}
	p.lock.seals[name] = seal
	return nil
}

func (p *lockParser) unique(what string, col int) error {
	if first, ok := p.seen[what]; ok {
		return p.fail(col, hintDuplicate, "second line for %s, the first is line %d", what, first)
	}
	p.seen[what] = p.line
	return nil
}

// conflict tells git's markers; no path holds < > or |, and no line begins so.
func conflict(line string) bool {
	for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

func isSum(s string) bool {
	digits, ok := strings.CutPrefix(s, sumPrefix)
	if !ok || len(digits) != 64 {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}
