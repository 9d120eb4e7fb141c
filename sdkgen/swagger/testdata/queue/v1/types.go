package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Queue runs jobs.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Queue struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +optional
	Spec QueueSpec `json:"spec,omitempty"`
	// +optional
	Status QueueStatus `json:"status,omitempty"`
}

// QueueList is a list of queues.
// +kubebuilder:object:root=true
type QueueList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Queue `json:"items"`
}

// QueueSpec says how a queue runs its jobs.
type QueueSpec struct {
	// parallelism is how many jobs run at the same time.
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=1
	// +optional
	Parallelism int32 `json:"parallelism,omitempty"`
}

// QueueStatus says what a queue does.
type QueueStatus struct {
	// running is how many jobs run now.
	// +optional
	Running int32 `json:"running,omitempty"`
}
