package scaffold

import (
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// codegen is how the project calls gen_client of code-generator's kube_codegen.sh.
type codegen struct {
	dir     string   // where the clients are; "" if there is no call, or it says so only at run time
	options []string // of sdkgen.yaml, a line each
	unread  []string // flags whose value is known only at run time
	pos     token.Position
}

// An external of --applyconfig-externals, wherever it is in the script: most collect them in a list.
var external = regexp.MustCompile(`[\w./-]+/[\w./-]+\.[A-Z]\w*:[\w./-]+`)

// sameValue are the flags of gen_client whose value is that of a key in sdkgen.yaml.
var sameValue = [][2]string{
	{"--clientset-name", "clientsetName"}, {"--versioned-name", "versionedName"},
	{"--applyconfig-name", "applyconfigName"},
	{"--listers-name", "listersName"}, {"--informers-name", "informersName"},
}

// readCodegen looks for the first call of gen_client.
func (p *project) readCodegen(scripts []script) codegen {
	for _, s := range scripts {
		for _, l := range s.lines {
			words := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(l.text))
			if len(words) > 0 && strings.HasSuffix(words[0], "gen_client") {
				return p.parseCodegen(s, words[1:], l.pos)
			}
		}
	}
	return codegen{}
}

func (p *project) parseCodegen(s script, words []string, pos token.Position) codegen {
	c := codegen{pos: pos}
	value := func(flag string) string {
		i := slices.Index(words, flag)
		if i < 0 || i+1 == len(words) {
			return ""
		}
		return words[i+1]
	}
	if c.dir = p.below(value("--output-dir")); c.dir == "" {
		c.unread = append(c.unread, "--output-dir")
	}
	for _, flag := range sameValue {
		switch name := value(flag[0]); {
		case strings.Contains(name, "$"):
			c.unread = append(c.unread, flag[0])
		case name != "":
			c.options = append(c.options, flag[1]+": "+name)
		}
	}
	for _, flag := range [][2]string{{"--with-applyconfig", "withApplyconfig"}, {"--with-watch", "withWatch"}} {
		if !slices.Contains(words, flag[0]) {
			c.options = append(c.options, flag[1]+": false")
		}
	}
	c.list("--applyconfig-externals", "applyconfigExternals", value, s.externals())
	c.list("--plural-exceptions", "pluralExceptions", value, strings.Split(value("--plural-exceptions"), ","))
	if slices.Contains(words, "--prefers-protobuf") {
		c.options = append(c.options, "prefersProtobuf: true")
	}
	if api := value("--one-input-api"); api != "" {
		if dir := p.below(path.Join(words[len(words)-1], api)); dir != "" {
			c.options = append(c.options, "oneInputApi: "+dir)
		} else {
			c.unread = append(c.unread, "--one-input-api")
		}
	}
	return c
}

// list adds a key with a list, if the flag is there.
func (c *codegen) list(flag, key string, value func(string) string, values []string) {
	if value(flag) == "" {
		return
	}
	if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, "$") }) {
		c.unread = append(c.unread, flag)
		return
	}
	c.options = append(c.options, key+":")
	for _, v := range values {
		c.options = append(c.options, "  - "+v)
	}
}

// externals are all that the script names.
func (s script) externals() []string {
	var found []string
	for _, l := range s.lines {
		for _, name := range external.FindAllString(l.text, -1) {
			if !slices.Contains(found, name) && !strings.Contains(name, "://") {
				found = append(found, name)
			}
		}
	}
	return found
}

// below returns a directory of the project that a script names, "" if it is not there. A variable at its beginning is
// most likely the project's root.
func (p *project) below(dir string) string {
	if strings.HasPrefix(dir, "$") {
		_, dir, _ = strings.Cut(dir, "/")
	}
	dir = path.Clean(dir)
	if info, err := fs.Stat(p.tree, dir); err != nil || !info.IsDir() || dir == "." {
		return ""
	}
	return dir
}

// renderClients is the section for code-generator's packages.
func (p *project) renderClients() string {
	text := "clients:\n  dir: " + p.dirs[Clients] + "\n"
	for _, option := range p.codegen.options {
		text += "  " + option + "\n"
	}
	return text
}
