package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// The types of the conditions in the status of a MiniCluster.
const (
	// ConditionJobRequested is true once the operator has seen the MiniCluster.
	ConditionJobRequested = "JobRequested"
	// ConditionJobWaiting is true while the pods wait for resources.
	ConditionJobWaiting = "JobWaitingForResources"
	// ConditionJobReady is true once everything that the MiniCluster needs exists.
	ConditionJobReady = "JobMiniClusterReady"
	// ConditionJobRunning is true while the pods run.
	ConditionJobRunning = "JobRunning"
	// ConditionJobFinished is true once the lead broker has ended, well or not.
	ConditionJobFinished = "JobFinished"
)

// MiniCluster is a Flux instance in Kubernetes: an indexed Job with a Flux broker in each
// pod, led by the broker of index 0, that find each other through a headless Service. It
// runs one command and ends, or stays up to take jobs from its users.
//
// +genclient
// +genclient:method=GetScale,verb=get,subresource=scale,result=k8s.io/api/autoscaling/v1.Scale
// +genclient:method=UpdateScale,verb=update,subresource=scale,input=k8s.io/api/autoscaling/v1.Scale,result=k8s.io/api/autoscaling/v1.Scale
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,path=miniclusters,singular=minicluster,shortName=mc
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.size,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`,description="Pods asked for"
// +kubebuilder:printcolumn:name="Max",type=integer,JSONPath=`.status.maximumSize`,description="Most pods that can be asked for",priority=1
// +kubebuilder:printcolumn:name="Tasks",type=integer,JSONPath=`.spec.tasks`,description="Tasks of the job",priority=1
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="JobMiniClusterReady")].status`,description="Whether all that the MiniCluster needs exists"
// +kubebuilder:printcolumn:name="Finished",type=string,JSONPath=`.status.conditions[?(@.type=="JobFinished")].status`,description="Whether the lead broker has ended"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type MiniCluster struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object's standard metadata. Its name becomes the prefix of all host
	// names in the MiniCluster.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	// spec is what the MiniCluster should be.
	// +optional
	Spec MiniClusterSpec `json:"spec,omitempty,omitzero"`

	// status is what the operator last saw of the MiniCluster.
	// +optional
	Status MiniClusterStatus `json:"status,omitempty,omitzero"`
}

// MiniClusterList is a list of MiniClusters.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
// +kubebuilder:object:root=true
type MiniClusterList struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the list's standard metadata.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`

	// items are the MiniClusters.
	Items []MiniCluster `json:"items"`
}

// MiniClusterSpec is what a MiniCluster should be.
type MiniClusterSpec struct {
	// size is the number of pods, and of Flux brokers, to run. The job starts when so many
	// brokers are online. It can be changed later, from 1 up to the greater of the first
	// size and maxSize. Defaults to 1.
	// +optional
	// +default=1
	Size int32 `json:"size,omitempty"`

	// maxSize is the number of pods that the MiniCluster can grow to; the brokers are told
	// of that many hosts from the start. It may not be less than size. Defaults to size.
	// +optional
	MaxSize int32 `json:"maxSize,omitempty"`

	// tasks is the number of tasks that the command is run as, over the whole MiniCluster.
	// With at least as many tasks as pods each pod gets one or more. Defaults to 1.
	// +optional
	// +default=1
	Tasks int32 `json:"tasks,omitempty"`

	// containers are run together in every pod. Exactly one of them runs Flux: the only one
	// there is, or the one with runFlux set. The others are sidecars: they start before it, in
	// this order, and are stopped after it.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Containers []MiniClusterContainer `json:"containers"`

	// services are containers of one more pod, beside those of the MiniCluster and in the
	// same network, such as a database or a cache. Each needs a name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Services []MiniClusterContainer `json:"services,omitempty"`

	// interactive starts the brokers without a command, so that they wait for jobs that are
	// submitted from a shell in the lead broker's pod. Defaults to false.
	// +optional
	// +default=false
	Interactive bool `json:"interactive,omitempty"`

	// deadlineSeconds is the time in seconds after which the Job is ended, finished or not.
	// It must be greater than 0. Defaults to 31500000, about a year.
	// +optional
	// +default=31500000
	DeadlineSeconds int64 `json:"deadlineSeconds,omitempty"`

	// restartPolicy says what happens when a pod is lost, such as by eviction or with its node.
	// OnPodLoss replaces the pod, and runs the command again if it was lost with it. Never
	// replaces no pod: the MiniCluster fails. With both of them it fails when the command does.
	// Defaults to OnPodLoss.
	// +optional
	// +kubebuilder:validation:Enum=OnPodLoss;Never
	RestartPolicy string `json:"restartPolicy,omitempty"`

	// cleanup deletes the MiniCluster once the lead broker has ended, together with the
	// claims of its volumes and those volumes that have delete set. Defaults to false: all
	// is kept, and logs can still be read.
	// +optional
	// +default=false
	Cleanup bool `json:"cleanup,omitempty"`

	// flux configures the Flux brokers, alike in all pods.
	// +optional
	Flux *FluxSpec `json:"flux,omitempty"`

	// fluxRestful configures the Flux RESTful API, which the lead broker serves when there
	// is neither a command nor interactive.
	// +optional
	FluxRestful *FluxRestful `json:"fluxRestful,omitempty"`

	// users are the people who may use the MiniCluster through the Flux RESTful API. With
	// at least one of them, the MiniCluster is a multi-user one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1000
	Users []MiniClusterUser `json:"users,omitempty"`

	// volumes are persistent volumes that the operator makes, each with a claim. The key is
	// the name of the volume, by which containers mount it.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 63)",message="keys may have at most 63 characters"
	Volumes map[string]MiniClusterVolume `json:"volumes,omitempty"`

	// archive keeps the state of Flux from one MiniCluster to the next.
	// +optional
	Archive *MiniClusterArchive `json:"archive,omitempty"`

	// logging says how much the entrypoint and Flux write to the log of the pods. It has no
	// bearing on the log of the operator.
	// +optional
	Logging *LoggingSpec `json:"logging,omitempty"`

	// jobLabels are labels of the Job. Those of its pods are in pod.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 63)",message="values may have at most 63 characters"
	JobLabels map[string]string `json:"jobLabels,omitempty"`

	// pod configures the pods.
	// +optional
	Pod *PodSpec `json:"pod,omitempty"`

	// shareProcessNamespace lets the containers of a pod see each other's processes.
	// Defaults to false.
	// +optional
	ShareProcessNamespace bool `json:"shareProcessNamespace,omitempty"`

	// network configures how the pods find each other.
	// +optional
	Network *Network `json:"network,omitempty"`
}

// MiniClusterStatus is what the operator last saw of a MiniCluster.
type MiniClusterStatus struct {
	// size is the number of pods that the Job was last told to run. The scale subresource
	// shows it.
	// +required
	Size int32 `json:"size"`

	// maximumSize is the most pods that can be asked for: the greater of size and maxSize
	// when the MiniCluster was made. A greater size is put back to it.
	// +required
	MaximumSize int32 `json:"maximumSize"`

	// selector is a label selector, in its string form, that matches the pods. A
	// HorizontalPodAutoscaler finds the pods to measure by it.
	// +required
	Selector string `json:"selector"`

	// jobid identifies the job that the MiniCluster was made for. It is empty as long as a
	// MiniCluster has a single job.
	// +required
	Jobid string `json:"jobid"`

	// conditions tell how far the MiniCluster has come: JobRequested,
	// JobWaitingForResources, JobMiniClusterReady, JobRunning and JobFinished.
	// +optional
	// +listType=atomic
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
