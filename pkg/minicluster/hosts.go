package minicluster

import (
	"fmt"
	"strings"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// hosts names all hosts that the brokers may run on, in the order of their ranks and in Flux's
// notation. They are as many as the MiniCluster can have, so that it can grow without a new
// configuration.
func hosts(mc *api.MiniCluster) string {
	bursting := mc.Spec.Flux.Bursting
	if bursting.Hostlist != "" {
		return bursting.Hostlist
	}
	all := []string{hostRange(mc.Name, MaximumSize(mc))}
	if lead := bursting.LeadBroker; lead != nil {
		all[0] = hostRange(lead.Name, lead.Size)
	}
	for _, cluster := range bursting.Clusters {
		all = append(all, hostRange(cluster.Name, cluster.Size))
	}
	return strings.Join(all, ",")
}

// hostRange is "name-[0-3]" for 4 hosts.
func hostRange(name string, size int32) string {
	return fmt.Sprintf("%s-[%s]", name, indexes(size))
}

// indexes is "0-3" for 4.
func indexes(size int32) string {
	if size == 1 {
		return "0"
	}
	return fmt.Sprintf("0-%d", size-1)
}

// bursts says whether hosts of other clusters belong to the MiniCluster.
func bursts(mc *api.MiniCluster) bool {
	bursting := mc.Spec.Flux.Bursting
	return bursting.LeadBroker != nil || bursting.Hostlist != "" || len(bursting.Clusters) > 0
}
