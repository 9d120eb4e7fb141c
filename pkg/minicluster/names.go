package minicluster

import (
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// The labels that objects of a MiniCluster have.
const (
	// LabelName has the value "minicluster".
	LabelName = "app.kubernetes.io/name"
	// LabelInstance has the name of the MiniCluster.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelComponent tells the pods of the Job (ComponentBroker) from the one of the services
	// (ComponentServices).
	LabelComponent = "app.kubernetes.io/component"
	// LabelManagedBy has the value "flux-operator".
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// LabelNetwork has the name of the headless Service that a pod gets its host name from.
	LabelNetwork = api.GroupName + "/network"
	// LabelNamespace has the namespace of a PersistentVolume's MiniCluster.
	LabelNamespace = api.GroupName + "/namespace"
)

// The values of LabelComponent.
const (
	ComponentBroker   = "broker"
	ComponentServices = "services"
)

// labelIndex is how the Job controller marks a pod with its index.
const labelIndex = "batch.kubernetes.io/job-completion-index"

// Labels returns the labels that all objects of a MiniCluster have but the headless Service,
// which may belong to several.
func Labels(mc *api.MiniCluster) map[string]string {
	return map[string]string{
		LabelName:      "minicluster",
		LabelInstance:  mc.Name,
		LabelManagedBy: "flux-operator",
	}
}

// Selector returns the label selector of the MiniCluster's pods, without that of the services,
// in the form that status.selector has.
func Selector(mc *api.MiniCluster) string {
	return labels.Set(podSelector(mc, ComponentBroker)).String()
}

// LeadSelector returns the label selector of the pod of the lead broker.
func LeadSelector(mc *api.MiniCluster) string {
	selector := podSelector(mc, ComponentBroker)
	selector[labelIndex] = "0"
	return labels.Set(selector).String()
}

// MaximumSize returns the most pods that can be asked for, what status.maximumSize should be.
// Once that is set, it stays.
func MaximumSize(mc *api.MiniCluster) int32 {
	if mc.Status.MaximumSize > 0 {
		return mc.Status.MaximumSize
	}
	return max(mc.Spec.Size, mc.Spec.MaxSize, 1)
}

// Size returns the number of pods to run: the size asked for, within its bounds.
func Size(mc *api.MiniCluster) int32 {
	return min(max(mc.Spec.Size, 1), MaximumSize(mc))
}

// MultiUser says whether others than the owner may use the MiniCluster.
func MultiUser(mc *api.MiniCluster) bool { return len(mc.Spec.Users) > 0 }

// EntrypointConfigMap returns the name of the ConfigMap with the scripts.
func EntrypointConfigMap(mc *api.MiniCluster) string { return mc.Name + "-entrypoint" }

// FluxConfigMap returns the name of the ConfigMap with the configuration of the brokers.
func FluxConfigMap(mc *api.MiniCluster) string { return mc.Name + "-flux-config" }

// CurveConfigMap returns the name of the ConfigMap with the certificate of the brokers.
func CurveConfigMap(mc *api.MiniCluster) string { return mc.Name + "-curve-mount" }

// RestfulConfigMap returns the name of the ConfigMap with the settings of the Flux RESTful API
// and the passwords of the users.
func RestfulConfigMap(mc *api.MiniCluster) string { return mc.Name + "-flux-restful" }

// ServicePodName returns the name of the pod that runs the services, and its host name.
func ServicePodName(mc *api.MiniCluster) string { return mc.Name + "-services" }

// VolumeName returns the name of the PersistentVolume of an entry of spec.volumes. It is made so
// that no two MiniClusters of any namespaces have it: neither a namespace nor a key has a dot.
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

// meta is the metadata of an object in the namespace of the MiniCluster.
func meta(mc *api.MiniCluster, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: mc.Namespace, Labels: labels}
}

// merged returns one map of several; where two have a key, the later one goes.
func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
