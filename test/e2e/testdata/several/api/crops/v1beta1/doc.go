// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=crops.example.org

// Package v1beta1 is version v1beta1 of the crops.
package v1beta1
