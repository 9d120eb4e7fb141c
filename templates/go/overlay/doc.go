// Package fluxoperator holds the types of flux-framework.org/v1alpha1 for Go programs that talk
// to the Flux Operator without its source: plain structs that encode to the JSON of the API, on
// Kubernetes' own metadata and value types.
//
// The New functions set a root kind's apiVersion and kind and take what is required; the
// NewWithDefaults functions set the defaults that the API server would fill in.
package fluxoperator
