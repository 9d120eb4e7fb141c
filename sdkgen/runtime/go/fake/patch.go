package fake

import (
	"encoding/json"
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// applyType is the content type of a server-side apply.
const applyType = types.ApplyPatchType

// patch changes an object, or applies one, which may create it.
func (s *Server) patch(r *request, data []byte) (int, any, error) {
	live := s.store.objects[r.key()]
	kind := types.PatchType(r.contentType)
	switch {
	case kind == applyType:
		return s.apply(r, live, data)
	case kind != types.JSONPatchType && kind != types.MergePatchType:
		return 0, nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, r.method, r.groupResource(), r.name,
			fmt.Sprintf("the body of the request was in an unknown format: %s", kind), 0, true)
	case live == nil:
		return 0, nil, r.notFound()
	}
	before, err := json.Marshal(r.view(live))
	if err != nil {
		return 0, nil, err
	}
	after, err := patched(kind, before, data)
	if err != nil {
		return 0, nil, err
	}
	object, err := r.read(after)
	if err != nil {
		return 0, nil, err
	}
	err = r.unknown(object, func(text string) error {
		return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(data), text)})
	})
	if err != nil {
		return 0, nil, err
	}
	return s.update(r, object, r.manage)
}

// patched returns a patched JSON text.
func patched(kind types.PatchType, before, patch []byte) ([]byte, error) {
	if kind == types.MergePatchType {
		after, err := jsonpatch.MergePatch(before, patch)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return after, nil
	}
	operations, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	after, err := operations.Apply(before)
	if err != nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return after, nil
}

// apply is a server-side apply. live is nil if there is no object.
func (s *Server) apply(r *request, live *unstructured.Unstructured, data []byte) (int, any, error) {
	if r.manager == "" {
		path := field.NewPath("fieldManager")
		return 0, nil, apierrors.NewInvalid(metav1.Kind("PatchOptions"), "", field.ErrorList{field.Required(path, "is required for apply patch")})
	}
	data, err := yaml.ToJSON(data)
	if err != nil {
		return 0, nil, apierrors.NewBadRequest(err.Error())
	}
	wanted, err := r.read(data)
	if err != nil {
		return 0, nil, err
	}
	if len(wanted.GetManagedFields()) > 0 {
		return 0, nil, apierrors.NewBadRequest("metadata.managedFields must be nil")
	}
	fields, err := r.fieldManager()
	if err != nil {
		return 0, nil, err
	}
	base := &unstructured.Unstructured{Object: map[string]any{}}
	base.SetGroupVersionKind(r.kind())
	if live != nil {
		base = r.view(live)
		if version := wanted.GetResourceVersion(); version != "" && version != base.GetResourceVersion() {
			return 0, nil, apierrors.NewConflict(r.groupResource(), r.name, errModified)
		}
	} else if r.sub != "" {
		return 0, nil, r.notFound()
	}
	merged, err := fields.Apply(base, wanted, r.manager, r.flag("force"))
	if err != nil {
		return 0, nil, err
	}
	object := merged.(*unstructured.Unstructured)
	applied := func(_, object *unstructured.Unstructured) (*unstructured.Unstructured, error) { return object, nil }
	if live == nil {
		return s.create(r, object, applied)
	}
	return s.update(r, object, applied)
}

// manage notes that the request's field manager has changed what differs from live.
func (r *request) manage(live, object *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	fields, err := r.fieldManager()
	if err != nil {
		return nil, err
	}
	managed, err := fields.Update(live, object, r.manager)
	if err != nil {
		return nil, err
	}
	return managed.(*unstructured.Unstructured), nil
}

func (r *request) fieldManager() (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(r.types, versions{}, versions{}, versions{}, r.kind(), r.groupVersion(), r.sub, nil)
}

// versions is what a field manager wants to know of kinds: objects of all versions differ in their apiVersion alone.
type versions struct{}

// Convert implements runtime.ObjectConvertor. Nothing calls it.
func (versions) Convert(any, any, any) error { return fmt.Errorf("objects are converted to a version") }

// ConvertToVersion implements runtime.ObjectConvertor.
func (versions) ConvertToVersion(in runtime.Object, to runtime.GroupVersioner) (runtime.Object, error) {
	out := in.DeepCopyObject()
	kind, ok := to.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("%s is of another group than %s", in.GetObjectKind().GroupVersionKind(), to)
	}
	out.GetObjectKind().SetGroupVersionKind(kind)
	return out, nil
}

// ConvertFieldLabel implements runtime.ObjectConvertor.
func (versions) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// Default implements runtime.ObjectDefaulter.
func (versions) Default(runtime.Object) {}

// New implements runtime.ObjectCreater.
func (versions) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}
