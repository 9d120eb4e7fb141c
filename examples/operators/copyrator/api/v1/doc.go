// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=test.com

// Package v1 is version v1 of the API group test.com. Its one kind is the [CopyratorRule],
// which says which ConfigMaps or Secrets are copied, and to which namespaces.
package v1
