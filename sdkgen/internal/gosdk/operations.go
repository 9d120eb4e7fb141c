package gosdk

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/spec"

	"github.com/flux-framework/flux-operator/sdkgen/internal/swagger"
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
}

// operations returns paths from which the jar takes what it has to know: for each root kind that
// the document has paths of, one operation with its API, in a class and a file of its own.
func operations(doc *spec.Swagger, taken declared, unfit *swagger.Unfits) *spec.Paths {
	out := &spec.Paths{Paths: map[string]spec.PathItem{}}
	if doc.Paths == nil {
		return out
	}
	accessors := declared{}
	for _, name := range slices.Sorted(maps.Keys(doc.Definitions)) {
		api := apiOf(doc, name)
		if api == nil {
			continue
		}
		rename := swagger.RenameHint(doc.Definitions[name])
		for _, problem := range taken.take(name, api.Client, "api_"+fileName(name)+".go") {
			unfit.Add(name, "", rename, "%s", problem)
		}
		if other, ok := accessors[api.Accessor]; ok {
			unfit.Add(name, "", rename, "%s and %s would both be Client.%s in Go", other, name, api.Accessor)
		}
		accessors[api.Accessor] = name
		op := &spec.Operation{OperationProps: spec.OperationProps{ID: "use" + name, Tags: []string{name}, Responses: &spec.Responses{
			ResponsesProps: spec.ResponsesProps{StatusCodeResponses: map[int]spec.Response{200: {ResponseProps: spec.ResponseProps{Description: "OK"}}}},
		}}}
		op.AddExtension(Extension, api)
		out.Paths["/"+name] = spec.PathItem{PathItemProps: spec.PathItemProps{Get: op}}
	}
	return out
}

// apiOf returns what a root kind's client has, nil if the definition is none or has no paths.
func apiOf(doc *spec.Swagger, name string) *API {
	gvk, isKind := swagger.KindOf(doc.Definitions[name])
	plural := swagger.PluralOf(doc.Definitions[name])
	if !isKind || plural == "" {
		return nil
	}
	root := "/apis/" + gvk.Group + "/" + gvk.Version + "/"
	all, inNamespaces := doc.Paths.Paths[root+"namespaces/{namespace}/"+plural]
	if !inNamespaces {
		all = doc.Paths.Paths[root+plural]
	} else {
		root += "namespaces/{namespace}/"
	}
	_, status := doc.Paths.Paths[root+plural+"/{name}/status"]
	_, scale := doc.Paths.Paths[root+plural+"/{name}/scale"]
	list := listOf(all)
	if list == "" {
		return nil
	}
	return &API{
		Kind: name, List: list, Client: name + "Client", Accessor: accessor(name, plural),
		APIVersion: quote(gvk.GroupVersion().String()), TypeKind: quote(gvk.Kind),
		Group: quote(gvk.Group), Version: quote(gvk.Version), Plural: quote(plural),
		Namespaced: inNamespaces, Status: status, Scale: scale,
	}
}

// listOf returns the model that a path's GET answers with.
func listOf(item spec.PathItem) string {
	if item.Get == nil || item.Get.Responses == nil || item.Get.Responses.StatusCodeResponses[200].Schema == nil {
		return ""
	}
	return swagger.Referenced(*item.Get.Responses.StatusCodeResponses[200].Schema)
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
