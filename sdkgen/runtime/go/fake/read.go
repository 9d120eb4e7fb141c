package fake

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// selection is which objects of a kind a request is for.
type selection struct {
	*request
	labels labels.Selector
	fields fields.Selector
}

func (r *request) selection() (*selection, error) {
	byLabel, err := labels.Parse(r.query.Get("labelSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(r.query.Get("fieldSelector"))
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, term := range byField.Requirements() {
		if term.Field != metav1.ObjectNameField && term.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest("field label not supported: " + term.Field)
		}
	}
	return &selection{r, byLabel, byField}, nil
}

// has says whether an object, which may be nil, is selected.
func (s *selection) has(k key, object *unstructured.Unstructured) bool {
	return object != nil && k.GroupResource == s.groupResource() && (s.namespace == "" || k.namespace == s.namespace) &&
		s.labels.Matches(labels.Set(object.GetLabels())) &&
		s.fields.Matches(fields.Set{metav1.ObjectNameField: k.name, "metadata.namespace": k.namespace})
}

// view returns an object in the version of a request.
func (r *request) view(object *unstructured.Unstructured) *unstructured.Unstructured {
	out := object.DeepCopy()
	out.SetGroupVersionKind(r.kind())
	return out
}

// selected returns the objects that are selected, by namespace and name.
func (s *Server) selected(r *request) (out []*unstructured.Unstructured, err error) {
	selection, err := r.selection()
	if err != nil {
		return nil, err
	}
	for k, object := range s.store.objects {
		if selection.has(k, object) {
			out = append(out, r.view(object))
		}
	}
	slices.SortFunc(out, func(a, b *unstructured.Unstructured) int { return strings.Compare(place(a), place(b)) })
	return out, nil
}

func place(object *unstructured.Unstructured) string {
	return object.GetNamespace() + "/" + object.GetName()
}

// token is where a list goes on: after a place, in the state of a resource version.
type token struct {
	Version int64  `json:"v"`
	After   string `json:"after"`
}

// list returns a page of objects. The pages of a list are of one state only as long as nothing changes.
func (s *Server) list(r *request) (int, any, error) {
	objects, err := s.selected(r)
	if err != nil {
		return 0, nil, err
	}
	from := token{Version: s.store.version}
	if text := r.query.Get("continue"); text != "" {
		data, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || json.Unmarshal(data, &from) != nil {
			return 0, nil, apierrors.NewBadRequest("continue key is not valid")
		}
		if from.Version < s.store.compacted {
			return 0, nil, apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result.")
		}
		objects = slices.DeleteFunc(objects, func(o *unstructured.Unstructured) bool { return place(o) <= from.After })
	}
	meta := metav1.ListMeta{ResourceVersion: strconv.FormatInt(from.Version, 10)}
	if limit, _ := strconv.Atoi(r.query.Get("limit")); limit > 0 && len(objects) > limit {
		left := int64(len(objects) - limit)
		meta.RemainingItemCount, objects = &left, objects[:limit]
		data, err := json.Marshal(token{from.Version, place(objects[limit-1])})
		if err != nil {
			return 0, nil, err
		}
		meta.Continue = base64.RawURLEncoding.EncodeToString(data)
	}
	return http.StatusOK, r.listOf(objects, meta), nil
}

func (r *request) listOf(objects []*unstructured.Unstructured, meta metav1.ListMeta) any {
	return struct {
		metav1.TypeMeta
		Metadata metav1.ListMeta              `json:"metadata"`
		Items    []*unstructured.Unstructured `json:"items"`
	}{metav1.TypeMeta{APIVersion: r.groupVersion().String(), Kind: r.List}, meta, append([]*unstructured.Unstructured{}, objects...)}
}

// watch streams changes until the client has enough, or its timeout.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, req *request) {
	selection, err := req.selection()
	if err != nil {
		answer(w, 0, nil, err)
		return
	}
	stream := json.NewEncoder(w)
	version, _ := strconv.ParseInt(req.query.Get("resourceVersion"), 10, 64)
	var first []*unstructured.Unstructured
	if version == 0 {
		s.store.mu.Lock()
		first, err = s.selected(req)
		version = s.store.version
		s.store.mu.Unlock()
	}
	if _, _, ok := s.store.since(version); !ok {
		err = apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d", version))
	}
	if err != nil {
		answer(w, 0, nil, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for _, object := range first {
		err = cmp.Or(err, send(stream, watch.Added, object))
	}
	timeout := make(<-chan time.Time)
	if seconds, _ := strconv.Atoi(req.query.Get("timeoutSeconds")); seconds > 0 {
		timeout = time.After(time.Duration(seconds) * time.Second)
	}
	for err == nil {
		changes, next, ok := s.store.since(version)
		if !ok {
			return
		}
		for _, c := range changes {
			version = c.version
			if kind, object := selection.event(c); object != nil && err == nil {
				err = send(stream, kind, req.view(object))
			}
		}
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		case <-timeout:
			if req.flag("allowWatchBookmarks") {
				_ = send(stream, watch.Bookmark, req.bookmark(version)) // the last word
			}
			return
		}
	}
}

func send(stream *json.Encoder, kind watch.EventType, object *unstructured.Unstructured) error {
	return stream.Encode(map[string]any{"type": kind, "object": object})
}

func (r *request) bookmark(version int64) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(r.kind())
	object.SetResourceVersion(strconv.FormatInt(version, 10))
	return object
}

// event returns what a change is for the objects that are selected, nil if it is nothing for them.
func (s *selection) event(c change) (watch.EventType, *unstructured.Unstructured) {
	before, after := s.has(c.key, c.before), s.has(c.key, c.object)
	switch {
	case c.kind == watch.Deleted && (before || after), before && !after:
		return watch.Deleted, c.object
	case !before && after:
		return watch.Added, c.object
	case after:
		return watch.Modified, c.object
	}
	return "", nil
}
