package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/config/crd"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
)

// miniClusters compiles the CustomResourceDefinition once.
var miniClusters = sync.OnceValues(func() (*server, error) { return newServer(crd.MiniClusters) })

// cluster is a MiniCluster of a file.
type cluster struct {
	desired *minicluster.Desired
	objects *minicluster.Set
}

// decode decodes the MiniClusters of a file as the API server would store them. Those without a
// namespace are in the given one. The error is a scanner.ErrorList of all errors in the file.
func decode(file string, data []byte, namespace string) ([]*cluster, error) {
	all, errs := documents(file, data)
	s, err := miniClusters()
	if err != nil {
		return nil, err
	}
	var clusters []*cluster
	for _, d := range all {
		c, list := d.decode(s, namespace)
		clusters = append(clusters, c)
		errs = append(errs, list...)
	}
	errs.Sort()
	return clusters, errs.Err()
}

// decode follows a request through the API server: kind, unknown fields, defaulting, validation by
// the schema and, if the schema accepts it, validation by the operator and of the objects' size.
func (d *document) decode(s *server, namespace string) (*cluster, scanner.ErrorList) {
	if list := d.kind(); len(list) > 0 {
		return nil, list
	}
	metadata, list := d.metadata(namespace)
	unknown, errs := s.admit(d.fields)
	for _, path := range unknown {
		list.Add(d.field(path), fmt.Sprintf("%s: unknown field", path))
	}
	list = append(list, d.diagnostics(errs)...)
	if len(errs) > 0 || metadata == nil {
		return nil, list
	}
	mc, err := d.typed(*metadata)
	if err != nil {
		list.Add(d.at(d.root), err.Error())
		return nil, list
	}
	desired, errs := minicluster.NewDesired(mc)
	if len(errs) > 0 {
		return nil, append(list, d.diagnostics(errs)...)
	}
	objects, err := desired.Objects()
	if tooLarge, ok := errors.AsType[*field.Error](err); ok {
		list = append(list, d.diagnostics(field.ErrorList{tooLarge})...)
	} else if err != nil {
		list.Add(d.at(d.root), err.Error())
	}
	return &cluster{desired, objects}, list
}

// kind checks apiVersion and kind.
func (d *document) kind() scanner.ErrorList {
	var list scanner.ErrorList
	for _, want := range []struct{ name, value string }{
		{"apiVersion", api.SchemeGroupVersion.String()}, {"kind", "MiniCluster"},
	} {
		if got := d.fields[want.name]; got == nil {
			list.Add(d.find(want.name), fmt.Sprintf("%s: Required value: must be %s", want.name, want.value))
		} else if got != want.value {
			list.Add(d.find(want.name), fmt.Sprintf("%s: Invalid value: %#v: must be %s", want.name, got, want.value))
		}
	}
	return list
}

// metadata decodes the metadata, which the schema leaves out; it is nil if that fails.
func (d *document) metadata(namespace string) (*metav1.ObjectMeta, scanner.ErrorList) {
	var list scanner.ErrorList
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(d.fields,
		objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		path := "metadata"
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			path += "." + wrong.Field
		}
		list.Add(d.find(path), fmt.Sprintf("%s: %s", path, strings.TrimPrefix(err.Error(), "json: ")))
		return nil, list
	}
	for _, path := range unknown {
		list.Add(d.field(path), fmt.Sprintf("%s: unknown field", path))
	}
	if !found {
		meta = &metav1.ObjectMeta{}
	}
	if meta.Namespace == "" {
		meta.Namespace = namespace
	}
	errs := validation.ValidateObjectMeta(meta, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))
	// NewDesired is stricter
	errs = slices.DeleteFunc(errs, func(err *field.Error) bool { return err.Field == "metadata.name" })
	return meta, append(list, d.diagnostics(errs)...)
}

// typed decodes the fields, which the schema has accepted.
func (d *document) typed(metadata metav1.ObjectMeta) (*api.MiniCluster, error) {
	delete(d.fields, "metadata")
	data, err := json.Marshal(d.fields)
	if err != nil {
		return nil, err
	}
	mc := &api.MiniCluster{}
	err = json.Unmarshal(data, mc)
	mc.ObjectMeta = metadata
	return mc, err
}

func (d *document) diagnostics(errs field.ErrorList) scanner.ErrorList {
	var list scanner.ErrorList
	for _, err := range errs {
		list.Add(d.find(err.Field), fmt.Sprintf("%s: %s", err.Field, err.ErrorBody()))
	}
	return list
}
