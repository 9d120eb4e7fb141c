package minicluster

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

func services(mc *api.MiniCluster) []*corev1.Service {
	all := []*corev1.Service{headless(mc)}
	add := func(from []api.MiniClusterContainer, service bool, component string) {
		for i := range from {
			if s := (script{mc, &from[i], service}); !s.Flux() && len(from[i].Ports) > 0 {
				all = append(all, portService(mc, &from[i], podSelector(mc, component)))
			}
		}
	}
	add(mc.Spec.Containers, false, ComponentBroker)
	add(mc.Spec.Services, true, ComponentServices)
	return all
}

// headless returns the Service that gives the pods their host names. All MiniClusters of the namespace
// that use its name share it, and it selects their pods; host names begin with the name of the
// MiniCluster, so they do not collide. Addresses of pods that are not ready are published, as brokers
// connect while they start.
func headless(mc *api.MiniCluster) *corev1.Service {
	selector := map[string]string{LabelNetwork: mc.Spec.Network.HeadlessName}
	if mc.Spec.Flux.MinimalService {
		selector[labelIndex] = "0"
	}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: meta(mc, mc.Spec.Network.HeadlessName, map[string]string{LabelManagedBy: Labels(mc)[LabelManagedBy]}),
		Spec: corev1.ServiceSpec{
			ClusterIP:                corev1.ClusterIPNone,
			PublishNotReadyAddresses: true,
			Selector:                 selector,
		},
	}
}

// portService returns the Service of the ports of a container that does not run Flux.
func portService(mc *api.MiniCluster, c *api.MiniClusterContainer, selector map[string]string) *corev1.Service {
	var ports []corev1.ServicePort
	for _, port := range c.Ports {
		ports = append(ports, corev1.ServicePort{
			Name:       fmt.Sprintf("tcp-%d", port),
			Protocol:   corev1.ProtocolTCP,
			Port:       port,
			TargetPort: intstr.FromInt32(port),
		})
	}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: meta(mc, c.Name, Labels(mc)),
		Spec:       corev1.ServiceSpec{Selector: selector, Ports: ports},
	}
}

// servicePod returns the pod that runs spec.services for as long as the MiniCluster exists.
func servicePod(mc *api.MiniCluster) *corev1.Pod {
	spec := mc.Spec
	if len(spec.Services) == 0 {
		return nil
	}
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: meta(mc, ServicePodName(mc), podLabels(mc, ComponentServices)),
		Spec: corev1.PodSpec{
			Containers:            serviceContainers(mc),
			Volumes:               podVolumes(mc, spec.Services, true),
			RestartPolicy:         corev1.RestartPolicyAlways,
			Hostname:              ServicePodName(mc),
			Subdomain:             spec.Network.HeadlessName,
			ShareProcessNamespace: shared(mc),
			ImagePullSecrets:      pullSecrets(spec.Services),
			SecurityContext:       podSecurity(mc, true),
			ServiceAccountName:    spec.Pod.ServiceAccountName,
			NodeSelector:          spec.Pod.NodeSelector,
		},
	}
	pod.Annotations = maps.Clone(spec.Pod.Annotations)
	return pod
}
