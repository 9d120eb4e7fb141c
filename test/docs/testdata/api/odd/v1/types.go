package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Bed is another kind of that name: <script>document.title = "x"</script> </script> <!-- {{ .Template }} {{< shortcode >}} {% block %} ${x}
// <img src=x onerror="document.title = 1"> [link](javascript:x) :::note ünïcödé 日本語 🚜
//
// ```yaml
// spec: {{ code }}
//
//	nested: <b>
//
// ```
//
// | a | b |
// |---|---|
//
//   - item </li>{{ one }}
//   - another
//
// # Heading
// +kubebuilder:object:root=true
type Bed struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Spec BedSpec `json:"spec,omitempty"`
}

// BedList is a list of Beds.
// +kubebuilder:object:root=true
type BedList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bed `json:"items"`
}

// Bare has no spec.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster
type Bare struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// BareList is a list of Bares.
// +kubebuilder:object:root=true
type BareList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Bare `json:"items"`
}

type BedSpec struct {
	// +optional
	Constructor string `json:"constructor,omitempty"`
	// +optional
	Proto string `json:"__proto__,omitempty"`
	// +optional
	ToString *int32 `json:"toString,omitempty"`
	// ab is in lower case.
	// +optional
	Ab string `json:"ab,omitempty"`
	// aB is not.
	// +optional
	AB string `json:"aB,omitempty"`
	// +optional
	Length *intstr.IntOrString `json:"length,omitempty"`
	// any is kept.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Any *runtime.RawExtension `json:"any,omitempty"`
	// tag has what ends a script.
	// +optional
	// +kubebuilder:validation:Enum="</script>";"{{ x }}";"<!--"
	// +kubebuilder:default="</script>"
	Tag string `json:"tag,omitempty"`
	// schema is inside of itself.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Schema *Schema `json:"schema,omitempty"`
	// +optional
	// +listType=atomic
	Deep [][]Leaf `json:"deep,omitempty"`
}

type Leaf struct {
	// Deprecated: use {other} <b>instead</b>.
	// +optional
	X string `json:"x,omitempty"`
}

type Schema struct {
	// +optional
	Properties map[string]Schema `json:"properties,omitempty"`
	// +optional
	Not *Schema `json:"not,omitempty"`
}
