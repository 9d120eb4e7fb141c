// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +groupName=flux-framework.org
// +groupGoName=FluxFramework

// Package v1alpha1 is version v1alpha1 of the API group flux-framework.org. Its one
// kind is the [MiniCluster], a Flux instance of one or more pods that runs a single job
// or stays up for its users.
//
// # Optional and absent
//
// An optional object is a pointer. A struct value cannot be left out of the JSON by
// omitempty, and openapi-gen would publish a default of {} for it; worse, an empty
// leadBroker would lack fields that it requires. An optional scalar is a pointer only
// where its zero value means something else than its default: strict, delete, uid,
// logLevel and connectTimeout. The three parts of a [MiniCluster] itself are values, as
// everywhere in Kubernetes, and are left out by omitzero.
//
// # Defaults
//
// Each default is declared once, by +default. The API server fills it in where the
// enclosing object is present and the field is not; it does not make the enclosing object.
// So an absent network stays absent, and whoever reads it has to take it for one with all
// its defaults.
package v1alpha1
