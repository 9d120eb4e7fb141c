package v1alpha1

// MiniClusterVolume is a persistent volume that the operator makes for a MiniCluster,
// together with a claim on it that many pods can read and write through. It lies on the
// node, or wherever the driver of a storage class puts it.
type MiniClusterVolume struct {
	// path is the directory on the node for the storage class hostpath. Where containers
	// see the volume is up to them.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Path string `json:"path"`

	// storageClass is the storage class of the volume and its claim. Defaults to hostpath,
	// a directory on the node; any other needs a driver and a secret.
	// +optional
	// +default="hostpath"
	// +kubebuilder:validation:MaxLength=253
	StorageClass string `json:"storageClass,omitempty"`

	// driver is the name of the CSI driver for storage classes other than hostpath, such as
	// gcs.csi.ofek.dev.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Driver string `json:"driver,omitempty"`

	// volumeHandle is the name by which the driver knows the volume. Defaults to
	// storageClass.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	VolumeHandle string `json:"volumeHandle,omitempty"`

	// attributes are handed to the driver as they are.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 253)",message="keys may have at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 4096)",message="values may have at most 4096 characters"
	Attributes map[string]string `json:"attributes,omitempty"`

	// secret is the name of the Secret that the driver publishes and stages the volume
	// with.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret,omitempty"`

	// secretNamespace is the namespace of the secret, which must be that of the MiniCluster.
	// Defaults to default.
	// +optional
	// +default="default"
	// +kubebuilder:validation:MaxLength=63
	SecretNamespace string `json:"secretNamespace,omitempty"`

	// capacity is the size of the volume, a quantity of bytes. Defaults to 5Gi.
	// +optional
	// +default="5Gi"
	// +kubebuilder:validation:MaxLength=64
	Capacity string `json:"capacity,omitempty"`

	// delete deletes the PersistentVolume with the MiniCluster. Defaults to true; false keeps
	// it for the next MiniCluster of the same name. The data stays in either case.
	// +optional
	// +default=true
	Delete *bool `json:"delete,omitempty"`

	// labels are labels of the volume, without keys of kubernetes.io and k8s.io.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 63)",message="values may have at most 63 characters"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are annotations of the volume, without keys of kubernetes.io and k8s.io.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 65536)",message="values may have at most 65536 characters"
	Annotations map[string]string `json:"annotations,omitempty"`

	// claimAnnotations are annotations of the volume's claim, without keys of kubernetes.io
	// and k8s.io.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 317)",message="keys may have at most 317 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 65536)",message="values may have at most 65536 characters"
	ClaimAnnotations map[string]string `json:"claimAnnotations,omitempty"`
}

// MiniClusterExistingVolume is something that the user has made in the namespace of the
// MiniCluster and that a container mounts. It names one source; if there are more, a Secret
// goes before a ConfigMap and that before a claim.
type MiniClusterExistingVolume struct {
	// path is the directory in the container to mount at. A claim needs one.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Path string `json:"path,omitempty"`

	// readOnly mounts the volume so that the container cannot write to it. Defaults to
	// false.
	// +optional
	// +default=false
	ReadOnly bool `json:"readOnly,omitempty"`

	// claimName is the name of a PersistentVolumeClaim.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClaimName string `json:"claimName,omitempty"`

	// configMapName is the name of a ConfigMap.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ConfigMapName string `json:"configMapName,omitempty"`

	// items are the keys of the ConfigMap to mount and, for each, the file below path to
	// mount it as. By default each key is mounted as the file of its name.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(key) <= 253)",message="keys may have at most 253 characters"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) <= 4096)",message="values may have at most 4096 characters"
	Items map[string]string `json:"items,omitempty"`

	// secretName is the name of a Secret.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	SecretName string `json:"secretName,omitempty"`
}

// ContainerVolume says how a container mounts a volume of its MiniCluster.
type ContainerVolume struct {
	// path is the directory in the container to mount at.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Path string `json:"path"`

	// readOnly mounts the volume so that the container cannot write to it. Defaults to
	// false.
	// +optional
	// +default=false
	ReadOnly bool `json:"readOnly,omitempty"`
}

// MiniClusterArchive keeps the state of Flux from one MiniCluster to the next.
type MiniClusterArchive struct {
	// path is the file of the archive, on a volume that outlives the MiniCluster. If it
	// exists, the brokers start from it; at the end it is where state is dumped to.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Path string `json:"path,omitempty"`
}
