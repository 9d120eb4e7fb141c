// Package v1 is an API of one kind.
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=example.org
package v1
