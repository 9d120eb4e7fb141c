package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// PodSpec configures the pods of a MiniCluster, that of its services included.
type PodSpec struct {
	// labels are labels of the pods, beside those of the operator, which go first.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are annotations of the pods.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// nodeSelector restricts the pods to nodes that have all of these labels.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// serviceAccountName is the service account of the pods. Defaults to that of the
	// namespace, default.
	// +optional
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// resources are the overhead of a pod: what it needs beyond its containers, by the name
	// of the resource. Each is a quantity, such as 4, 500m or 2Gi. They do not apply to the
	// pod of the services.
	// +optional
	Resources map[string]intstr.IntOrString `json:"resources,omitempty"`
}

// Network configures how the pods of a MiniCluster find each other.
type Network struct {
	// headlessName is the name of the headless Service that gives the pods their host
	// names, and so a part of these. Defaults to flux-service.
	// +optional
	// +default="flux-service"
	HeadlessName string `json:"headlessName,omitempty"`
}
