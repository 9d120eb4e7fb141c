package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// MiniClusterContainer is a container, either in each pod of a MiniCluster or in the one
// pod of its services.
type MiniClusterContainer struct {
	// name is the name of the container. The one that runs Flux is named after the
	// MiniCluster instead; all others need a name.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name,omitempty"`

	// image is the image to run. For the container that runs Flux it must have flux-core,
	// flux-sched and sudo installed. Defaults to ghcr.io/rse-ops/accounting:app-latest.
	// +optional
	// +default="ghcr.io/rse-ops/accounting:app-latest"
	// +kubebuilder:validation:MaxLength=1024
	Image string `json:"image,omitempty"`

	// imagePullSecret is the name of a Secret, in the namespace of the MiniCluster, with
	// the credentials of the image's registry. Without one the image is pulled anonymously.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ImagePullSecret string `json:"imagePullSecret,omitempty"`

	// pullAlways pulls the image each time a container starts. Defaults to false: it is
	// pulled where it is not present.
	// +optional
	// +default=false
	PullAlways bool `json:"pullAlways,omitempty"`

	// runFlux makes this the container that runs Flux. It is implied where there is only
	// one container. Defaults to false.
	// +optional
	RunFlux bool `json:"runFlux,omitempty"`

	// fluxUser is the user that Flux runs as.
	// +optional
	FluxUser *FluxUser `json:"fluxUser,omitempty"`

	// command is what to run, a line of shell. In the container that runs Flux it is
	// submitted as a job, and the MiniCluster ends with it; without a command the lead
	// broker serves the Flux RESTful API or, if interactive is set, waits.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Command string `json:"command,omitempty"`

	// commands are lines of shell to run around the command.
	// +optional
	Commands *Commands `json:"commands,omitempty"`

	// launcher says that the command submits jobs itself, as a workflow manager does. It is
	// then started by the lead broker and not submitted as a job. It excludes batch.
	// Defaults to false.
	// +optional
	Launcher bool `json:"launcher,omitempty"`

	// batch takes each line of the command for a job of its own and hands all of them to
	// Flux as one batch script. Defaults to false.
	// +optional
	Batch bool `json:"batch,omitempty"`

	// batchRaw takes the command of a batch for the batch script as it is, so that it has
	// to call flux submit itself. Defaults to false.
	// +optional
	BatchRaw bool `json:"batchRaw,omitempty"`

	// diagnostics prints the state of the brokers and then sleeps, and does not run the
	// command. Defaults to false.
	// +optional
	Diagnostics bool `json:"diagnostics,omitempty"`

	// logs is the directory that the output of a batch's jobs is written to, best on a
	// volume that all pods share. Defaults to /tmp/fluxout.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Logs string `json:"logs,omitempty"`

	// workingDir is the directory to run in. Defaults to that of the image.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	WorkingDir string `json:"workingDir,omitempty"`

	// cores is the number of cores per pod that Flux schedules on. It reserves nothing: for
	// that see resources. By default Flux takes all cores that it finds.
	// +optional
	Cores int32 `json:"cores,omitempty"`

	// resources are the compute resources of the container.
	// +optional
	Resources *ContainerResources `json:"resources,omitempty"`

	// ports are TCP ports that the container listens on. Those of a container that does not
	// run Flux are reached through a Service of the container's name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=100
	Ports []int32 `json:"ports,omitempty"`

	// environment holds environment variables, value by name.
	// +optional
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 253)",message="keys may have at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 32768)",message="values may have at most 32768 characters"
	Environment map[string]string `json:"environment,omitempty"`

	// secrets holds environment variables whose values are in Secrets. The key is the name
	// of the variable.
	// +optional
	// +kubebuilder:validation:MaxProperties=512
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 253)",message="keys may have at most 253 characters"
	Secrets map[string]Secret `json:"secrets,omitempty"`

	// volumes mounts volumes of the MiniCluster. The key is the name of the volume there.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 63)",message="keys may have at most 63 characters"
	Volumes map[string]ContainerVolume `json:"volumes,omitempty"`

	// existingVolumes mounts what the user has made before: claims, ConfigMaps, Secrets.
	// The key is the name of the volume in the pod; where two containers use one name, they
	// must mean the same volume.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 63)",message="keys may have at most 63 characters"
	ExistingVolumes map[string]MiniClusterExistingVolume `json:"existingVolumes,omitempty"`

	// lifeCycle holds commands that run in the container as it starts and stops.
	// +optional
	LifeCycle *LifeCycle `json:"lifeCycle,omitempty"`

	// securityContext holds the privileges of the container.
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
}

// FluxUser is the user that Flux runs as. It is made where the image does not have it.
type FluxUser struct {
	// name is the name of the user. Defaults to flux.
	// +optional
	// +default="flux"
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name,omitempty"`

	// uid is the numeric id that the user is made with. A user that the image has keeps its
	// own. Defaults to 1000.
	// +optional
	// +default=1000
	UID *int `json:"uid,omitempty"`
}

// Commands are lines of shell that the entrypoint of a container runs around its command.
// A container that does not run Flux needs a command to have any of them, and services
// cannot have pre, brokerPre or workerPre.
type Commands struct {
	// init runs before everything else, even before the entrypoint turns strict; the place
	// to set variables such as PATH.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Init string `json:"init,omitempty"`

	// pre runs in all pods before Flux is set up. It can change asFlux, the prefix that
	// the entrypoint puts before each Flux command.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Pre string `json:"pre,omitempty"`

	// brokerPre runs in the pod of the lead broker only, just before it starts.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	BrokerPre string `json:"brokerPre,omitempty"`

	// workerPre runs in all pods but that of the lead broker, just before theirs start.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	WorkerPre string `json:"workerPre,omitempty"`

	// post runs when the broker of the pod has ended.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	Post string `json:"post,omitempty"`

	// prefix is put before flux start and flux broker, to run them under a wrapper.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Prefix string `json:"prefix,omitempty"`

	// runFluxAsRoot runs Flux as root and not as fluxUser, for storage that only root can
	// write to. Defaults to false.
	// +optional
	// +default=false
	RunFluxAsRoot bool `json:"runFluxAsRoot,omitempty"`
}

// Secret is a value in a Secret of the MiniCluster's namespace.
type Secret struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// key is the key of the value in the Secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key"`
}

// ContainerResources are the compute resources of a container.
type ContainerResources struct {
	// limits are the most that the container may use, by the name of the resource: cpu,
	// memory, or one that a vendor adds. Each is a quantity, such as 4, 500m or 2Gi.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, type(self[key]) != string || size(self[key]) <= 64)",message="values may have at most 64 characters"
	Limits map[string]intstr.IntOrString `json:"limits,omitempty"`

	// requests are what is reserved for the container, in the same form. A resource that is
	// not named here is requested as it is limited.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, type(self[key]) != string || size(self[key]) <= 64)",message="values may have at most 64 characters"
	Requests map[string]intstr.IntOrString `json:"requests,omitempty"`
}

// LifeCycle holds commands that run in a container as it starts and stops.
type LifeCycle struct {
	// postStartExec runs right after the container has been started, at the same time as
	// its entrypoint. The container is not running before it ends.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	PostStartExec string `json:"postStartExec,omitempty"`

	// preStopExec runs before the container is stopped, within the grace period of its pod.
	// +optional
	// +kubebuilder:validation:MaxLength=65536
	PreStopExec string `json:"preStopExec,omitempty"`
}

// SecurityContext holds the privileges of a container.
type SecurityContext struct {
	// privileged gives the container all privileges of the node. Defaults to false.
	// +optional
	Privileged bool `json:"privileged,omitempty"`

	// addCapabilities are Linux capabilities to add to those that the container runtime
	// grants, such as SYS_PTRACE.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	AddCapabilities []string `json:"addCapabilities,omitempty"`
}
