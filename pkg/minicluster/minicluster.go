// Package minicluster turns a MiniCluster into the objects that run it.
//
// Its functions are pure: they use no cluster, clock, log or environment. The operator, which owns
// the objects that it creates, and fluxoperator-gen, which only prints them, get the same objects.
//
// # Steps
//
//	NewDesired       applies the defaults (complete.go) and validates the result (validate.go)
//	Desired.Objects  builds the objects, without keys
//	Desired.SetKeys  sets the data of a Secret: given or generated keys (keys.go)
//
// # How a MiniCluster runs
//
// An indexed Job runs a broker in each pod. Index 0 is the lead broker: it runs the command, and the
// Job ends with it. A headless Service gives the brokers the host names by which they find each
// other. ConfigMaps hold the entrypoint of each container and the configuration of Flux. Secrets hold
// the brokers' CURVE certificate, the munge key, and the secrets of the Flux RESTful API and the users.
package minicluster

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// Desired is the desired state of a MiniCluster: its spec with all defaults applied, and valid.
type Desired struct {
	mc *api.MiniCluster
}

// NewDesired returns the desired state of mc, which it leaves unchanged, or all validation errors.
func NewDesired(mc *api.MiniCluster) (*Desired, field.ErrorList) {
	if errs := checkBounds(mc); len(errs) > 0 {
		return nil, errs
	}
	mc = complete(mc)
	if errs := validate(mc); len(errs) > 0 {
		return nil, errs
	}
	return &Desired{mc}, nil
}

// AtMaximumSize returns the desired state at the maximum size and with the default deadline. It stays
// the same when only size and deadlineSeconds change, and is d itself if it does not differ from d.
func (d *Desired) AtMaximumSize() *Desired {
	size := MaximumSize(d.mc)
	if Size(d.mc) == size && d.mc.Spec.DeadlineSeconds == defaultDeadline {
		return d
	}
	mc := *d.mc
	mc.Spec.Size, mc.Spec.DeadlineSeconds = size, defaultDeadline
	return &Desired{&mc}
}

// Objects builds the objects. The Secrets in Set.Keys have no data until SetKeys. An object of more than
// MaxObjectSize bytes is a *field.Error.
func (d *Desired) Objects() (*Set, error) {
	scripts, err := scripts(d.mc)
	if err != nil {
		return nil, err
	}
	set := &Set{
		ConfigMaps: []*corev1.ConfigMap{
			configMap(d.mc, EntrypointConfigMap(d.mc), scripts),
			configMap(d.mc, FluxConfigMap(d.mc), map[string]string{brokerConfigKey: brokerConfig(d.mc)}),
		},
		Volumes:    persistentVolumes(d.mc),
		Claims:     claims(d.mc),
		Services:   services(d.mc),
		ServicePod: servicePod(d.mc),
		Job:        job(d.mc),
	}
	for _, k := range keySecrets(d.mc) {
		set.Keys = append(set.Keys, k.secret(d.mc))
	}
	return set, set.checkSize(d.mc)
}

// Object is any object of a Set.
type Object interface {
	metav1.Object
	runtime.Object
}

// Set holds the objects of a MiniCluster. They have an apiVersion and a kind, and no owner.
type Set struct {
	// ConfigMaps are the entrypoints and the configuration of Flux.
	ConfigMaps []*corev1.ConfigMap
	// Volumes and Claims correspond by index. Volumes are cluster-scoped.
	Volumes []*corev1.PersistentVolume
	Claims  []*corev1.PersistentVolumeClaim
	// Services are the headless one, which comes first, and one for each container that has ports
	// and does not run Flux. MiniClusters in one namespace share the headless Service if they give
	// it the same name.
	Services []*corev1.Service
	// ServicePod runs the containers of spec.services; it is nil if there are none.
	ServicePod *corev1.Pod
	// Keys are the Secrets of the CURVE certificate, of the munge key, and of the Flux RESTful API
	// and the users.
	Keys []*corev1.Secret
	// Job runs the MiniCluster.
	Job *batchv1.Job
}

// All returns the objects in the order in which they are to be created.
func (s *Set) All() []Object {
	var all []Object
	for _, o := range s.ConfigMaps {
		all = append(all, o)
	}
	for _, o := range s.Volumes {
		all = append(all, o)
	}
	for _, o := range s.Claims {
		all = append(all, o)
	}
	for _, o := range s.Services {
		all = append(all, o)
	}
	if s.ServicePod != nil {
		all = append(all, s.ServicePod)
	}
	for _, o := range s.Keys {
		all = append(all, o)
	}
	if s.Job != nil {
		all = append(all, s.Job)
	}
	return all
}
