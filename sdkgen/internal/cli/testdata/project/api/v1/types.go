package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a thing.
// +genclient
// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// spec is what it should be.
	// +optional
	Spec WidgetSpec `json:"spec,omitempty"`
}

// WidgetList is a list of things.
// +kubebuilder:object:root=true
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// WidgetSpec is what a Widget should be.
type WidgetSpec struct {
	// size is how many.
	// +default=3
	// +optional
	Size int32 `json:"size,omitempty"`
	// part is a part of it.
	// +optional
	Part *Part `json:"part,omitempty"`
}
