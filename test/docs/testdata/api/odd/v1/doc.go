// +groupName=odd.example.org
// +groupGoName=Odd
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true

// Package v1 has names and comments that mean something to HTML, JavaScript and site generators.
package v1
