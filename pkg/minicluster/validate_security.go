package minicluster

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// podSecurity checks that nothing needs root in pods that meet the Pod Security Standard restricted.
func (c *checks) podSecurity(mc *api.MiniCluster) {
	spec := field.NewPath("spec")
	standard, ok := mc.Spec.Pod.Annotations[AnnotationPodSecurity]
	if !ok {
		return
	}
	c.oneOf(spec.Child("pod", "annotations").Key(AnnotationPodSecurity), standard, restrictedStandard)
	forbidden := func(holds bool, at *field.Path, reason string) {
		if holds {
			c.forbidden(at, "may not be set with the annotation "+AnnotationPodSecurity+": "+reason)
		}
	}
	forbidden(MultiUser(mc), spec.Child("users"), "Flux needs root to run jobs of several users")
	forbidden(mc.Spec.Flux.MungeSecret != "", spec.Child("flux", "mungeSecret"), "munge needs a user of its own")
	for group, containers := range sorted(map[string][]api.MiniClusterContainer{"containers": mc.Spec.Containers,
		"services": mc.Spec.Services}) {
		for i, container := range containers {
			at := spec.Child(group).Index(i)
			forbidden(container.SecurityContext.Privileged, at.Child("securityContext", "privileged"),
				"it gives the container all privileges")
			forbidden(len(container.SecurityContext.AddCapabilities) > 0, at.Child("securityContext", "addCapabilities"),
				"the containers have no capabilities")
			if !(script{mc, &container, group == "services"}).Flux() {
				continue
			}
			forbidden(container.Commands.RunFluxAsRoot, at.Child("commands", "runFluxAsRoot"), "no process runs as root")
			if *container.FluxUser.UID == 0 {
				c.invalid(at.Child("fluxUser", "uid"), 0, "must not be 0 with the annotation %s", AnnotationPodSecurity)
			}
			if servesRestful(mc) {
				c.required(at.Child("command"), "the Flux RESTful API, which runs without a command, is installed by root: "+
					"set command or interactive with the annotation %s", AnnotationPodSecurity)
			}
		}
	}
}
