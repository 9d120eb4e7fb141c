package prove_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

var (
	fieldPattern  = regexp.MustCompile("(?m)^(\t//.*\n)+\t[A-Z]\\w* .*`json:.*`\n")
	markerPattern = regexp.MustCompile(`(?m)^\t// \+.*\n`)
	numberPattern = regexp.MustCompile(`=\d+`)
	linePattern   = regexp.MustCompile("(?m)^(\t[A-Z]\\w*) (\\S+) `json")
	namePattern   = regexp.MustCompile("`json:\"\\w+")
	structPattern = regexp.MustCompile(`(?m)^type (\w+) struct \{\n`)
	textPattern   = regexp.MustCompile("(?m)^\tName string `json|^\tPath string `json|^\tKey string `json")
	statusPattern = regexp.MustCompile(`(?s)type MiniClusterStatus struct \{\n.*?\n\}\n`)
	specPattern   = regexp.MustCompile(`(?s)type MiniClusterSpec struct \{\n.*?\n\}\n`)
	innerPattern  = regexp.MustCompile("(?m)^(\t//.*\n)+\t[A-Z]\\w* \\*[A-Z]\\w* `json:.*`\n")
)

var newTypes = []string{
	"string", "*string", "int32", "*int64", "bool", "[]string", "map[string]string", "[]int32", "[]Secret",
	"map[string]Secret", "*FluxBroker", "map[string][]string", "map[string]int32",
}

// newMarkers are markers by the Go types that take them.
var newMarkers = []struct{ types, marker string }{
	{"string", "+kubebuilder:validation:MinLength=2"}, {"string", "+kubebuilder:validation:MaxLength=3"},
	{"string", "+kubebuilder:validation:Pattern=`^[a-m]*$`"},
	{"string", "+kubebuilder:validation:Enum=a;b"}, {"string", `+kubebuilder:default="x"`},
	{"string", `+kubebuilder:validation:XValidation:rule="self.size() < 3"`},
	{"string", "+kubebuilder:validation:Format=ipv4"}, {"string", "+kubebuilder:validation:Format=semver"},
	{"int", "+kubebuilder:validation:Minimum=2"}, {"int", "+kubebuilder:validation:Maximum=4"},
	{"int", "+kubebuilder:default=1"}, {"int", "+kubebuilder:validation:MultipleOf=2"},
	{"int", `+kubebuilder:validation:XValidation:rule="self > 1"`}, {"int", "+kubebuilder:validation:Format=int32"},
	{"[]", "+kubebuilder:validation:MaxItems=1"}, {"[]", "+kubebuilder:validation:MinItems=1"},
	{"[]string", "+listType=set"}, {"[]", "+listType=atomic"},
	{"[]string", "+kubebuilder:validation:items:MaxLength=2"}, {"[]string", "+kubebuilder:validation:items:Enum=a;b"},
	{"[]string", "+kubebuilder:validation:items:Pattern=`^[a-m]*$`"},
	{"[]int", "+kubebuilder:validation:items:Minimum=2"}, {"[]int", "+kubebuilder:validation:items:Maximum=4"},
	{"[]int", "+listType=set"},
	{"[]BurstedCluster", "+listType=map\n\t// +listMapKey=name"},
	{"[]BurstedCluster", "+listType=map\n\t// +listMapKey=name\n\t// +listMapKey=size"},
	{"[]MiniClusterUser", "+listType=map\n\t// +listMapKey=name"}, {"[]MiniClusterUser", "+listType=atomic"},
	{"[]string", `+kubebuilder:default={"a"}`}, {"map[string]string", `+kubebuilder:default={"a":"b"}`},
	{"Flux", "+kubebuilder:default={}"}, {"LoggingSpec", "+kubebuilder:default={quiet:true}"},
	{"map", "+kubebuilder:validation:MinProperties=1"}, {"map", "+kubebuilder:validation:MaxProperties=1"},
	{"map", "+mapType=atomic"}, {"*", "+nullable"}, {"", "+required"}, {"", "+optional"},
}

// marked adds a marker that suits the type to the source of a field.
func marked(random *rand.Rand, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	goType := strings.Fields(lines[len(lines)-1])[1]
	var suit []string
	for _, m := range newMarkers {
		if strings.HasPrefix(strings.TrimPrefix(goType, "*"), m.types) || m.types == "*" && strings.HasPrefix(goType, "*") {
			suit = append(suit, m.marker)
		}
	}
	marker := suit[random.IntN(len(suit))]
	name, _, _ := strings.Cut(marker, "=")
	kept := []string{"\t// " + marker}
	for _, line := range strings.Split(text, "\n") {
		same := strings.HasPrefix(line, "\t// "+name) && !strings.Contains(line, "XValidation")
		other := marker == "+required" && line == "\t// +optional" || marker == "+optional" && line == "\t// +required"
		input := strings.Contains(line, "+default=") && !strings.HasPrefix(marker, "+") ||
			name == "+required" && strings.Contains(line, "default=")
		listed := name == "+listType" && strings.Contains(line, "+listMapKey")
		if !same && !other && !input && !listed {
			kept = append(kept, line)
		}
	}
	text = strings.Join(kept, "\n")
	if marker == "+required" {
		text = strings.Replace(text, ",omitempty", "", 1)
	}
	return text
}

// retyped gives a field another type, without the markers of the old one.
func retyped(random *rand.Rand, text string) string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "\t// +") || line == "\t// +optional" || line == "\t// +required" {
			kept = append(kept, line)
		}
	}
	return linePattern.ReplaceAllString(strings.Join(kept, "\n"), "$1 "+newTypes[random.IntN(len(newTypes))]+" `json")
}

// editor edits sources.
type editor struct {
	*rand.Rand
	sources map[string]string
	what    []string
}

// replace replaces one match of a pattern in a file.
func (e *editor) replace(name string, pattern *regexp.Regexp, by func(string) string) {
	data := e.sources[name]
	at := pattern.FindAllStringIndex(data, -1)
	if len(at) == 0 {
		return
	}
	i := at[e.IntN(len(at))]
	text := by(data[i[0]:i[1]])
	e.what = append(e.what, fmt.Sprintf("%s: %q for %q", name, text, data[i[0]:i[1]]))
	e.sources[name] = data[:i[0]] + text + data[i[1]:]
}

// edit makes one edit of a file.
func (e *editor) edit(name string) {
	switch e.IntN(16) {
	case 0:
		e.replace(name, fieldPattern, func(string) string { return "" })
	case 1:
		e.replace(name, markerPattern, func(string) string { return "" })
	case 2:
		e.replace(name, numberPattern, func(string) string { return fmt.Sprintf("=%d", e.IntN(20)) })
	case 3, 4:
		e.replace(name, fieldPattern, func(text string) string { return retyped(e.Rand, text) })
	case 5:
		e.replace(name, namePattern, func(text string) string { return text + "Other" })
	case 6:
		e.embed(name)
	case 7:
		e.rename(name)
	case 8:
		e.rule(name)
	case 9:
		e.enum(name)
	case 10:
		e.move()
	case 11:
		e.replace("minicluster_types.go", statusPattern, func(text string) string {
			return fieldPattern.ReplaceAllStringFunc(text, func(field string) string {
				if e.IntN(3) > 0 {
					return field
				}
				return marked(e.Rand, field)
			})
		})
	case 12:
		e.add(name)
	default:
		e.replace(name, fieldPattern, func(text string) string { return marked(e.Rand, text) })
	}
}

// embed puts the fields of a struct into the one around it.
func (e *editor) embed(name string) {
	e.replace(name, innerPattern, func(text string) string {
		lines := strings.Split(strings.TrimSpace(text), "\n")
		return "\t" + strings.TrimPrefix(strings.Fields(lines[len(lines)-1])[1], "*") + " `json:\",inline\"`\n"
	})
}

// rename gives a type another name.
func (e *editor) rename(name string) {
	found := structPattern.FindAllStringSubmatch(e.sources[name], -1)
	old := found[e.IntN(len(found))][1]
	if old == "MiniCluster" || old == "MiniClusterList" {
		return
	}
	for _, file := range slices.Sorted(maps.Keys(e.sources)) {
		e.sources[file] = regexp.MustCompile(`([\s*\]])`+old+`( struct|\s+`+"`"+`)`).ReplaceAllString(e.sources[file],
			"${1}"+old+"Renamed$2")
	}
	e.what = append(e.what, "renamed "+old)
}

// rule adds a CEL rule to a struct.
func (e *editor) rule(name string) {
	e.replace(name, regexp.MustCompile(`(?m)^type \w+ struct \{\n(\t//.*\n)*\t[A-Z]\w* (string|int32|bool) .json:"\w+`),
		func(text string) string {
			key := text[strings.LastIndex(text, `"`)+1:]
			rule := map[string]string{"string": "size(self.%s) < 4", "int32": "self.%s > 1",
				"bool": "self.%s"}[strings.Fields(text[strings.LastIndex(text, "\t"):])[1]]
			return fmt.Sprintf("// +kubebuilder:validation:XValidation:rule=\"!has(self.%s) || "+rule+"\"\n%s", key, key, text)
		})
}

// enum gives a text an enumeration as its type.
func (e *editor) enum(name string) {
	mode := fmt.Sprintf("Mode%d", e.IntN(1e6))
	e.replace(name, textPattern, func(text string) string { return strings.Replace(text, " string ", " "+mode+" ", 1) })
	e.sources[name] += "\n// " + mode + " is one of two.\n// +kubebuilder:validation:Enum=a;bb\ntype " + mode + " string\n"
}

// move moves a field from the spec to the status.
func (e *editor) move() {
	const name = "minicluster_types.go"
	moved := ""
	e.replace(name, specPattern, func(text string) string {
		fields := fieldPattern.FindAllString(text, -1)
		if len(fields) == 0 {
			return text
		}
		moved = fields[e.IntN(len(fields))]
		return strings.Replace(text, moved, "", 1)
	})
	e.replace(name, statusPattern, func(text string) string {
		return strings.Replace(text, "{\n", "{\n"+strings.Replace(moved, "\tSize ", "\tWanted ", 1), 1)
	})
}

// add adds a field, which may be required.
func (e *editor) add(name string) {
	field := []string{
		"\t// +optional\n\tAdded string `json:\"added,omitempty\"`\n", "\t// +required\n\tAdded string `json:\"added\"`\n",
		"\t// +optional\n\t// +kubebuilder:default={name:\"x\",key:\"y\"}\n\tAdded *Secret `json:\"added,omitempty\"`\n",
		"\t// +optional\n\t// +kubebuilder:default=1\n\tAdded int32 `json:\"added,omitempty\"`\n",
	}[e.IntN(4)]
	e.replace(name, structPattern, func(text string) string { return text + "\t// added is new.\n" + field })
}

// edit returns the sources with up to two edits, and what they are.
func edit(random *rand.Rand, sources map[string]string) (map[string]string, string) {
	e := &editor{Rand: random, sources: maps.Clone(sources)}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if strings.HasSuffix(name, "_types.go") {
			names = append(names, name)
		}
	}
	for range 1 + random.IntN(2) {
		e.edit(names[random.IntN(len(names))])
	}
	return e.sources, strings.Join(e.what, "; ")
}
