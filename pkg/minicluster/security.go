package minicluster

import (
	corev1 "k8s.io/api/core/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// AnnotationPodSecurity is an annotation in spec.pod.annotations. With the value "restricted" the pods meet
// the Pod Security Standard of that name: no process runs as root or can become root.
const AnnotationPodSecurity = api.GroupName + "/pod-security"

const restrictedStandard = "restricted"

// restricted reports whether the pods meet the Pod Security Standard restricted.
func restricted(mc *api.MiniCluster) bool {
	return mc.Spec.Pod.Annotations[AnnotationPodSecurity] == restrictedStandard
}

// podSecurity returns the security context of a pod. In a restricted pod the group of root lets the
// entrypoint read the Secrets.
func podSecurity(mc *api.MiniCluster, service bool) *corev1.PodSecurityContext {
	if !restricted(mc) {
		return nil
	}
	out := &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if !service {
		out.SupplementalGroups = []int64{0}
	}
	return out
}

// securityContext returns the privileges in the spec. Without the restricted standard, the container that
// runs Flux starts as root, whatever the user of its image; with it, as fluxUser.
func securityContext(s script) *corev1.SecurityContext {
	from := s.Container.SecurityContext
	out := &corev1.SecurityContext{}
	switch {
	case s.Restricted():
		out.AllowPrivilegeEscalation = new(false)
		out.Capabilities = &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}
		if s.Flux() {
			out.RunAsUser, out.RunAsGroup = new(int64(s.UID())), new(int64(s.UID()))
		}
		return out
	case !s.Flux() && !from.Privileged && len(from.AddCapabilities) == 0:
		return nil
	case s.Flux():
		out.RunAsUser = new(int64(0))
	}
	if from.Privileged {
		out.Privileged = new(true)
	}
	if len(from.AddCapabilities) > 0 {
		out.Capabilities = &corev1.Capabilities{}
		for _, name := range from.AddCapabilities {
			out.Capabilities.Add = append(out.Capabilities.Add, corev1.Capability(name))
		}
	}
	return out
}
