package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// letters stand for the kinds of objects, in -i.
const letters = "csjv"

// chosen returns those objects of a set that the letters of -i ask for, in the order of the set.
func chosen(set *minicluster.Set, include string) []minicluster.Object {
	var part minicluster.Set
	if strings.Contains(include, "c") {
		part.ConfigMaps = set.ConfigMaps
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
	return part.All()
}

// encodeYAML prints a document for each object.
func encodeYAML(objects []minicluster.Object) ([]byte, error) {
	var out bytes.Buffer
	for i, o := range objects {
		fields, err := manifest(o)
		if err != nil {
			return nil, err
		}
		text, err := yaml.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", o.GetName(), err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}

// encodeJSON prints one List of all objects, as kubectl does and takes.
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

// manifest is an object as it is applied: without its status and other fields that are empty. An
// empty object means nothing in any object of a set.
func manifest(o minicluster.Object) (map[string]any, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", o.GetName(), err)
	}
	var fields map[string]any
	if err := utiljson.Unmarshal(data, &fields); err != nil {
		return nil, fmt.Errorf("writing %s: %w", o.GetName(), err)
	}
	delete(fields, "status")
	prune(fields)
	return fields, nil
}

// prune removes nulls and empty objects.
func prune(fields map[string]any) {
	for name, value := range fields {
		switch value := value.(type) {
		case nil:
			delete(fields, name)
		case map[string]any:
			if prune(value); len(value) == 0 {
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
