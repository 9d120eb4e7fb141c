// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=sea.example.org

// Package v1 is version v1 of the sea.
package v1
