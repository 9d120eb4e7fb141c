package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Bed is a garden bed.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Bed struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// spec is what the bed should be.
	// +required
	Spec BedSpec `json:"spec"`
	// status is what the bed is.
	// +optional
	Status BedStatus `json:"status,omitempty"`
}

// BedList is a list of beds.
// +kubebuilder:object:root=true
type BedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bed `json:"items"`
}

// BedSpec is what a bed should be.
type BedSpec struct {
	// size is the length of the bed in metres.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	// +optional
	Size int32 `json:"size,omitempty"`
	// color is the color of the flowers.
	// +optional
	Color string `json:"color,omitempty"`
	// owner is who waters the bed.
	// +optional
	Owner string `json:"owner,omitempty"`
	// hose says whether a hose waters the bed.
	// +optional
	Hose bool `json:"hose,omitempty"`
	// shade is how much of the day the bed has no sun.
	// +optional
	Shade string `json:"shade,omitempty"`
	// tags are words to find the bed by.
	// +listType=atomic
	// +optional
	Tags []string `json:"tags,omitempty"`
}

// BedStatus is what a bed is.
type BedStatus struct {
	// conditions tell how the bed is.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
