package scaffold

import (
	"bytes"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// call is one generator of a call of controller-gen: crd:maxDescLen=0 is the generator crd with an option.
type call struct {
	generator string
	options   map[string]string
	names     []string // of the options, in order
	outputs   []string // values of output:GENERATOR:…=, then of output:dir=
	pos       token.Position
}

// script is a file that may call controller-gen.
type script struct {
	name      string
	variables map[string]variable
	lines     []line
}

type variable struct {
	value string
	pos   token.Position
}

// line is a logical line: one that ends in a backslash goes on.
type line struct {
	text string
	pos  token.Position
}

// readScripts reads the Makefiles, the shell scripts in hack/ and the go:generate lines that there are.
func (p *project) readScripts() ([]script, error) {
	var names []string
	for _, pattern := range []string{"GNUmakefile", "Makefile", "makefile", "Makefile*.mk", "*.mk", "hack/*.sh",
		"hack/*/*.sh", "*.go", "hack/*.go"} {
		found, err := fs.Glob(p.tree, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	for _, api := range p.apis {
		names = append(names, api.files...)
	}
	var scripts []script
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		data, err := fs.ReadFile(p.tree, name)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, parseScript(name, data))
	}
	return scripts, nil
}

var assignment = regexp.MustCompile(`^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*(?::|::|\?)?=\s*(.*?)\s*$`)

// parseScript splits a script into logical lines, and finds the variables that it sets to a text. Of a Go
// file only the go:generate lines count.
func parseScript(name string, data []byte) script {
	s := script{name: name, variables: map[string]variable{}}
	isGo := path.Ext(name) == ".go"
	number, open := 0, false
	for raw := range bytes.Lines(data) {
		number++
		text := strings.TrimRight(string(raw), "\r\n")
		if isGo {
			directive, ok := strings.CutPrefix(text, "//go:generate ")
			if !ok {
				continue
			}
			text = directive
		}
		trimmed, goesOn := strings.CutSuffix(text, `\`)
		if open {
			s.lines[len(s.lines)-1].text += " " + trimmed
		} else {
			s.lines = append(s.lines, line{trimmed, token.Position{Filename: name, Line: number, Column: 1}})
		}
		open = goesOn && !isGo
	}
	for _, l := range s.lines {
		if m := assignment.FindStringSubmatch(l.text); m != nil {
			if _, set := s.variables[m[1]]; !set {
				s.variables[m[1]] = variable{strings.Trim(m[2], `"'`), l.pos}
			}
		}
	}
	return s
}

var reference = regexp.MustCompile(`\$[({]([A-Za-z_][A-Za-z0-9_]*)(?::-[^})]*)?[)}]`)

// expand replaces references to variables that are set to a text.
func expand(text string, variables map[string]variable) string {
	for range 5 { // a variable may refer to others
		next := reference.ReplaceAllStringFunc(text, func(ref string) string {
			name := reference.FindStringSubmatch(ref)[1]
			if v, ok := variables[name]; ok && !strings.Contains(v.value, "$(shell") && name != "CONTROLLER_GEN" {
				return v.value
			}
			return ref
		})
		if next == text {
			break
		}
		text = next
	}
	return text
}

var calls = regexp.MustCompile(`(?i)controller[-_]gen`)

// callsOf returns the generators that a script has controller-gen run.
func callsOf(s script, variables map[string]variable) []call {
	var out []call
	for _, l := range s.lines {
		if !calls.MatchString(l.text) || assignment.MatchString(l.text) || strings.HasPrefix(strings.TrimSpace(l.text), "#") {
			continue
		}
		var found []call
		var outputs []string
		for _, word := range strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(expand(l.text, variables))) {
			generator, rest, _ := strings.Cut(word, ":")
			switch {
			case generator == "output":
				outputs = append(outputs, rest)
			case slices.Contains([]string{"crd", "object"}, generator):
				found = append(found, newCall(generator, rest, l.pos))
			}
		}
		for _, c := range found {
			c.outputs = outputs
			out = append(out, c)
		}
	}
	return out
}

// newCall parses a generator's options: a=1,b={x,y}.
func newCall(generator, options string, pos token.Position) call {
	c := call{generator: generator, options: map[string]string{}, pos: pos}
	depth, start := 0, 0
	for i, r := range options + "," {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case r == ',' && depth == 0:
			if name, value, _ := strings.Cut(options[start:i], "="); name != "" {
				c.names, c.options[name] = append(c.names, name), value
			}
			start = i + 1
		}
	}
	return c
}

// directory returns where a call writes to, in the project; "" if it does not say, or only at run time.
func (p *project) directory(c call) string {
	for _, prefix := range []string{c.generator + ":artifacts:config=", c.generator + ":dir=", "dir="} {
		for _, output := range c.outputs {
			dir, ok := strings.CutPrefix(output, prefix)
			if !ok {
				continue
			}
			if i := strings.LastIndexAny(dir, ")}"); i >= 0 && strings.HasPrefix(dir, "$") {
				dir = strings.TrimPrefix(dir[i+1:], "/") // most likely the project's root
			}
			dir = c.resolve(strings.TrimSuffix(dir, ";"))
			if fs.ValidPath(dir) && dir != "." && !strings.Contains(dir, "$") {
				return dir
			}
		}
	}
	return ""
}

// resolve returns the path, relative to the project's root, of a file that a call names: go generate runs
// in the directory of the package, everything else in the root.
func (c call) resolve(name string) string {
	if path.Ext(c.pos.Filename) == ".go" {
		return path.Join(path.Dir(c.pos.Filename), name)
	}
	return path.Clean(name)
}

// readCalls finds how the project runs controller-gen, and the version that it names.
func (p *project) readCalls() (version variable, err error) {
	scripts, err := p.readScripts()
	if err != nil {
		return variable{}, err
	}
	variables := map[string]variable{}
	for _, s := range scripts {
		for name, v := range s.variables {
			if _, set := variables[name]; !set {
				variables[name] = v
			}
		}
	}
	p.codegen = p.readCodegen(scripts)
	for _, s := range scripts {
		p.calls = append(p.calls, callsOf(s, variables)...)
	}
	for _, s := range scripts {
		if version := versionIn(s); version.value != "" {
			return version, nil
		}
	}
	return variable{}, nil
}

var (
	toolsVariable = regexp.MustCompile(`^(?i)controller_(tools|gen)_ver(sion)?$`)
	toolsVersion  = regexp.MustCompile(`controller-(?:gen|tools)@(v[0-9][0-9A-Za-z.+-]*)`)
	semantic      = regexp.MustCompile(`^v[0-9]+\.[0-9]+`)
)

// versionIn returns the version of controller-gen that a script names.
func versionIn(s script) variable {
	for _, l := range s.lines {
		if m := assignment.FindStringSubmatch(l.text); len(m) > 2 && toolsVariable.MatchString(m[1]) &&
			semantic.MatchString(m[2]) {
			return variable{m[2], l.pos}
		}
		if m := toolsVersion.FindStringSubmatch(l.text); m != nil {
			return variable{m[1], l.pos}
		}
	}
	return variable{}
}
