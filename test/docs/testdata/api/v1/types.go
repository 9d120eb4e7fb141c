package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Bed is a garden bed, in which a gardener grows plants.
//
// It is watered
//
//   - by hand, or
//   - from a hose, if <spec.hose> is set: {{ this }} is no template.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:validation:XValidation:rule="self.metadata.name.size() < 50",message="the name of a bed has at most 49 characters"
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

// Color is a color of flowers.
// +kubebuilder:validation:Enum=red;yellow;blue
type Color string

// BedSpec is what a bed should be.
// +kubebuilder:validation:XValidation:rule="!has(self.hose) || self.size > 1",message="a bed of size 1 has no hose"
type BedSpec struct {
	// size is the length of the bed in metres. Larger beds need more water.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=40
	// +default=3
	// +optional
	Size int32 `json:"size,omitempty"`
	// color is the color of the flowers.
	// +optional
	// +kubebuilder:example=blue
	Color Color `json:"color,omitempty"`
	// owner is who waters the bed, in lower-case letters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]{1,63}$`
	// +required
	Owner string `json:"owner"`
	// hose is the hose that waters the bed.
	// +optional
	// +kubebuilder:example={length: 15, pressures: {north: 3}}
	Hose *Hose `json:"hose,omitempty"`
	// plants grow in the bed.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	// +optional
	// +kubebuilder:example={{name: rose, planted: "2026-01-02T03:04:05Z"}, {name: lily}}
	Plants []Plant `json:"plants,omitempty"`
	// tags are words to find the bed by.
	// +listType=set
	// +kubebuilder:validation:items:MaxLength=20
	// +optional
	// +kubebuilder:example={sunny, "by the door"}
	Tags []string `json:"tags,omitempty"`
	// depth is the depth of the soil: centimetres, or a percentage of the usual depth.
	// +kubebuilder:default="100%"
	// +optional
	// +kubebuilder:example="80%"
	Depth *intstr.IntOrString `json:"depth,omitempty"`
	// volume is where the diary of the bed is kept.
	// +optional
	// +kubebuilder:example={sizeLimit: "1Gi"}
	Volume *corev1.EmptyDirVolumeSource `json:"volume,omitempty"`
	// fence is ignored.
	//
	// Deprecated: use tags.
	// +optional
	Fence string `json:"fence,omitempty"`
}

// Hose is a hose.
type Hose struct {
	// length is the length in metres.
	// +kubebuilder:validation:MultipleOf=5
	// +optional
	Length int32 `json:"length,omitempty"`
	// pressures are those at the taps, by the name of the tap.
	// +optional
	Pressures map[string]int32 `json:"pressures,omitempty"`
}

// Plant is a plant.
type Plant struct {
	// name is the name of the plant.
	// +required
	Name string `json:"name"`
	// planted is when it was planted.
	// +optional
	Planted *metav1.Time `json:"planted,omitempty"`
	// notes are kept as they are.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +optional
	Notes *Notes `json:"notes,omitempty"`
}

// Notes are what a gardener writes.
type Notes struct{}

// BedStatus is what a bed is.
type BedStatus struct {
	// conditions tell how the bed is.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
