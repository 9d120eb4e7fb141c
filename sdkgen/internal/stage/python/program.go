package python

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
)

// Program returns a program that makes an object of a root kind with the classes of an SDK, which is imported as
// module. The object is what the API server takes; fields of it that no class has are an error.
func Program(definition *model.Definition, module string, object map[string]any) (string, error) {
	p := &program{references: newReferences()}
	generated, err := p.object(definition, object)
	if err != nil {
		return "", err
	}
	var imports []string
	for _, from := range []struct {
		module string
		names  map[string]bool
	}{{"kubernetes.client", p.external}, {module, p.imports}} {
		if len(from.names) > 0 {
			imports = append(imports, fromImport(from.module, slices.Sorted(maps.Keys(from.names))...).render(0)+"\n")
		}
	}
	text := strings.Join(imports, "\n") + "\n" + generated.after("sample = ").render(0) + "\n"
	if p.times {
		text = "from datetime import datetime\n\n" + text
	}
	return text, nil
}

// program notes what a program imports.
type program struct {
	references
	times bool
}

// object returns the call of a class.
func (p *program) object(definition *model.Definition, object map[string]any) (source, error) {
	input := maps.Clone(object)
	var arguments []source
	for _, field := range definition.Fields {
		value, ok := input[field.Key]
		delete(input, field.Key)
		if !ok || definition.Root != nil && (field.Key == "apiVersion" || field.Key == "kind") {
			continue
		}
		argument, err := p.value(&field.Type, value)
		if err != nil {
			return source{}, err
		}
		arguments = append(arguments, argument.after(attribute(field.Key)+"="))
	}
	for _, key := range slices.Sorted(maps.Keys(input)) {
		return source{}, fmt.Errorf("the class %s has no attribute for %q", definition.Name, key)
	}
	return group(p.use(definition)+"(", ")", arguments...), nil
}

func (p *program) value(t *model.Type, value any) (source, error) {
	switch value := value.(type) {
	case map[string]any:
		if t != nil && t.Shape == model.Reference {
			return p.object(t.Definition, value)
		}
		var items []source
		for _, key := range slices.Sorted(maps.Keys(value)) {
			item, err := p.value(elemOf(t), value[key])
			if err != nil {
				return source{}, err
			}
			items = append(items, item.after(Literal(key)+": "))
		}
		return group("{", "}", items...), nil
	case []any:
		var items []source
		for _, one := range value {
			item, err := p.value(elemOf(t), one)
			if err != nil {
				return source{}, err
			}
			items = append(items, item)
		}
		return group("[", "]", items...), nil
	case string:
		if t != nil && t.Shape == model.Time {
			p.times = true
			return atom("datetime.fromisoformat(" + Literal(strings.Replace(value, "Z", "+00:00", 1)) + ")"), nil
		}
	}
	return valueOf(value), nil
}

func elemOf(t *model.Type) *model.Type {
	if t == nil {
		return nil
	}
	return t.Elem
}
