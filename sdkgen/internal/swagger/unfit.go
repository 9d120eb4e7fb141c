package swagger

import (
	"fmt"
	"strings"

	"github.com/go-openapi/spec"
)

// Unfit is a definition of a document, or a property of one, that an SDK cannot have as it is.
type Unfit struct {
	Definition string
	Property   string // by its JSON name; empty for the definition itself
	Message    string
	Hint       string
}

// Unfits is an error for all that an SDK cannot have of a document, in the order of its definitions.
type Unfits []Unfit

// Add adds one. property is empty for the definition itself.
func (u *Unfits) Add(definition, property, hint, format string, args ...any) {
	*u = append(*u, Unfit{definition, property, fmt.Sprintf(format, args...), hint})
}

// Err returns the list, nil if it is empty.
func (u Unfits) Err() error {
	if len(u) == 0 {
		return nil
	}
	return u
}

func (u Unfits) Error() string {
	var lines []string
	for _, one := range u {
		lines = append(lines, strings.TrimSuffix(one.Definition+"."+one.Property, ".")+": "+one.Message)
	}
	return strings.Join(lines, "\n")
}

// RenameHint says how a definition gets another name.
func RenameHint(definition spec.Schema) string {
	pkg, name := GoType(definition)
	if name == "" {
		return "rename its type"
	}
	return fmt.Sprintf("give it another name in sdkgen.yaml, such as\nswagger:\n  names:\n    %s.%s: My%[2]s", pkg, name)
}
