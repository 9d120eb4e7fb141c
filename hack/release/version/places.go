package version

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Source is the file that says which version the project has. All others follow it.
const Source = "sdkgen.yaml"

// A place is where a version stands: every match of a pattern's first group in the files that a glob names.
type place struct {
	glob    string // a glob with a slash is a path, one without is the name of a file in any directory
	pattern *regexp.Regexp
}

const number = `(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)`

// places are all files that repeat the version, besides those that sdkgen generates.
var places = []place{
	{Source, regexp.MustCompile(`(?m)^version: ` + number)},
	{"go.mod", regexp.MustCompile(`github\.com/flux-framework/flux-operator(?:/\S+)? v` + number)},
	{"sdkgen/action.yml", regexp.MustCompile(`(?m)^    description: Version of sdkgen to install\n    default: ` + number +
		`$`)},
	{"charts/flux-operator/Chart.yaml", regexp.MustCompile(`(?m)^(?:version|appVersion): ["']?` + number)},
	{"config/manager/kustomization.yaml", regexp.MustCompile(`(?m)^  newTag: ["']?v?` + number)},
	{"docs/use/install.md", regexp.MustCompile(`(?:sdkgen==|rev: v|flux-operator/sdkgen@v)` + number)},
}

// ignored are files, named by their path, that of a directory or a base name, which may name the version without being
// a place.
var ignored = []struct{ path, reason string }{
	{"go.mod", "is a place where it names this project's modules; the other versions are those of others"},
	{"go.sum", "has the versions of modules that others wrote"},
	{"CHANGELOG.md", "tells of all versions"},
	{"sdkgen.lock", "is generated"},
	{"docs/use/breaking.md", "names versions of other projects"},
	{"docs/contribute/releasing.md", "has examples"},
	{"test/e2e/upgrade_test.go", "upgrades from an earlier version"},
	{"hack/release/", "has examples"},
	{"sdkgen/internal/cli/breaking.go", "has an example"},
	{"test/e2e/upgrade_test.go", "says what changed in which version"},
}

// Mention is a line of a file that names a version.
type Mention struct {
	File    string
	Line    int
	Version string
}

func (m Mention) String() string { return fmt.Sprintf("%s:%d: %s", m.File, m.Line, m.Version) }

// Read returns the version in sdkgen.yaml of the project in a directory.
func Read(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, Source))
	if err != nil {
		return "", err
	}
	return Of(data)
}

// Of returns the version that a sdkgen.yaml has.
func Of(data []byte) (string, error) {
	match := places[0].pattern.FindSubmatch(data)
	if match == nil {
		return "", fmt.Errorf("%s has no line version: MAJOR.MINOR.PATCH", Source)
	}
	return string(match[1]), nil
}

// Disagreements says, a line each, which places have another version than sdkgen.yaml, and which other lines name the
// version of sdkgen.yaml, which a release would leave behind.
func Disagreements(dir string, files []string) ([]string, error) {
	want, err := Read(dir)
	if err != nil {
		return nil, err
	}
	found, err := Places(dir, files)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, mention := range found {
		if mention.Version != want {
			wrong = append(wrong, fmt.Sprintf("%s, but %s has %s; correct it", mention, Source, want))
		}
	}
	unknown, err := Unknown(dir, files, want)
	for _, mention := range unknown {
		wrong = append(wrong,
			fmt.Sprintf(
				"%s: make release does not know this place; add it to places or ignored in hack/release/version/places.go",
				mention))
	}
	return wrong, err
}

// Places returns what the places among the files of a project say.
func Places(dir string, files []string) ([]Mention, error) {
	var found []Mention
	err := each(dir, files, func(file string, p place, data []byte) error {
		for _, at := range p.pattern.FindAllSubmatchIndex(data, -1) {
			found = append(found, Mention{file, line(data, at[2]), string(data[at[2]:at[3]])})
		}
		return nil
	})
	return found, err
}

// Set writes a version into all places among the files of a project.
func Set(dir string, files []string, version string) error {
	return each(dir, files, func(file string, p place, data []byte) error {
		var out []byte
		end := 0
		for _, at := range p.pattern.FindAllSubmatchIndex(data, -1) {
			out = append(append(out, data[end:at[2]]...), version...)
			end = at[3]
		}
		if end == 0 {
			return nil
		}
		name := filepath.Join(dir, filepath.FromSlash(file))
		return os.WriteFile(name, append(out, data[end:]...), 0o644)
	})
}

// each calls a function for each place. It is an error if a place is not there, or names no version; go.mod may.
func each(dir string, files []string, visit func(file string, p place, data []byte) error) error {
	for _, p := range places {
		seen := false
		for _, file := range files {
			if !p.has(file) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil {
				return err
			}
			seen = seen || p.pattern.Match(data)
			if err := visit(file, p, data); err != nil {
				return err
			}
		}
		if !seen {
			return fmt.Errorf("%s: the version is expected here; correct the table in hack/release/version/places.go", p.glob)
		}
	}
	return nil
}

func (p place) has(file string) bool {
	if !strings.Contains(p.glob, "/") && p.glob != Source {
		return path.Base(file) == p.glob && !strings.Contains(file, "testdata/")
	}
	return file == p.glob
}

// Unknown returns the lines of a project's files that name a version outside of the places.
func Unknown(dir string, files []string, version string) ([]Mention, error) {
	pattern := regexp.MustCompile(`(?:^|[^0-9A-Za-z.+-]|[^0-9A-Za-z.]v)` + regexp.QuoteMeta(version) +
		`(?:$|[^0-9A-Za-z.+-]|\.(?:$|[^0-9]))`)
	known := map[Mention]bool{}
	mentions, err := Places(dir, files)
	if err != nil {
		return nil, err
	}
	for _, mention := range mentions {
		known[mention] = true
	}
	generated, err := locked(dir)
	if err != nil {
		return nil, err
	}
	var found []Mention
	for _, file := range files {
		if skipped(file) || generated[file] {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		for number, text := range strings.Split(string(data), "\n") {
			mention := Mention{file, number + 1, version}
			if pattern.MatchString(text) && !known[mention] {
				found = append(found, mention)
			}
		}
	}
	return found, nil
}

// locked returns the files that sdkgen generates, which sdkgen.lock lists.
func locked(dir string) (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, "sdkgen.lock"))
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	for text := range strings.Lines(string(data)) {
		if fields := strings.Fields(text); len(fields) > 2 && fields[0] == "file" {
			files[fields[1]] = true
		}
	}
	return files, nil
}

func skipped(file string) bool {
	for _, i := range ignored {
		if file == i.path || path.Base(file) == i.path || strings.HasSuffix(i.path, "/") && strings.HasPrefix(file, i.path) {
			return true
		}
	}
	return strings.Contains(file, "testdata/")
}

func line(data []byte, at int) int {
	return 1 + strings.Count(string(data[:at]), "\n")
}
