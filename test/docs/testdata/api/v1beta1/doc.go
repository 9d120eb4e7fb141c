// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=garden.example.org

// Package v1beta1 is version v1beta1 of the API.
package v1beta1
