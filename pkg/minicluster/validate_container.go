package minicluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// pod is what containers of one pod must agree on.
type pod struct {
	names   map[string]bool                // of the containers so far
	sources map[string]corev1.VolumeSource // of the existing volumes so far
}

func (c *checks) containers(mc *api.MiniCluster) {
	at := field.NewPath("spec", "containers")
	flux := 0
	for i, container := range mc.Spec.Containers {
		if container.RunFlux {
			if flux++; flux == 2 {
				c.invalid(at.Index(i).Child("runFlux"), true, "only one container can run Flux")
			}
		}
	}
	if flux == 0 {
		c.required(at, "set runFlux in exactly one container")
	}
	exposed := map[string]bool{mc.Spec.Network.HeadlessName: true}
	for _, group := range []struct {
		path       *field.Path
		containers []api.MiniClusterContainer
		service    bool
	}{{at, mc.Spec.Containers, false}, {field.NewPath("spec", "services"), mc.Spec.Services, true}} {
		p := &pod{map[string]bool{}, map[string]corev1.VolumeSource{}}
		for i := range group.containers {
			s := script{mc, &group.containers[i], group.service}
			c.container(group.path.Index(i), s, p)
			c.exposed(group.path.Index(i), s, exposed)
		}
	}
}

func (c *checks) container(at *field.Path, s script, p *pod) {
	container := s.Container
	if !s.Flux() && container.Name == "" {
		c.required(at.Child("name"), "containers that do not run Flux must have a name")
	} else if !s.Flux() {
		c.must(at.Child("name"), container.Name, validation.IsDNS1123Label)
	}
	if !s.Flux() && s.name() != "" && (p.names[s.name()] || !s.Service && s.name() == s.MiniCluster.Name) {
		c.invalid(at.Child("name"), s.name(),
			"must be unique among the containers; the one that runs Flux has the name of the MiniCluster")
	}
	p.names[s.name()] = true

	c.commands(at, s)
	c.atLeast(at.Child("cores"), container.Cores, 0)
	c.may(at.Child("imagePullSecret"), container.ImagePullSecret, validation.IsDNS1123Subdomain)
	c.matches(at.Child("fluxUser", "name"), container.FluxUser.Name, userName, userNameRule)
	for _, problem := range validation.IsValidUserID(int64(*container.FluxUser.UID)) {
		c.invalid(at.Child("fluxUser", "uid"), *container.FluxUser.UID, "%s", problem)
	}
	limits := c.resources(at.Child("resources", "limits"), container.Resources.Limits)
	for name, request := range sorted(c.resources(at.Child("resources", "requests"), container.Resources.Requests)) {
		if limit, ok := limits[name]; ok && request.Cmp(limit) > 0 {
			c.invalid(at.Child("resources", "requests").Key(name), request.String(), "must not exceed the limit, %s",
				limit.String())
		}
	}
	for name := range sorted(container.Environment) {
		c.must(at.Child("environment").Key(name), name, validation.IsRelaxedEnvVarName)
	}
	for name, secret := range sorted(container.Secrets) {
		entry := at.Child("secrets").Key(name)
		c.must(entry, name, validation.IsRelaxedEnvVarName)
		c.must(entry.Child("name"), secret.Name, validation.IsDNS1123Subdomain)
		c.must(entry.Child("key"), secret.Key, validation.IsConfigMapKey)
		if _, ok := container.Environment[name]; ok {
			c.add(field.Duplicate(entry, name))
		}
	}
	c.mounts(at, s, p)
}

func (c *checks) commands(at *field.Path, s script) {
	container, commands := s.Container, *s.Container.Commands
	if container.Launcher && container.Batch {
		c.add(field.Forbidden(at.Child("launcher"), "may not be combined with batch"))
	}
	c.line(at.Child("commands", "prefix"), commands.Prefix)
	if s.Service && container.RunFlux {
		c.add(field.Forbidden(at.Child("runFlux"), "may not be set in services"))
	}
	if s.Flux() {
		return
	}
	if commands != (api.Commands{}) && container.Command == "" {
		c.required(at.Child("command"), "containers that do not run Flux must have a command if commands is set")
	}
	if !s.Service {
		return
	}
	for name, command := range sorted(map[string]string{
		"pre": commands.Pre, "brokerPre": commands.BrokerPre, "workerPre": commands.WorkerPre,
	}) {
		if command != "" {
			c.add(field.Forbidden(at.Child("commands", name), "may not be set in services, which have no brokers"))
		}
	}
}

// exposed checks the ports of a container, and the name of their Service.
func (c *checks) exposed(at *field.Path, s script, seen map[string]bool) {
	ports := map[int32]bool{}
	for i, port := range s.Container.Ports {
		c.port(at.Child("ports").Index(i), port)
		if ports[port] {
			c.add(field.Duplicate(at.Child("ports").Index(i), port))
		}
		ports[port] = true
	}
	if len(ports) == 0 || s.Flux() || s.Container.Name == "" {
		return
	}
	c.must(at.Child("name"), s.Container.Name, validation.IsDNS1035Label)
	if seen[s.Container.Name] {
		c.invalid(at.Child("name"), s.Container.Name,
			"must not be the name of another Service: each container with ports gets its own")
	}
	seen[s.Container.Name] = true
}

func (c *checks) mounts(at *field.Path, s script, p *pod) {
	taken := map[string]bool{}
	for _, mount := range mounts(script{s.MiniCluster,
		&api.MiniClusterContainer{RunFlux: s.Flux(), Command: s.Container.Command}, s.Service}) {
		taken[mount.MountPath] = true
	}
	place := func(at *field.Path, path string) {
		c.path(at, path)
		if taken[path] {
			c.invalid(at, path, "must be unique: another volume is mounted there")
		}
		taken[path] = true
	}
	for key, v := range sorted(s.Container.Volumes) {
		entry := at.Child("volumes").Key(key)
		if _, ok := s.MiniCluster.Spec.Volumes[key]; !ok {
			c.add(field.NotFound(entry, key))
		}
		place(entry.Child("path"), v.Path)
	}
	for key, v := range sorted(s.Container.ExistingVolumes) {
		entry := at.Child("existingVolumes").Key(key)
		c.existing(entry, key, v, p)
		if _, ok := s.MiniCluster.Spec.Volumes[key]; ok {
			c.invalid(entry, key, "must not be the name of a volume in spec.volumes")
		}
		if v.Path != "" {
			place(entry.Child("path"), v.Path)
		}
	}
}

func (c *checks) existing(at *field.Path, key string, v api.MiniClusterExistingVolume, p *pod) {
	c.volumeName(at, key)
	c.may(at.Child("secretName"), v.SecretName, validation.IsDNS1123Subdomain)
	c.may(at.Child("configMapName"), v.ConfigMapName, validation.IsDNS1123Subdomain)
	c.may(at.Child("claimName"), v.ClaimName, validation.IsDNS1123Subdomain)
	for item := range sorted(v.Items) {
		c.must(at.Child("items").Key(item), item, validation.IsConfigMapKey)
	}
	source := existingSource(v)
	switch {
	case v.SecretName != "" || v.ConfigMapName != "":
	case v.ClaimName == "":
		c.required(at, "set one of claimName, configMapName and secretName")
	case v.Path == "":
		c.required(at.Child("path"), "a claim must be mounted")
	}
	if other, ok := p.sources[key]; ok && !equality.Semantic.DeepEqual(other, source) {
		c.invalid(at, key, "must be the same volume in all containers of the pod")
	}
	p.sources[key] = source
}
