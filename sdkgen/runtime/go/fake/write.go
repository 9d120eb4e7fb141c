package fake

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var unknownResource = schema.GroupResource{}

// do carries out a request that is no watch.
func (s *Server) do(r *request, body io.Reader) (int, any, error) {
	data, err := io.ReadAll(body)
	if err != nil {
		return 0, nil, apierrors.NewBadRequest(err.Error())
	}
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	switch {
	case r.method == http.MethodGet && r.name == "":
		return s.list(r)
	case r.method == http.MethodGet:
		live := s.store.objects[r.key()]
		if live == nil {
			return 0, nil, r.notFound()
		}
		return http.StatusOK, r.view(live), nil
	case r.method == http.MethodPost && r.name == "":
		object, err := r.decode(data)
		if err != nil {
			return 0, nil, err
		}
		return s.create(r, object, r.manage)
	case r.method == http.MethodPut && r.name != "":
		object, err := r.decode(data)
		if err != nil {
			return 0, nil, err
		}
		return s.update(r, object, r.manage)
	case r.method == http.MethodPatch && r.name != "":
		return s.patch(r, data)
	case r.method == http.MethodDelete && r.sub == "":
		return s.delete(r, data)
	}
	return 0, nil, apierrors.NewMethodNotSupported(r.groupResource(), strings.ToLower(r.method))
}

// decode reads an object of a request's kind.
func (r *request) decode(data []byte) (*unstructured.Unstructured, error) {
	object, err := r.read(data)
	if err != nil {
		return nil, err
	}
	return object, r.unknown(object, func(text string) error { return apierrors.NewBadRequest(text) })
}

// read is decode without a look at unknown fields.
func (r *request) read(data []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if err := utiljson.Unmarshal(data, &object.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the object provided is unrecognized: %v", err))
	}
	if got := object.GroupVersionKind(); got != r.kind() {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) and its kind (%s) do not match %s", got.GroupVersion(), got.Kind, r.kind()))
	}
	if namespace := object.GetNamespace(); namespace != "" && namespace != r.namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if name := object.GetName(); r.name != "" && name != r.name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, r.name))
	}
	if r.Namespaced {
		object.SetNamespace(r.namespace)
	}
	return object, nil
}

// unknown drops unknown fields, with a warning or with the error that refuse makes of a text, as the request says.
func (r *request) unknown(object *unstructured.Unstructured, refuse func(string) error) error {
	unknown, err := r.metadata(object)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	unknown = append(unknown, prune(object.Object, r.schema, "")...)
	for i, path := range unknown {
		unknown[i] = fmt.Sprintf("unknown field %q", path)
	}
	if len(unknown) == 0 {
		return nil
	}
	switch r.query.Get("fieldValidation") {
	case metav1.FieldValidationIgnore:
	case metav1.FieldValidationStrict:
		return refuse("strict decoding error: " + strings.Join(unknown, ", "))
	default:
		for _, text := range unknown {
			r.warn(text)
		}
	}
	return nil
}

// metadata drops the unknown fields of an object's metadata and returns their paths.
func (r *request) metadata(object *unstructured.Unstructured) ([]string, error) {
	given, ok := object.Object["metadata"].(map[string]any)
	if !ok {
		return nil, nil
	}
	var meta metav1.ObjectMeta
	strict := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(given, &meta, true)
	if strict != nil && !runtime.IsStrictDecodingError(strict) {
		return nil, strict
	}
	known, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&meta)
	if err != nil {
		return nil, err
	}
	var unknown []string
	for key := range given {
		if _, ok := known[key]; !ok && strict != nil && strings.Contains(strict.Error(), fmt.Sprintf("unknown field %q", key)) {
			unknown = append(unknown, "metadata."+key)
		}
	}
	object.Object["metadata"] = known
	return unknown, nil
}

// manager notes who owns which fields of an object that takes the place of another.
type manage func(live, object *unstructured.Unstructured) (*unstructured.Unstructured, error)

// create stores a new object.
func (s *Server) create(r *request, object *unstructured.Unstructured, manage manage) (int, any, error) {
	if object.GetResourceVersion() != "" {
		return 0, nil, errors.New("resourceVersion should not be set on objects to be created")
	}
	if prefix := object.GetGenerateName(); object.GetName() == "" && prefix != "" {
		object.SetName(prefix + random(5))
	}
	r.name = object.GetName()
	if s.store.objects[r.key()] != nil {
		return 0, nil, apierrors.NewAlreadyExists(r.groupResource(), r.name)
	}
	if r.Status {
		delete(object.Object, "status")
	}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(r.kind())
	object, err := r.complete(empty, object, manage)
	if err != nil {
		return 0, nil, err
	}
	object.SetUID(types.UID(fmt.Sprintf("%s-%s-%s-%s-%s", random(8), random(4), random(4), random(4), random(12))))
	object.SetGeneration(1)
	if !r.dryRun() {
		object = s.store.put(r.key(), object)
	}
	return http.StatusCreated, object, nil
}

// complete sets defaults, validates, and sets the metadata that only the server sets.
func (r *request) complete(live, object *unstructured.Unstructured, manage manage) (*unstructured.Unstructured, error) {
	if err := setDefaults(object.Object, r.schema); err != nil {
		return nil, err
	}
	if err := r.validate(object); err != nil {
		return nil, err
	}
	object, err := manage(live, object)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"} {
		unstructured.RemoveNestedField(object.Object, "metadata", name)
		if value, ok, _ := unstructured.NestedFieldCopy(live.Object, "metadata", name); ok {
			if err := unstructured.SetNestedField(object.Object, value, "metadata", name); err != nil {
				return nil, err
			}
		}
	}
	if live.GetUID() != "" {
		return object, nil
	}
	return object, unstructured.SetNestedField(object.Object, now(), "metadata", "creationTimestamp")
}

// random returns so many hexadecimal digits.
func random(digits int) string {
	data := make([]byte, digits)
	_, _ = rand.Read(data) // which never fails
	return hex.EncodeToString(data)[:digits]
}

func (r *request) validate(object *unstructured.Unstructured) error {
	all := r.validateSchema(object.Object)
	path := field.NewPath("metadata", "name")
	if object.GetName() == "" {
		all = append(all, field.Required(path, "name or generateName is required"))
	} else {
		for _, text := range validation.NameIsDNSSubdomain(object.GetName(), false) {
			all = append(all, field.Invalid(path, object.GetName(), text))
		}
	}
	if len(all) > 0 {
		return apierrors.NewInvalid(r.groupKind(), object.GetName(), all)
	}
	return nil
}

// update stores an object in the place of the one that is there, or only its status.
func (s *Server) update(r *request, object *unstructured.Unstructured, manage manage) (int, any, error) {
	stored := s.store.objects[r.key()]
	if stored == nil {
		return 0, nil, r.notFound()
	}
	live := r.view(stored)
	if err := r.checkUpdate(live, object); err != nil {
		return 0, nil, err
	}
	if r.Status {
		object = r.divide(live, object)
	}
	object, err := r.complete(live, object, manage)
	if err != nil {
		return 0, nil, err
	}
	if !reflect.DeepEqual(content(live, r.Status), content(object, r.Status)) {
		object.SetGeneration(live.GetGeneration() + 1)
	}
	object.SetResourceVersion(live.GetResourceVersion())
	switch {
	case reflect.DeepEqual(withoutTimes(live), withoutTimes(object)):
		return http.StatusOK, live, nil
	case r.dryRun():
	case object.GetDeletionTimestamp() != nil && len(object.GetFinalizers()) == 0:
		object = s.store.remove(r.key(), object)
	default:
		object = s.store.put(r.key(), object)
	}
	return http.StatusOK, object, nil
}

// checkUpdate compares the version and identity that an update wants with those of the object.
func (r *request) checkUpdate(live, object *unstructured.Unstructured) error {
	switch version := object.GetResourceVersion(); {
	case version == "":
		path := field.NewPath("metadata", "resourceVersion")
		return apierrors.NewInvalid(r.groupKind(), r.name, field.ErrorList{field.Invalid(path, 0, "must be specified for an update")})
	case version != live.GetResourceVersion():
		return apierrors.NewConflict(r.groupResource(), r.name, errModified)
	}
	if uid := object.GetUID(); uid != "" && uid != live.GetUID() {
		return apierrors.NewConflict(r.groupResource(), r.name, fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", uid, live.GetUID()))
	}
	return nil
}

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// divide returns what an update of the status subresource, or of all but the status, makes of an object.
func (r *request) divide(live, object *unstructured.Unstructured) *unstructured.Unstructured {
	kept, from := object.DeepCopy(), live
	if r.sub == "status" {
		kept, from = live.DeepCopy(), object
		kept.SetManagedFields(object.GetManagedFields())
	}
	delete(kept.Object, "status")
	if status, ok := from.Object["status"]; ok {
		kept.Object["status"] = runtime.DeepCopyJSONValue(status)
	}
	return kept
}

// content is what a generation counts the changes of.
func content(object *unstructured.Unstructured, status bool) map[string]any {
	out := object.DeepCopy().Object
	delete(out, "metadata")
	if status {
		delete(out, "status")
	}
	return out
}

// withoutTimes is an object without the times of its managed fields.
func withoutTimes(object *unstructured.Unstructured) map[string]any {
	out := object.DeepCopy()
	managed := out.GetManagedFields()
	for i := range managed {
		managed[i].Time = nil
	}
	out.SetManagedFields(managed)
	return out.Object
}
