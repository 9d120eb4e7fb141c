package minicluster

import (
	"cmp"
	"fmt"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

const (
	brokerPort     = 8050
	hostpath       = "hostpath"
	defaultImage   = "ghcr.io/rse-ops/accounting:app-latest"
	defaultLogs    = "/tmp/fluxout"
	defaultUser    = "flux"
	defaultService = "flux-service"
	defaultBranch  = "main"

	defaultDeadline = 31500000

	restartOnPodLoss = "OnPodLoss"
	restartNever     = "Never"
)

// complete returns a copy of mc with all defaults applied and no nil pointer except
// flux.bursting.leadBroker, whose absence has a meaning. The API server applies defaults only inside
// of structs that are present; complete also adds those that are absent, and applies the defaults
// that depend on other fields. The size of a bursted cluster stays open: it defaults to the current
// size (burstedSize). A zero value counts as absent.
func complete(mc *api.MiniCluster) *api.MiniCluster {
	mc = mc.DeepCopy()
	spec := &mc.Spec
	spec.Size = cmp.Or(spec.Size, 1)
	spec.MaxSize = cmp.Or(spec.MaxSize, spec.Size)
	spec.Tasks = cmp.Or(spec.Tasks, 1)
	spec.DeadlineSeconds = cmp.Or(spec.DeadlineSeconds, defaultDeadline)
	spec.RestartPolicy = cmp.Or(spec.RestartPolicy, restartOnPodLoss)
	completeFlux(present(&spec.Flux))

	restful := present(&spec.FluxRestful)
	restful.Branch = cmp.Or(restful.Branch, defaultBranch)
	restful.Port = cmp.Or(restful.Port, 5000)
	restful.Username = cmp.Or(restful.Username, defaultUser)

	present(&spec.Archive)
	present(&spec.Pod)
	logging := present(&spec.Logging)
	logging.Strict = cmp.Or(logging.Strict, new(true))
	network := present(&spec.Network)
	network.HeadlessName = cmp.Or(network.HeadlessName, defaultService)

	for key, volume := range spec.Volumes {
		volume.StorageClass = cmp.Or(volume.StorageClass, hostpath)
		volume.VolumeHandle = cmp.Or(volume.VolumeHandle, volume.StorageClass)
		volume.SecretNamespace = cmp.Or(volume.SecretNamespace, "default")
		volume.Capacity = cmp.Or(volume.Capacity, "5Gi")
		volume.Delete = cmp.Or(volume.Delete, new(true))
		spec.Volumes[key] = volume
	}
	for i := range spec.Containers {
		completeContainer(&spec.Containers[i])
		spec.Containers[i].RunFlux = spec.Containers[i].RunFlux || len(spec.Containers) == 1
	}
	for i := range spec.Services {
		completeContainer(&spec.Services[i])
	}
	return mc
}

func completeFlux(flux *api.FluxSpec) {
	flux.InstallRoot = cmp.Or(flux.InstallRoot, "/usr")
	flux.ConnectTimeout = cmp.Or(flux.ConnectTimeout, new("5s"))
	flux.LogLevel = cmp.Or(flux.LogLevel, new(int32(6)))
	scheduler := present(&flux.Scheduler)
	scheduler.QueuePolicy = cmp.Or(scheduler.QueuePolicy, "fcfs")
	bursting := present(&flux.Bursting)
	for i := range bursting.Clusters {
		cluster := &bursting.Clusters[i]
		cluster.Name = cmp.Or(cluster.Name, fmt.Sprintf("burst-%d", i))
	}
	if lead := bursting.LeadBroker; lead != nil {
		lead.Port = cmp.Or(lead.Port, brokerPort)
	}
}

func completeContainer(c *api.MiniClusterContainer) {
	c.Image = cmp.Or(c.Image, defaultImage)
	c.Logs = cmp.Or(c.Logs, defaultLogs)
	user := present(&c.FluxUser)
	user.Name = cmp.Or(user.Name, defaultUser)
	user.UID = cmp.Or(user.UID, new(1000))
	present(&c.Commands)
	present(&c.Resources)
	present(&c.LifeCycle)
	present(&c.SecurityContext)
}

// present makes a nil pointer point to a zero value.
func present[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}
