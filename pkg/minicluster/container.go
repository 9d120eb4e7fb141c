package minicluster

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// sidecars returns the other containers of a pod of the Job. They start before Flux and are stopped after
// it, and Kubernetes restarts one that fails.
func sidecars(mc *api.MiniCluster) []corev1.Container {
	var all []corev1.Container
	for i := range mc.Spec.Containers {
		if s := (script{mc, &mc.Spec.Containers[i], false}); s.Sidecar() {
			c := container(s)
			c.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
			all = append(all, c)
		}
	}
	return all
}

// serviceContainers returns the containers of the pod of spec.services.
func serviceContainers(mc *api.MiniCluster) []corev1.Container {
	var all []corev1.Container
	for i := range mc.Spec.Services {
		all = append(all, container(script{mc, &mc.Spec.Services[i], true}))
	}
	return all
}

func container(s script) corev1.Container {
	c := s.Container
	out := corev1.Container{
		Name:            s.name(),
		Image:           c.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		WorkingDir:      c.WorkingDir,
		Ports:           ports(s),
		Env:             environment(c),
		Resources:       resources(s),
		VolumeMounts:    mounts(s),
		Lifecycle:       lifecycle(c.LifeCycle),
		SecurityContext: securityContext(s),
	}
	if c.PullAlways {
		out.ImagePullPolicy = corev1.PullAlways
	}
	if s.exists() {
		out.Command = []string{s.Shell(), scriptDir + "/" + s.key()}
		out.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
	}
	return out
}

// ports returns the ports in the spec and, for the container that runs Flux, those of the broker and of
// the Flux RESTful API.
func ports(s script) []corev1.ContainerPort {
	all := slices.Clone(s.Container.Ports)
	if s.Flux() {
		all = append(all, brokerPort)
		if s.ServesRestful() {
			all = append(all, s.MiniCluster.Spec.FluxRestful.Port)
		}
	}
	slices.Sort(all)
	var out []corev1.ContainerPort
	for _, port := range slices.Compact(all) {
		out = append(out, corev1.ContainerPort{ContainerPort: port, Protocol: corev1.ProtocolTCP})
	}
	return out
}

func environment(c *api.MiniClusterContainer) []corev1.EnvVar {
	var all []corev1.EnvVar
	for _, name := range slices.Sorted(maps.Keys(c.Environment)) {
		all = append(all, corev1.EnvVar{Name: name, Value: c.Environment[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		secret := c.Secrets[name]
		all = append(all, corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
			SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: secret.Name},
				Key:                  secret.Key,
			},
		}})
	}
	return all
}

// resources returns the resources of a container. The one that runs Flux also requests the overhead of
// the pod, as the API server rejects pods that set an overhead.
func resources(s script) corev1.ResourceRequirements {
	limits, requests := quantities(s.Container.Resources.Limits), quantities(s.Container.Resources.Requests)
	if s.Flux() {
		limits, requests = withOverhead(limits, requests, quantities(s.MiniCluster.Spec.Pod.Resources))
	}
	return corev1.ResourceRequirements{Limits: limits, Requests: requests}
}

// withOverhead adds the overhead to the requests, and to existing limits. An extended resource cannot be
// requested without a limit, so it always gets one.
func withOverhead(limits, requests, overhead corev1.ResourceList) (corev1.ResourceList, corev1.ResourceList) {
	for name, more := range overhead {
		limit, limited := limits[name]
		request, requested := requests[name]
		if !requested {
			request = limit.DeepCopy()
		}
		request.Add(more)
		requests[name] = request
		if limited || strings.Contains(string(name), "/") {
			limit.Add(more)
			limits[name] = limit
		}
	}
	return limits, requests
}

func quantities(from map[string]intstr.IntOrString) corev1.ResourceList {
	all := corev1.ResourceList{}
	for name, value := range from {
		if q, err := resource.ParseQuantity(value.String()); err == nil { // validate has parsed it
			all[corev1.ResourceName(name)] = q
		}
	}
	return all
}

func lifecycle(from *api.LifeCycle) *corev1.Lifecycle {
	if *from == (api.LifeCycle{}) {
		return nil
	}
	return &corev1.Lifecycle{PostStart: handler(from.PostStartExec), PreStop: handler(from.PreStopExec)}
}

func handler(command string) *corev1.LifecycleHandler {
	if command == "" {
		return nil
	}
	return &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"/bin/sh", "-c", command}}}
}
