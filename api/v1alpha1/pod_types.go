package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// PodSpec configures the pods of a MiniCluster, that of its services included.
type PodSpec struct {
	// labels are labels of the pods, beside those of the operator, which go first.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 63)",message="values may have at most 63 characters"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are annotations of the pods. With flux-framework.org/pod-security:
	// restricted they meet that Pod Security Standard: nothing runs as root.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 65536)",message="values may have at most 65536 characters"
	Annotations map[string]string `json:"annotations,omitempty"`

	// nodeSelector restricts the pods to nodes that have all of these labels.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 63)",message="values may have at most 63 characters"
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// serviceAccountName is the service account of the pods. Defaults to that of the
	// namespace, default.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// resources are the overhead of a pod: what it needs beyond its containers, by the name
	// of the resource. Each is a quantity, such as 4, 500m or 2Gi. They do not apply to the
	// pod of the services.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, type(self[key]) != string || size(self[key]) <= 64)",message="values may have at most 64 characters"
	Resources map[string]intstr.IntOrString `json:"resources,omitempty"`
}

// Network configures how the pods of a MiniCluster find each other.
type Network struct {
	// headlessName is the name of the headless Service that gives the pods their host
	// names, and so a part of these. Defaults to flux-service.
	// +optional
	// +default="flux-service"
	// +kubebuilder:validation:MaxLength=63
	HeadlessName string `json:"headlessName,omitempty"`
}
