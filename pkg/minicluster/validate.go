package minicluster

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

var userName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)

const userNameRule = "a user name: up to 32 lower-case letters, digits, - and _, beginning with a letter"

// validate checks a complete MiniCluster beyond its schema: rules that involve several fields, and
// values that the API server would reject in the objects built from it.
func validate(mc *api.MiniCluster) field.ErrorList {
	c := &checks{}
	c.metadata(mc)
	c.sizes(mc)
	c.containers(mc)
	c.flux(mc)
	c.users(mc)
	for key, v := range sorted(mc.Spec.Volumes) {
		c.volume(field.NewPath("spec", "volumes").Key(key), key, v)
	}
	c.pods(mc)
	c.podSecurity(mc)
	return c.errs
}

func (c *checks) metadata(mc *api.MiniCluster) {
	metadata := field.NewPath("metadata")
	if mc.Name == "" {
		c.required(metadata.Child("name"), "host names are derived from it")
		return
	}
	c.must(metadata.Child("name"), mc.Name, validation.IsDNS1123Label)
	last := mc.Name + "-" + strconv.Itoa(int(MaximumSize(mc)-1))
	if len(mc.Spec.Services) > 0 && len(ServicePodName(mc)) > len(last) {
		last = ServicePodName(mc)
	}
	if len(last) > validation.DNS1123LabelMaxLength {
		c.invalid(metadata.Child("name"), mc.Name, "is too long: the host name %s would have more than %d characters",
			last, validation.DNS1123LabelMaxLength)
	}
	if mc.Namespace == "" && len(mc.Spec.Volumes) > 0 {
		c.required(metadata.Child("namespace"), "names of persistent volumes are derived from it")
	}
}

func (c *checks) sizes(mc *api.MiniCluster) {
	spec := field.NewPath("spec")
	c.atLeast(spec.Child("size"), mc.Spec.Size, 1)
	c.atLeast(spec.Child("tasks"), mc.Spec.Tasks, 1)
	if mc.Status.MaximumSize == 0 && mc.Spec.MaxSize < mc.Spec.Size {
		c.invalid(spec.Child("maxSize"), mc.Spec.MaxSize, "must not be less than size, %d", mc.Spec.Size)
	}
	if seconds := mc.Spec.DeadlineSeconds; seconds < 1 {
		c.invalid(spec.Child("deadlineSeconds"), seconds, "must be 1 or more")
	}
}

func (c *checks) users(mc *api.MiniCluster) {
	restful := field.NewPath("spec", "fluxRestful")
	c.port(restful.Child("port"), mc.Spec.FluxRestful.Port)
	if branch := mc.Spec.FluxRestful.Branch; servesRestful(mc) && branch != defaultBranch {
		c.invalid(restful.Child("branch"), branch, "must be %s: a release of the API runs, not a branch; "+
			"for another release, use an image that has it in /opt/flux-restful", defaultBranch)
	}
	seen := map[string]bool{}
	for i, user := range mc.Spec.Users {
		at := field.NewPath("spec", "users").Index(i)
		c.matches(at.Child("name"), user.Name, userName, userNameRule)
		if seen[user.Name] {
			c.add(field.Duplicate(at.Child("name"), user.Name))
		}
		seen[user.Name] = true
		if len(user.Password) > maxPassword {
			c.add(field.TooLong(at.Child("password"), "", maxPassword))
		}
		if strings.ContainsAny(user.Password, "\n\r") {
			c.add(field.Invalid(at.Child("password"), field.OmitValueType{}, "must be a single line"))
		}
	}
}

func (c *checks) volume(at *field.Path, key string, v api.MiniClusterVolume) {
	c.volumeName(at, key)
	c.must(at.Child("storageClass"), v.StorageClass, validation.IsDNS1123Subdomain)
	switch {
	case v.StorageClass == hostpath && !path.IsAbs(v.Path):
		c.invalid(at.Child("path"), v.Path, "must be the absolute path of a directory on the node")
	case v.StorageClass == hostpath && strings.Contains("/"+v.Path+"/", "/../"):
		c.invalid(at.Child("path"), v.Path, "must not contain ..")
	}
	if v.StorageClass != hostpath && v.Driver == "" {
		c.required(at.Child("driver"), "storage class %s needs a CSI driver", v.StorageClass)
	}
	if v.StorageClass != hostpath && v.Secret == "" {
		c.required(at.Child("secret"), "storage class %s needs a Secret to publish the volume", v.StorageClass)
	}
	c.may(at.Child("driver"), v.Driver, validation.IsDNS1123Subdomain)
	c.may(at.Child("secret"), v.Secret, validation.IsDNS1123Subdomain)
	c.must(at.Child("secretNamespace"), v.SecretNamespace, validation.IsDNS1123Label)
	if q, ok := c.quantity(at.Child("capacity"), v.Capacity); ok && q.IsZero() {
		c.invalid(at.Child("capacity"), v.Capacity, "must be greater than 0")
	}
	c.labels(at.Child("labels"), v.Labels)
	c.annotations(at.Child("annotations"), v.Annotations)
	c.annotations(at.Child("claimAnnotations"), v.ClaimAnnotations)
}

// volumeName checks the name of a volume in a pod.
func (c *checks) volumeName(at *field.Path, name string) {
	c.must(at, name, validation.IsDNS1123Label)
	if strings.HasPrefix(name, reserved) {
		c.invalid(at, name, "must not begin with %s, which is reserved for the operator", reserved)
	}
}

func (c *checks) pods(mc *api.MiniCluster) {
	spec := field.NewPath("spec")
	c.labels(spec.Child("jobLabels"), mc.Spec.JobLabels)
	c.must(spec.Child("network", "headlessName"), mc.Spec.Network.HeadlessName, validation.IsDNS1035Label)
	pod := mc.Spec.Pod
	c.labels(spec.Child("pod", "labels"), pod.Labels)
	c.annotations(spec.Child("pod", "annotations"), pod.Annotations)
	c.labels(spec.Child("pod", "nodeSelector"), pod.NodeSelector)
	c.may(spec.Child("pod", "serviceAccountName"), pod.ServiceAccountName, validation.IsDNS1123Subdomain)
	c.resources(spec.Child("pod", "resources"), pod.Resources)
}
