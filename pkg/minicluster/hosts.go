package minicluster

import (
	"cmp"
	"fmt"
	"strings"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// hosts lists all hosts that brokers may run on, ordered by rank, in Flux's hostlist notation. It covers
// the maximum size, so that scaling does not change the configuration.
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
		all = append(all, hostRange(cluster.Name, burstedSize(mc, cluster)))
	}
	return strings.Join(all, ",")
}

// burstedSize returns the number of brokers of a bursted cluster, by default as many as in mc.
func burstedSize(mc *api.MiniCluster, cluster api.BurstedCluster) int32 {
	return cmp.Or(cluster.Size, Size(mc))
}

// hostRange returns "name-[0-3]" for size 4.
func hostRange(name string, size int32) string {
	return fmt.Sprintf("%s-[%s]", name, indexes(size))
}

// indexes returns "0-3" for size 4.
func indexes(size int32) string {
	if size == 1 {
		return "0"
	}
	return fmt.Sprintf("0-%d", size-1)
}

// bursts reports whether the MiniCluster has hosts in other clusters.
func bursts(mc *api.MiniCluster) bool {
	bursting := mc.Spec.Flux.Bursting
	return bursting.LeadBroker != nil || bursting.Hostlist != "" || len(bursting.Clusters) > 0
}
