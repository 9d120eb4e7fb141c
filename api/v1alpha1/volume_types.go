package v1alpha1

// MiniClusterVolume is a persistent volume that the operator makes for a MiniCluster,
// together with a claim on it that many pods can read and write through. It lies on the
// node, or wherever the driver of a storage class puts it.
type MiniClusterVolume struct {
	// path is the directory on the node for the storage class hostpath. Where containers
	// see the volume is up to them.
	// +required
	Path string `json:"path"`

	// storageClass is the storage class of the volume and its claim. Defaults to hostpath,
	// a directory on the node; any other needs a driver and a secret.
	// +optional
	// +default="hostpath"
	StorageClass string `json:"storageClass,omitempty"`

	// driver is the name of the CSI driver for storage classes other than hostpath, such as
	// gcs.csi.ofek.dev.
	// +optional
	Driver string `json:"driver,omitempty"`

	// volumeHandle is the name by which the driver knows the volume. Defaults to
	// storageClass.
	// +optional
	VolumeHandle string `json:"volumeHandle,omitempty"`

	// attributes are handed to the driver as they are.
	// +optional
	Attributes map[string]string `json:"attributes,omitempty"`

	// secret is the name of the Secret that the driver publishes and stages the volume
	// with.
	// +optional
	Secret string `json:"secret,omitempty"`

	// secretNamespace is the namespace of the secret. Defaults to default.
	// +optional
	// +default="default"
	SecretNamespace string `json:"secretNamespace,omitempty"`

	// capacity is the size of the volume, a quantity of bytes. Defaults to 5Gi.
	// +optional
	// +default="5Gi"
	Capacity string `json:"capacity,omitempty"`

	// delete deletes the volume when the MiniCluster is cleaned up. Defaults to true; false
	// keeps it for others to use.
	// +optional
	// +default=true
	Delete *bool `json:"delete,omitempty"`

	// labels are labels of the volume.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are annotations of the volume.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// claimAnnotations are annotations of the volume's claim.
	// +optional
	ClaimAnnotations map[string]string `json:"claimAnnotations,omitempty"`
}

// MiniClusterExistingVolume is something that the user has made in the namespace of the
// MiniCluster and that a container mounts. It names one source; if there are more, a Secret
// goes before a ConfigMap and that before a claim.
type MiniClusterExistingVolume struct {
	// path is the directory in the container to mount at. A claim needs one.
	// +optional
	Path string `json:"path,omitempty"`

	// readOnly mounts the volume so that the container cannot write to it. Defaults to
	// false.
	// +optional
	// +default=false
	ReadOnly bool `json:"readOnly,omitempty"`

	// claimName is the name of a PersistentVolumeClaim.
	// +optional
	ClaimName string `json:"claimName,omitempty"`

	// configMapName is the name of a ConfigMap.
	// +optional
	ConfigMapName string `json:"configMapName,omitempty"`

	// items are the keys of the ConfigMap to mount and, for each, the file below path to
	// mount it as. By default each key is mounted as the file of its name.
	// +optional
	Items map[string]string `json:"items,omitempty"`

	// secretName is the name of a Secret.
	// +optional
	SecretName string `json:"secretName,omitempty"`
}

// ContainerVolume says how a container mounts a volume of its MiniCluster.
type ContainerVolume struct {
	// path is the directory in the container to mount at.
	// +required
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
	Path string `json:"path,omitempty"`
}
