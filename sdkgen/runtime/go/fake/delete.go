package fake

import (
	"encoding/json"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// delete deletes an object, or all that are selected.
func (s *Server) delete(r *request, data []byte) (int, any, error) {
	var options metav1.DeleteOptions
	if len(data) > 0 {
		if err := json.Unmarshal(data, &options); err != nil {
			return 0, nil, apierrors.NewBadRequest(err.Error())
		}
	}
	if len(options.DryRun) > 0 {
		r.query["dryRun"] = options.DryRun
	}
	if r.name != "" {
		return s.deleteOne(r, &options)
	}
	objects, err := s.selected(r)
	if err != nil {
		return 0, nil, err
	}
	for _, object := range objects {
		one := *r
		one.name = object.GetName()
		if _, _, err := s.deleteOne(&one, &options); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusOK, r.listOf(objects, metav1.ListMeta{}), nil
}

func (s *Server) deleteOne(r *request, options *metav1.DeleteOptions) (int, any, error) {
	stored := s.store.objects[r.key()]
	if stored == nil {
		return 0, nil, r.notFound()
	}
	live := r.view(stored)
	if want := options.Preconditions; want != nil {
		if err := check("UID", want.UID, live.GetUID()); err != nil {
			return 0, nil, apierrors.NewConflict(r.groupResource(), r.name, err)
		}
		if err := check("ResourceVersion", want.ResourceVersion, live.GetResourceVersion()); err != nil {
			return 0, nil, apierrors.NewConflict(r.groupResource(), r.name, err)
		}
	}
	if len(live.GetFinalizers()) > 0 {
		return s.mark(r, live)
	}
	if !r.dryRun() {
		s.store.remove(r.key(), live)
	}
	details := &metav1.StatusDetails{Name: r.name, Group: r.Group, Kind: r.Plural, UID: live.GetUID()}
	return http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess, Details: details}, nil
}

// mark marks an object with finalizers as deleted, once. An update without them removes it.
func (s *Server) mark(r *request, live *unstructured.Unstructured) (int, any, error) {
	if live.GetDeletionTimestamp() != nil {
		return http.StatusOK, live, nil
	}
	for name, value := range map[string]any{"deletionTimestamp": now(), "deletionGracePeriodSeconds": int64(0), "generation": live.GetGeneration() + 1} {
		if err := unstructured.SetNestedField(live.Object, value, "metadata", name); err != nil {
			return 0, nil, err
		}
	}
	if !r.dryRun() {
		live = s.store.put(r.key(), live)
	}
	return http.StatusOK, live, nil
}

// check compares a precondition, if there is one, with what the object has.
func check[T ~string](name string, want *T, got T) error {
	if want != nil && *want != got {
		return fmt.Errorf("precondition failed: %[1]s in precondition: %[2]s, %[1]s in object meta: %[3]s", name, *want, got)
	}
	return nil
}
