package golang

import (
	"strings"

	"github.com/flux-framework/flux-operator/sdkgen/internal/api/model"
	"github.com/flux-framework/flux-operator/sdkgen/internal/render"
)

// API is what api.mustache prints for a root kind: its client's names, and whether it has the
// operations that the API server does not publish for all kinds.
type API struct {
	Kind       string `json:"kind"`       // the model
	List       string `json:"list"`       // the model of its list
	Client     string `json:"client"`     // type of the kind's client
	Accessor   string `json:"accessor"`   // method of Client that returns it
	APIVersion string `json:"apiVersion"` // a Go literal, as the next ones
	TypeKind   string `json:"typeKind"`   // the kind as the server has it
	Group      string `json:"group"`      //
	Version    string `json:"version"`    //
	Plural     string `json:"plural"`     // the resource's name
	Namespaced bool   `json:"namespaced"` // its objects are in namespaces

	Status bool `json:"status"` // has that subresource
	Scale  bool `json:"scale"`  // the same

	Deprecated string `json:"deprecated,omitempty"` // last lines of the accessor's comment

	// expression for those of the status of an object x, if they are of metav1.Condition
	Conditions string `json:"conditions,omitempty"`
	NilStatus  string `json:"nilStatus,omitempty"` // expression for that x has no status, if that can be
}

// operations returns the operations of the root kinds that have clients, those of a kind in a class and a file of their
// own. The first one of a kind has its API; it stands for the kind where the document has no paths of it.
func operations(api *model.API, taken declared, problems *model.Unrepresentables) []render.Operation {
	var out []render.Operation
	accessors := declared{}
	for _, definition := range api.Definitions {
		if definition.Root == nil || definition.Root.List == nil {
			continue
		}
		printed, rename := apiOf(definition), definition.RenameHint()
		for _, problem := range taken.take(definition.Name, printed.Client, "api_"+render.FileName(definition.Name)+".go") {
			problems.Add(definition, "", rename, "%s", problem)
		}
		if other, ok := accessors[printed.Accessor]; ok {
			problems.Add(definition, "", rename, "%s and %s would both be Client.%s in Go", other, definition.Name,
				printed.Accessor)
		}
		accessors[printed.Accessor] = definition.Name
		ids := operationsOf(api, definition.Root)
		if len(ids) == 0 {
			ids = []string{"use" + definition.Name}
		}
		for i, id := range ids {
			op := render.Operation{Tag: definition.Name, ID: id}
			if i == 0 {
				op.Value = printed
			}
			out = append(out, op)
		}
	}
	return out
}

// operationsOf returns the ids of the operations on the paths of a resource.
func operationsOf(api *model.API, root *model.Root) []string {
	var ids []string
	for _, op := range api.Operations {
		_, path, _ := strings.Cut(op.Path, "/"+root.Version+"/")
		resource, _, _ := strings.Cut(strings.TrimPrefix(path, "namespaces/{namespace}/"), "/")
		if resource == root.Plural {
			ids = append(ids, op.ID)
		}
	}
	return ids
}

// apiOf returns what the templates print for the client of a root kind.
func apiOf(definition *model.Definition) *API {
	name, root := definition.Name, definition.Root
	api := &API{
		Kind: name, List: root.List.Name, Client: name + "Client", Accessor: accessor(name, root.Plural),
		APIVersion: quote(root.GroupVersion().String()), TypeKind: quote(root.Kind),
		Group: quote(root.Group), Version: quote(root.Version), Plural: quote(root.Plural),
		Namespaced: root.Namespaced, Status: root.Status, Scale: root.Scale, Deprecated: deprecation(definition),
	}
	api.findConditions(definition)
	return api
}

// findConditions fills in how to reach the conditions of a root kind.
func (a *API) findConditions(definition *model.Definition) {
	status := fieldOf(definition.Fields, "status")
	if status == nil || status.Shape != model.Reference || status.Definition.Kubernetes {
		return
	}
	conditions := fieldOf(status.Definition.Fields, "conditions")
	if conditions == nil || conditions.Shape != model.Array || conditions.Elem == nil {
		return
	}
	if elem := conditions.Elem; elem.Shape != model.Reference || elem.Definition.GoType != metaCondition {
		return
	}
	a.Conditions = "x.Status.Conditions"
	if !status.Mandatory {
		a.NilStatus = "x.Status == nil"
	}
}

// fieldOf returns the field of a key, nil if there is none.
func fieldOf(fields []*model.Field, key string) *model.Field {
	for _, field := range fields {
		if field.Key == key {
			return field
		}
	}
	return nil
}

// accessor spells a plural in the kind's capitals: MiniClusters, Policies.
func accessor(kind, plural string) string {
	same := 0
	for same < min(len(kind), len(plural)) && strings.ToLower(kind)[same] == plural[same] {
		same++
	}
	if 2*same < len(kind) {
		return goName(plural)
	}
	return goName(kind[:same] + plural[same:])
}
