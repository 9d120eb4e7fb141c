package schemas

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// subdomain are the names of custom resources, label those of namespaces.
	subdomain = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	label     = `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// qualified are the keys of labels and annotations, and finalizers.
	qualified  = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`
	annotation = `^([A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*/)?([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$`
	labelValue = `^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
	// segment is a part of a URL's path, as which the names of embedded resources must serve.
	segment = `^([^/%.]|\.[^/%.]|\.\.[^/%])[^/%]*$`
	// generated is what a generated name may begin with.
	generated = `^[a-z0-9][-a-z0-9]*(\.[a-z0-9][-a-z0-9]*)*\.?$`
)

// objectMeta returns the schema of metadata. Names are left to the caller.
func objectMeta() node {
	str := func() node { return node{"type": []any{"string", "null"}} }
	number := func() node { return node{"type": []any{"integer", "null"}} }
	moment := func() node {
		out := str()
		addFormat(out, "date-time")
		return out
	}
	id := func() node { return node{"type": "string", "minLength": 1} }
	keys := func(pattern string) node { return node{"maxLength": 317, "pattern": pattern} }
	properties := node{
		"name": str(), "namespace": str(), "generateName": str(), "selfLink": str(), "uid": str(), "resourceVersion": str(),
		"generation": number(), "creationTimestamp": moment(), "deletionTimestamp": moment(),
		"deletionGracePeriodSeconds": number(),
		"labels": node{
			"type": []any{"object", "null"}, "propertyNames": keys(qualified),
			"additionalProperties": node{"type": []any{"string", "null"}, "maxLength": 63, "pattern": labelValue},
		},
		"annotations": node{"type": []any{"object", "null"}, "propertyNames": keys(annotation),
			"additionalProperties": str()},
		"finalizers": node{"type": []any{"array", "null"},
			"items": node{"type": "string", "maxLength": 317, "pattern": qualified}},
		"ownerReferences": node{"type": []any{"array", "null"}, "items": node{
			"type": "object", "required": []string{"apiVersion", "kind", "name", "uid"}, "additionalProperties": false,
			"properties": node{
				"apiVersion": id(), "kind": id(), "name": id(), "uid": id(),
				"controller": node{"type": []any{"boolean", "null"}}, "blockOwnerDeletion": node{"type": []any{"boolean", "null"}},
			},
		}},
		"managedFields": node{"type": []any{"array", "null"}, "items": node{"type": "object"}},
	}
	described := metav1.ObjectMeta{}.SwaggerDoc()
	for key := range properties {
		if text := described[key]; text != "" {
			object(properties, key)["description"] = text
		}
	}
	return node{"type": "object", "description": described[""], "properties": properties, "additionalProperties": false}
}

// rootMembers adds apiVersion, kind and metadata to the schema of a resource.
func rootMembers(out node, r Resource) {
	spec := r.Definition.Spec
	metadata := objectMeta()
	metadata["description"] = "Standard object's metadata."
	for _, key := range []string{"name", "generateName"} {
		list, _ := metadata["anyOf"].([]any)
		metadata["anyOf"] = append(list, node{"required": []string{key},
			"properties": node{key: node{"type": "string", "minLength": 1}}})
	}
	names := object(metadata, "properties")
	limit(object(names, "name"), 253, subdomain)
	limit(object(names, "generateName"), 253, generated)
	if spec.Scope == apiextensionsv1.NamespaceScoped {
		limit(object(names, "namespace"), 63, label)
	} else {
		delete(names, "namespace")
	}
	add(out, "apiVersion", node{"type": "string", "enum": []any{spec.Group + "/" + r.Version},
		"description": "Group and version of the API."})
	add(out, "kind", node{"type": "string", "enum": []any{spec.Names.Kind}, "description": "Kind of the object."})
	add(out, "metadata", metadata)
	require(out, "apiVersion", "kind", "metadata")
}

// scaled bounds the numbers of replicas that the scale subresource reads and writes.
func scaled(out node, r Resource) {
	v, _ := r.version()
	if v.Subresources == nil || v.Subresources.Scale == nil {
		return
	}
	for _, path := range []string{v.Subresources.Scale.SpecReplicasPath, v.Subresources.Scale.StatusReplicasPath} {
		at := out
		for key := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
			properties, _ := at["properties"].(node)
			at, _ = properties[key].(node)
		}
		if at == nil {
			continue
		}
		if least, ok := at["minimum"].(float64); !ok || least < 0 {
			at["minimum"] = 0.0
		}
		addFormat(at, "int32")
	}
}

// embeddedMembers adds apiVersion, kind and metadata to the schema of an embedded resource.
func embeddedMembers(out node) {
	metadata := objectMeta()
	names := object(metadata, "properties")
	limit(object(names, "name"), 0, segment)
	limit(object(names, "namespace"), 63, label)
	add(out, "apiVersion", node{"type": "string", "minLength": 1, "pattern": `^[^/]*(/[^/]*)?$`,
		"description": "Group and version of the embedded object."})
	add(out, "kind", node{"type": "string", "maxLength": 63, "pattern": `^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$`,
		"description": "Kind of the embedded object."})
	add(out, "metadata", orNull(metadata))
	require(out, "apiVersion", "kind")
}

// limit adds a pattern to the schema of a name, which may be empty.
func limit(schema node, longest int, pattern string) {
	if longest > 0 {
		schema["maxLength"] = longest
	}
	schema["pattern"] = `^$|` + pattern
}

// add adds a property that the API server knows. What the CustomResourceDefinition says of it holds too.
func add(out node, key string, property node) {
	properties, ok := out["properties"].(node)
	if !ok {
		properties = node{}
		out["properties"] = properties
	}
	if own, ok := properties[key].(node); ok {
		for _, keyword := range []string{"type", "description", "additionalProperties"} { // which the property has
			delete(own, keyword)
		}
		if len(own) > 0 {
			list, _ := property["allOf"].([]any)
			property["allOf"] = append(list, own)
		}
	}
	properties[key] = property
}

// require adds required properties.
func require(out node, keys ...string) {
	list, _ := out["required"].([]string)
	for _, key := range keys {
		if !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	out["required"] = list
}
