package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// letters are the kinds of objects that -i selects.
const letters = "csjv"

// selected returns the objects that the letters of -i select, in the order of Set.All.
func selected(c *cluster, include string, random io.Reader) ([]minicluster.Object, error) {
	set := c.objects
	var part minicluster.Set
	if strings.Contains(include, "c") {
		part.ConfigMaps, part.Keys = set.ConfigMaps, set.Keys
	}
	for _, secret := range part.Keys {
		if err := c.desired.SetKeys(secret, random); err != nil {
			return nil, err
		}
	}
	if strings.Contains(include, "v") {
		part.Volumes, part.Claims = set.Volumes, set.Claims
	}
	if strings.Contains(include, "s") {
		part.Services = set.Services
	}
	if strings.Contains(include, "j") {
		part.ServicePod, part.Job = set.ServicePod, set.Job
	}
	return part.All(), nil
}

// encodeYAML writes one document for each object.
func encodeYAML(objects []minicluster.Object) ([]byte, error) {
	var out bytes.Buffer
	for i, o := range objects {
		fields, err := manifest(o)
		if err != nil {
			return nil, err
		}
		text, err := yaml.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// encodeJSON writes one List of all objects, as kubectl does and accepts.
func encodeJSON(objects []minicluster.Object) ([]byte, error) {
	items := make([]any, 0, len(objects))
	for _, o := range objects {
		fields, err := manifest(o)
		if err != nil {
			return nil, err
		}
		items = append(items, fields)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "    ")
	err := enc.Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	return out.Bytes(), err
}

// manifest returns the fields of an object to apply: without the status, nulls and empty objects.
func manifest(o minicluster.Object) (map[string]any, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	var fields map[string]any
	if err := utiljson.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	delete(fields, "status")
	prune(fields)
	return fields, nil
}

// prune removes nulls and empty objects. Of all fields that are printed, only emptyDir has a meaning when it
// is empty.
func prune(fields map[string]any) {
	for name, value := range fields {
		switch value := value.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			if prune(value); len(value) == 0 && name != "emptyDir" {
				delete(fields, name)
			}
		case []any:
			for _, item := range value {
				if item, ok := item.(map[string]any); ok {
					prune(item)
				}
			}
		}
	}
}
