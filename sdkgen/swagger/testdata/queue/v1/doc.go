// +k8s:openapi-gen=true
// +k8s:deepcopy-gen=package
// +groupName=example.org

// Package v1 is version v1 of the queue API.
package v1

//go:generate go tool openapi-gen --go-header-file /dev/null --output-dir . --output-pkg github.com/flux-framework/flux-operator/sdkgen/swagger/testdata/queue/v1 --output-file zz_generated.openapi.go --report-filename /dev/null .
