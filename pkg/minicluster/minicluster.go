// Package minicluster turns a MiniCluster into the objects that run it.
//
// Its functions are pure: they know no cluster, clock, log or environment, so that the operator,
// which owns what it creates, and fluxoperator-gen, which only prints it, get the same objects.
//
// # The order
//
//	Complete  puts in what the MiniCluster leaves to its defaults (complete.go)
//	Validate  says what its schema cannot say is wrong with it (validate.go)
//	Objects   makes the objects
//
// # What becomes of a MiniCluster
//
// An indexed Job runs a broker in each pod. Index 0 is the lead broker; the command starts from
// there, and its end is that of the Job. The brokers find each other by the host names that a
// headless Service gives them. How each container starts is a script in a ConfigMap; what Flux
// is configured with, the brokers' common certificate, and the keys of the Flux RESTful API are
// in others.
package minicluster

import (
	"fmt"
	"io"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// Object is any object of a Set.
type Object interface {
	metav1.Object
	runtime.Object
}

// Set holds the objects of a MiniCluster. They have their apiVersion and kind, and no owner.
type Set struct {
	// ConfigMaps are the scripts, the configuration of Flux and the keys.
	ConfigMaps []*corev1.ConfigMap
	// Volumes and Claims belong together by index. Volumes are not in the MiniCluster's
	// namespace, but in none.
	Volumes []*corev1.PersistentVolume
	Claims  []*corev1.PersistentVolumeClaim
	// Services are the headless one, which comes first, and one for each container that does
	// not run Flux and has ports. MiniClusters in one namespace share the headless one, if
	// they give it the same name.
	Services []*corev1.Service
	// ServicePod runs the services of the MiniCluster; it is nil where there are none.
	ServicePod *corev1.Pod
	// Job runs the MiniCluster.
	Job *batchv1.Job
}

// All returns the objects that there are, in an order in which they can be created.
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
	if s.Job != nil {
		all = append(all, s.Job)
	}
	return all
}

// Options is what Objects needs beside a MiniCluster.
type Options struct {
	// Rand is what keys and passwords that the MiniCluster leaves open are made from. It may
	// be nil where Existing has all of them.
	Rand io.Reader
	// Existing are ConfigMaps of an earlier set of the same MiniCluster. Keys and passwords
	// are taken from them as far as they go, so that those in use do not change.
	Existing []corev1.ConfigMap
}

// Objects returns the objects of a MiniCluster, or all that is wrong with it. The same
// MiniCluster and the same keys give the same objects.
func Objects(mc *api.MiniCluster, o Options) (*Set, error) {
	if errs := Validate(mc); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	mc = Complete(mc)
	keys, err := newKeys(mc, o)
	if err != nil {
		return nil, fmt.Errorf("making keys: %w", err)
	}
	configMaps, err := configMaps(mc, keys)
	if err != nil {
		return nil, err
	}
	return &Set{
		ConfigMaps: configMaps,
		Volumes:    persistentVolumes(mc),
		Claims:     claims(mc),
		Services:   services(mc),
		ServicePod: servicePod(mc),
		Job:        job(mc),
	}, nil
}
