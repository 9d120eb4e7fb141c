// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The types of the conditions in the status of a Sample.
const (
	// ConditionReady is true while the Sample's Deployment has as many ready replicas as
	// the Sample asks for.
	ConditionReady = "Ready"
	// ConditionConflict is true while the Deployment belongs to another than the Sample.
	ConditionConflict = "Conflict"
)

// Sample asks for a number of replicas of the Deployment of its namespace. A namespace has
// one such Deployment. Of several Samples the one that came first owns it, and the others
// wait with the condition Conflict until it is deleted.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,path=samples,singular=sample,shortName=sam
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.count,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Count",type=integer,JSONPath=`.spec.count`,description="Replicas asked for"
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.readyReplicas`,description="Replicas that are ready"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether all replicas are ready"
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`,description="What was done last"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Sample struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec is what the Sample asks for.
	// +required
	Spec SampleSpec `json:"spec"`

	// status is what the operator last saw and did.
	// +optional
	Status SampleStatus `json:"status,omitempty,omitzero"`
}

// SampleList is a list of Samples.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type SampleList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the list's standard metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the Samples.
	Items []Sample `json:"items"`
}

// SampleSpec is what a Sample asks for.
type SampleSpec struct {
	// count is the number of replicas of the Deployment. Defaults to 1, as a Deployment's
	// own replicas do, so that the scale subresource always has a number to show. More than
	// 1000 is taken for a slip of the hand.
	// +optional
	// +default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Count *int32 `json:"count,omitempty"`
}

// SampleStatus is what the operator last saw and did.
type SampleStatus struct {
	// message is what was done last, in the words of kubectl, or what is in the way.
	// +optional
	Message string `json:"message,omitempty"`

	// observedGeneration is the generation of the Sample that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// replicas is how many pods the Deployment has. It is 0 for a Sample that does not own it.
	// +optional
	Replicas int32 `json:"replicas"`

	// readyReplicas is how many of them are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// selector selects the pods, for an autoscaler.
	// +optional
	Selector string `json:"selector,omitempty"`

	// conditions are Ready and Conflict.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
