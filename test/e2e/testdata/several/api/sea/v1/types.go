package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TrawlerSpec is the desired state of a Trawler.
type TrawlerSpec struct {
	// size in hectares or tonnes.
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=1
	// +optional
	Size *int32 `json:"size,omitempty"`

	// resources of its pod.
	// +optional
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// +kubebuilder:object:root=true

// Trawler is a Trawler.
type Trawler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec TrawlerSpec `json:"spec,omitempty"`
}

// +kubebuilder:object:root=true

// TrawlerList is a list of them.
type TrawlerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Trawler `json:"items"`
}
