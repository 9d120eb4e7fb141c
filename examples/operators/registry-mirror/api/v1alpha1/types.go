// Copyright The Flux Operator Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The types of the conditions in the status of a RegistryMirror.
const (
	// ConditionApplied is true while all five objects of the mirror are as its spec says.
	ConditionApplied = "Applied"
	// ConditionReady is true while the registry and its listener on every node are ready.
	ConditionReady = "Ready"
)

// RegistryMirror is a pull-through cache of one container image registry for the whole
// cluster: a registry that keeps what it fetches on a volume, and on every node a listener by
// which the container runtime reaches it.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,path=registrymirrors,singular=registrymirror,shortName=mirror
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Upstream",type=string,JSONPath=`.spec.upstream`,description="The registry that is mirrored"
// +kubebuilder:printcolumn:name="Endpoint",type=string,JSONPath=`.status.endpoint`,description="Where container runtimes reach it, on every node"
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`,description="Whether the registry and its listeners are ready"
// +kubebuilder:printcolumn:name="Nodes",type=integer,JSONPath=`.status.readyNodes`,description="Nodes whose listener is ready",priority=1
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,description="What is waited for",priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type RegistryMirror struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object's standard metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec is what is mirrored, and how.
	// +required
	Spec RegistryMirrorSpec `json:"spec"`

	// status is what the operator last saw of the mirror.
	// +optional
	Status RegistryMirrorStatus `json:"status,omitempty,omitzero"`
}

// RegistryMirrorList is a list of RegistryMirrors.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type RegistryMirrorList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the list's standard metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the mirrors.
	Items []RegistryMirror `json:"items"`
}

// RegistryMirrorSpec is what is mirrored, and how.
//
// +kubebuilder:validation:XValidation:rule="has(self.storageClassName) == has(oldSelf.storageClassName)",message="may not be set or removed later",fieldPath=".storageClassName"
// +kubebuilder:validation:XValidation:rule="!has(self.credentialsSecret) || self.upstream.startsWith('https://')",message="may not be sent to an upstream without https",fieldPath=".credentialsSecret"
type RegistryMirrorSpec struct {
	// upstream is the address of the registry that is mirrored: scheme, host and, where it is
	// not that of the scheme, port. The Docker Hub is https://registry-1.docker.io. What was
	// fetched from one upstream is never given out for another.
	// +required
	// +kubebuilder:validation:MaxLength=270
	// +kubebuilder:validation:Pattern=`^https?://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$`
	Upstream string `json:"upstream"`

	// port is the port of the loopback address of every node on which the container runtime
	// reaches the mirror. No two mirrors may have the same. Those on which components of
	// Kubernetes listen (2379 to 2382, 6443, 10248 to 10260) and those of Services of type
	// NodePort (30000 to 32767) are refused, as the mirror would get the connections of others.
	// +required
	// +kubebuilder:validation:Minimum=1024
	// +kubebuilder:validation:Maximum=65535
	// +kubebuilder:validation:XValidation:rule="!(self >= 2379 && self <= 2382) && self != 6443 && !(self >= 10248 && self <= 10260) && !(self >= 30000 && self <= 32767)",message="is a port of Kubernetes itself or of NodePorts"
	Port int32 `json:"port"`

	// credentialsSecret is the name of a Secret in the namespace of the operator, by which the
	// mirror logs in to its upstream, which must be https. Its keys are HOST.username and
	// HOST.password, or HOST_PORT.username and HOST_PORT.password if the upstream has a port,
	// so that the Secret says itself which upstream gets it. Without it the mirror fetches
	// what anybody may.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	CredentialsSecret string `json:"credentialsSecret,omitempty"`

	// storage is the size of the volume that images are kept on. It may grow, if the storage
	// class lets volumes grow, and not shrink. Defaults to 10Gi.
	// +optional
	// +default="10Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).isGreaterThan(quantity('0'))",message="must be more than 0"
	// +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="may not shrink"
	Storage *resource.Quantity `json:"storage,omitempty"`

	// storageClassName is the storage class of the volume, for ever. Defaults to the default
	// class of the cluster.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="is immutable"
	StorageClassName string `json:"storageClassName,omitempty"`
}

// RegistryMirrorStatus is what the operator last saw of a mirror.
type RegistryMirrorStatus struct {
	// observedGeneration is the generation of the mirror that the status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// endpoint is the host and port at which the container runtime of each node reaches the
	// mirror, over plain HTTP.
	// +optional
	Endpoint string `json:"endpoint,omitempty"`

	// serviceEndpoint is the host and port at which pods reach the mirror, over plain HTTP.
	// +optional
	ServiceEndpoint string `json:"serviceEndpoint,omitempty"`

	// readyReplicas is the number of registries that are ready, 0 or 1.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`

	// readyNodes is the number of nodes whose listener is ready.
	// +optional
	ReadyNodes int32 `json:"readyNodes,omitempty"`

	// conditions are Applied, whether the objects of the mirror are as its spec says, and
	// Ready, whether it can be used on every node.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
