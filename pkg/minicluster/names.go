package minicluster

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The labels of the objects of a MiniCluster.
const (
	// LabelName is always "minicluster".
	LabelName = "app.kubernetes.io/name"
	// LabelInstance is the name of the MiniCluster.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelComponent distinguishes the pods of the Job (ComponentBroker) from the pod of spec.services
	// (ComponentServices).
	LabelComponent = "app.kubernetes.io/component"
	// LabelManagedBy is always "flux-operator".
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// LabelNetwork is the name of the headless Service that gives a pod its host name.
	LabelNetwork = api.GroupName + "/network"
	// LabelNamespace is the namespace of the MiniCluster of a PersistentVolume.
	LabelNamespace = api.GroupName + "/namespace"
	// LabelDelete is "true" on a PersistentVolume that goes with its MiniCluster. Its data never does.
	LabelDelete = api.GroupName + "/delete"
)

// The values of LabelComponent.
const (
	ComponentBroker   = "broker"
	ComponentServices = "services"
)

// labelIndex is the label that the Job controller sets to the index of a pod.
const labelIndex = "batch.kubernetes.io/job-completion-index"

// Labels returns the labels of all objects of a MiniCluster except the headless Service, which several
// MiniClusters may share.
func Labels(mc *api.MiniCluster) map[string]string {
	return map[string]string{
		LabelName:      "minicluster",
		LabelInstance:  mc.Name,
		LabelManagedBy: "flux-operator",
	}
}

// Selector returns the label selector of the MiniCluster's brokers, in the format of status.selector.
func Selector(mc *api.MiniCluster) string {
	return labels.Set(podSelector(mc, ComponentBroker)).String()
}

// LeadSelector returns the label selector of the pod of the lead broker.
func LeadSelector(mc *api.MiniCluster) string {
	selector := podSelector(mc, ComponentBroker)
	selector[labelIndex] = "0"
	return labels.Set(selector).String()
}

// MaximumSize returns the maximum number of pods, for status.maximumSize. Once that is set, it does not
// change.
func MaximumSize(mc *api.MiniCluster) int32 {
	if mc.Status.MaximumSize > 0 {
		return mc.Status.MaximumSize
	}
	return max(mc.Spec.Size, mc.Spec.MaxSize, 1)
}

// Size returns the number of pods to run: spec.size within its bounds.
func Size(mc *api.MiniCluster) int32 {
	return min(max(mc.Spec.Size, 1), MaximumSize(mc))
}

// MultiUser reports whether users other than the owner may submit jobs.
func MultiUser(mc *api.MiniCluster) bool { return len(mc.Spec.Users) > 0 }

// EntrypointConfigMap returns the name of the ConfigMap of the entrypoints.
func EntrypointConfigMap(mc *api.MiniCluster) string { return mc.Name + "-entrypoint" }

// FluxConfigMap returns the name of the ConfigMap of the broker configuration.
func FluxConfigMap(mc *api.MiniCluster) string { return mc.Name + "-flux-config" }

// ServicePodName returns the name and host name of the pod of spec.services.
func ServicePodName(mc *api.MiniCluster) string { return mc.Name + "-services" }

// VolumeName returns the name of the PersistentVolume of an entry of spec.volumes. It is unique in the
// cluster: neither namespaces nor keys contain dots.
func VolumeName(mc *api.MiniCluster, key string) string {
	return fmt.Sprintf("%s.%s.%s", mc.Namespace, mc.Name, key)
}

// ClaimName returns the name of the PersistentVolumeClaim of an entry of spec.volumes.
func ClaimName(mc *api.MiniCluster, key string) string {
	return fmt.Sprintf("%s.%s", mc.Name, key)
}

func podSelector(mc *api.MiniCluster, component string) map[string]string {
	return map[string]string{
		LabelName:      "minicluster",
		LabelInstance:  mc.Name,
		LabelComponent: component,
	}
}

func podLabels(mc *api.MiniCluster, component string) map[string]string {
	return merged(mc.Spec.Pod.Labels, Labels(mc), map[string]string{
		LabelComponent: component,
		LabelNetwork:   mc.Spec.Network.HeadlessName,
	})
}

// meta returns the metadata of a namespaced object.
func meta(mc *api.MiniCluster, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: mc.Namespace, Labels: labels}
}

// merged returns the union of maps; for a key in several, the last one wins.
func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
