package minicluster

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// persistentVolumes returns a volume for each entry of spec.volumes, reserved for its claim. Its data is
// what the user names, a directory or a handle, and may be others' too: so it is always retained, and
// delete says what becomes of the object.
func persistentVolumes(mc *api.MiniCluster) []*corev1.PersistentVolume {
	var all []*corev1.PersistentVolume
	for _, key := range slices.Sorted(maps.Keys(mc.Spec.Volumes)) {
		v := mc.Spec.Volumes[key]
		all = append(all, &corev1.PersistentVolume{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
			ObjectMeta: metav1.ObjectMeta{
				Name: VolumeName(mc, key),
				Labels: merged(v.Labels, Labels(mc), map[string]string{
					LabelNamespace: mc.Namespace,
					LabelDelete:    strconv.FormatBool(*v.Delete),
				}),
				Annotations: v.Annotations,
			},
			Spec: corev1.PersistentVolumeSpec{
				Capacity:                      capacity(v),
				AccessModes:                   []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
				PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
				StorageClassName:              v.StorageClass,
				PersistentVolumeSource:        source(v),
				ClaimRef: &corev1.ObjectReference{
					APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: mc.Namespace, Name: ClaimName(mc, key),
				},
			},
		})
	}
	return all
}

func source(v api.MiniClusterVolume) corev1.PersistentVolumeSource {
	if v.StorageClass == hostpath {
		return corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{
			Path: v.Path, Type: new(corev1.HostPathDirectoryOrCreate),
		}}
	}
	secret := &corev1.SecretReference{Namespace: v.SecretNamespace, Name: v.Secret}
	return corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{
		Driver:                     v.Driver,
		VolumeHandle:               v.VolumeHandle,
		VolumeAttributes:           v.Attributes,
		ControllerPublishSecretRef: secret,
		NodeStageSecretRef:         secret,
		NodePublishSecretRef:       secret,
	}}
}

func capacity(v api.MiniClusterVolume) corev1.ResourceList {
	q, err := resource.ParseQuantity(v.Capacity)
	if err != nil { // validate has parsed it
		return nil
	}
	return corev1.ResourceList{corev1.ResourceStorage: q}
}

// claims returns the claims of the volumes.
func claims(mc *api.MiniCluster) []*corev1.PersistentVolumeClaim {
	var all []*corev1.PersistentVolumeClaim
	for _, key := range slices.Sorted(maps.Keys(mc.Spec.Volumes)) {
		v := mc.Spec.Volumes[key]
		claim := &corev1.PersistentVolumeClaim{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
			ObjectMeta: meta(mc, ClaimName(mc, key), Labels(mc)),
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
				Resources:        corev1.VolumeResourceRequirements{Requests: capacity(v)},
				StorageClassName: new(v.StorageClass),
				VolumeName:       VolumeName(mc, key),
			},
		}
		claim.Annotations = v.ClaimAnnotations
		all = append(all, claim)
	}
	return all
}
