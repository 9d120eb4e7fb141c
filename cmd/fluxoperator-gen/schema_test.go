package main

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/config/crd"
)

// TestRules: CEL rules are checked.
func TestRules(t *testing.T) {
	var manifest apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(crd.MiniClusters, &manifest); err != nil {
		t.Fatal(err)
	}
	root := manifest.Spec.Versions[0].Schema.OpenAPIV3Schema
	spec := root.Properties["spec"]
	spec.XValidations = apiextensionsv1.ValidationRules{{
		Rule: "self.tasks >= self.size", Message: "fewer tasks than pods", FieldPath: ".tasks",
	}}
	root.Properties["spec"] = spec
	data, err := yaml.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(data)
	if err != nil {
		t.Fatal(err)
	}
	for tasks, want := range map[int64]string{4: "", 3: `spec.tasks: Invalid value: fewer tasks than pods`} {
		_, errs := s.admit(map[string]any{
			"apiVersion": "flux-framework.org/v1alpha1", "kind": "MiniCluster",
			"spec": map[string]any{"size": int64(4), "tasks": tasks, "containers": []any{}},
		})
		var got []string
		for _, err := range errs {
			got = append(got, err.Error())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%d tasks: %q, want %q", tasks, got, want)
		}
	}
}

func TestNewServer(t *testing.T) {
	for _, bad := range []string{"spec: [", "spec: {versions: [{name: v1}]}", "spec: {versions: [{name: v1alpha1}]}"} {
		if _, err := newServer([]byte(bad)); err == nil {
			t.Errorf("newServer(%q) is not an error", bad)
		}
	}
}
