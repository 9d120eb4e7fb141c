package compare

import (
	"strings"

	"sigs.k8s.io/yaml"
)

// Witness shows a change: an object that worked before, and what becomes of it.
type Witness struct {
	Object map[string]any `json:"object"`
	Now    []string       `json:"now"` // what the API server says now, or which fields it drops
}

// String is the object as YAML, with what becomes of it as comments.
func (w *Witness) String() string {
	var b strings.Builder
	for _, line := range w.Now {
		b.WriteString("# " + line + "\n")
	}
	text, err := yaml.Marshal(w.Object)
	if err != nil { // it is decoded JSON
		text = []byte("# " + err.Error() + "\n")
	}
	return b.String() + string(text)
}
