package model

import (
	"fmt"
	"strings"
)

// Unrepresentable is a definition, or a field of one, that an SDK's language cannot express as it is.
type Unrepresentable struct {
	Definition *Definition
	Field      string // its key; empty for the definition itself
	Message    string
	Hint       string
}

// Unrepresentables is an error with everything of a document that a language cannot express.
type Unrepresentables []Unrepresentable

// Add notes what the language cannot express of a definition, or of the field of a key.
func (u *Unrepresentables) Add(definition *Definition, field, hint, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	*u = append(*u, Unrepresentable{Definition: definition, Field: field, Message: message, Hint: hint})
}

// Err returns the error, nil if there is nothing that the language cannot express.
func (u Unrepresentables) Err() error {
	if len(u) == 0 {
		return nil
	}
	return u
}

func (u Unrepresentables) Error() string {
	var lines []string
	for _, one := range u {
		lines = append(lines, strings.TrimSuffix(one.Definition.Name+"."+one.Field, ".")+": "+one.Message)
	}
	return strings.Join(lines, "\n")
}

// RenameHint says how to give a definition another name.
func (d *Definition) RenameHint() string {
	if d.GoType.Name == "" {
		return "rename its type"
	}
	return fmt.Sprintf("give it another name in sdkgen.yaml, such as\nswagger:\n  names:\n    %s.%s: My%[2]s",
		d.GoType.Package, d.GoType.Name)
}
