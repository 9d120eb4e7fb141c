package minicluster

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// VolumePolicy is what spec.volumes may name. The zero value allows no volumes.
//
// A PersistentVolume is cluster-scoped, so whoever writes spec.volumes reaches beyond the namespace:
// to the nodes' file systems, to whatever a CSI driver finds under a handle, and, by reserved
// annotations, to the controllers that manage volumes.
type VolumePolicy struct {
	// Allowed allows spec.volumes at all.
	Allowed bool
	// HostPaths are the directories of a node, absolute and clean, in or below which a volume of
	// the storage class hostpath must be.
	HostPaths []string
	// Drivers are the CSI drivers that volumes of other storage classes may have.
	Drivers []string
}

// Check returns what the policy does not allow in spec.volumes.
func (p VolumePolicy) Check(d *Desired) field.ErrorList {
	c, spec := &checks{}, field.NewPath("spec", "volumes")
	if len(d.mc.Spec.Volumes) > 0 && !p.Allowed {
		c.forbidden(spec, "persistent volumes are disabled (--allow-volumes=false)")
		return c.errs
	}
	for key, v := range sorted(d.mc.Spec.Volumes) {
		at := spec.Key(key)
		if v.StorageClass == hostpath {
			p.hostPath(c, at, v)
		} else {
			p.csi(c, at, v, d.mc.Namespace)
		}
		c.unreserved(at.Child("labels"), v.Labels)
		c.unreserved(at.Child("annotations"), v.Annotations)
		c.unreserved(at.Child("claimAnnotations"), v.ClaimAnnotations)
		c.unreserved(at.Child("attributes"), v.Attributes)
	}
	return c.errs
}

func (p VolumePolicy) hostPath(c *checks, at *field.Path, v api.MiniClusterVolume) {
	inside := func(directory string) bool {
		rest, err := filepath.Rel(directory, path.Clean(v.Path))
		return err == nil && filepath.IsLocal(rest)
	}
	switch {
	case len(p.HostPaths) == 0:
		c.forbidden(at.Child("path"), "no directories of nodes are allowed (--allow-host-paths)")
	case !slices.ContainsFunc(p.HostPaths, inside):
		c.forbidden(at.Child("path"), "must be in or below "+strings.Join(p.HostPaths, ", ")+" (--allow-host-paths)")
	}
}

func (p VolumePolicy) csi(c *checks, at *field.Path, v api.MiniClusterVolume, namespace string) {
	if !slices.Contains(p.Drivers, v.Driver) {
		allowed := strings.Join(p.Drivers, ", ")
		if allowed == "" {
			allowed = "none"
		}
		c.forbidden(at.Child("driver"), "allowed are: "+allowed+" (--allow-csi-drivers)")
	}
	if v.SecretNamespace != namespace {
		c.forbidden(at.Child("secretNamespace"), "must be "+namespace+", the namespace of the MiniCluster, but is "+
			v.SecretNamespace)
	}
}

// unreserved rejects keys that controllers of Kubernetes or the operator act on.
func (c *checks) unreserved(at *field.Path, all map[string]string) {
	for key := range sorted(all) {
		domain, _, prefixed := strings.Cut(key, "/")
		for _, reserved := range []string{"kubernetes.io", "k8s.io", api.GroupName} {
			if prefixed && strings.HasSuffix("."+strings.ToLower(domain), "."+reserved) {
				c.forbidden(at.Key(key), "keys of "+reserved+" are reserved")
			}
		}
	}
}

func (c *checks) forbidden(path *field.Path, why string) {
	c.add(field.Forbidden(path, why))
}
