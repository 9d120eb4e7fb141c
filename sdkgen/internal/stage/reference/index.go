package reference

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// searchIndex is what search.js finds fields in. It has each type once, and the script puts the paths together, so it
// stays small where many kinds have the same types.
type searchIndex struct {
	// Pages are [path, name, apiVersion, number of the type]; apiVersion is empty for a type of Kubernetes.
	Pages [][4]any `json:"pages"`
	// Types are lists of fields: [key, first sentence, number of the type of its value, or -1].
	Types [][][3]any `json:"types"`
}

// indexer numbers the types.
type indexer struct {
	searchIndex
	numbers map[*model.Definition]int
}

// index is the script that sets the search's index: pages that are read from a file system cannot fetch data.
func (s *site) index() ([]byte, error) {
	x := &indexer{numbers: map[*model.Definition]int{}}
	for _, p := range slices.Concat(s.kinds, s.types) {
		apiVersion := ""
		if p.Root != nil && !p.Kubernetes {
			apiVersion = p.Root.GroupVersion().String()
		}
		x.Pages = append(x.Pages, [4]any{p.Path, p.Name, apiVersion, 0})
	}
	for i, p := range s.kinds {
		x.Pages[i][3] = x.number(p.Definition, p.Definition.Fields, false)
	}
	for i, p := range s.types {
		x.Pages[len(s.kinds)+i][3] = x.number(p.Definition, p.Definition.Fields, true)
	}
	var b bytes.Buffer
	b.WriteString("sdkgenIndex = ")
	if err := json.NewEncoder(&b).Encode(x.searchIndex); err != nil { // which escapes what ends a script
		return nil, err
	}
	return b.Bytes(), nil
}

// number adds a type and all that are below it. A flat one is a page of its own, without what is below.
func (x *indexer) number(definition *model.Definition, fields []*model.Field, flat bool) int {
	if n, ok := x.numbers[definition]; ok && definition != nil && !flat {
		return n
	}
	n := len(x.Types)
	if definition != nil && !flat {
		x.numbers[definition] = n
	}
	x.Types = append(x.Types, nil)
	list := [][3]any{}
	for _, field := range fields {
		below := -1
		if d, inner := innermost(&field.Type); !flat && (d != nil && !d.Kubernetes || len(inner) > 0) {
			if d != nil {
				inner = d.Fields
			}
			below = x.number(d, inner, false)
		}
		list = append(list, [3]any{field.Key, sentence(field.Description), below})
	}
	x.Types[n] = list
	return n
}
