// Package fake is an API server in memory, for tests of programs that use this client. It has the kinds of the client's
// API and no others:
//
//	server, err := fake.NewServer()
//	client, err := sdk.NewClient(&http.Client{Transport: server}, "http://fake")
//
// Like the real one, it sets defaults, drops or refuses unknown fields, validates by the schema, gives resource
// versions and generations, tells the status subresource from the rest, and keeps managed fields for server-side apply.
// Watches, pages, selectors, dry runs, finalizers and preconditions work.
//
// It evaluates no CEL rules, knows nothing of admission, RBAC and the scale subresource, runs no controllers, so that
// nothing is garbage collected, and converts objects between versions by their apiVersion alone. A test sets the
// status itself. For failures and warnings wrap the Server, which is an http.Handler and an http.RoundTripper.
package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Server is an API server in memory. Its methods may be called from many goroutines.
type Server struct {
	resources []*resource
	store     *store
}

// NewServer returns a Server without objects.
func NewServer() (*Server, error) {
	all, err := resources()
	if err != nil {
		return nil, fmt.Errorf("reading the schema of the fake: %w", err)
	}
	return &Server{resources: all, store: newStore()}, nil
}

// Compact forgets what was before the present state, as a real server does after some minutes: watches from an older
// resource version, and the next pages of lists, are errors for apierrors.IsResourceExpired.
func (s *Server) Compact() { s.store.compact() }

// request is a request that the server understands.
type request struct {
	*resource
	method               string
	namespace, name, sub string
	query                url.Values
	contentType          string
	manager              string // of fields
	warn                 func(text string)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := s.parse(r)
	if err != nil {
		answer(w, 0, nil, err)
		return
	}
	req.warn = func(text string) { w.Header().Add("Warning", fmt.Sprintf("299 - %q", text)) }
	if r.Method == http.MethodGet && req.name == "" && req.flag("watch") {
		s.watch(w, r, req)
		return
	}
	code, out, err := s.do(req, r.Body)
	answer(w, code, out, err)
}

// answer writes an object, or the status of an error.
func answer(w http.ResponseWriter, code int, out any, err error) {
	if err != nil {
		failure := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
		if status, ok := err.(apierrors.APIStatus); ok {
			failure = status.Status()
		}
		failure.Kind, failure.APIVersion = "Status", "v1"
		code, out = int(failure.Code), failure
	}
	data, err := json.Marshal(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(data) // to a client that is gone, or in memory
}

// parse reads /…/apis/GROUP/VERSION[/namespaces/NAMESPACE]/PLURAL[/NAME[/SUBRESOURCE]].
func (s *Server) parse(r *http.Request) (*request, error) {
	req := &request{method: r.Method, query: r.URL.Query(), contentType: r.Header.Get("Content-Type")}
	req.contentType, _, _ = strings.Cut(req.contentType, ";")
	if req.manager = req.query.Get("fieldManager"); req.manager == "" && req.contentType != string(applyType) {
		req.manager, _, _ = strings.Cut(r.UserAgent(), "/")
	}
	missing := apierrors.NewGenericServerResponse(http.StatusNotFound, r.Method, unknownResource, "", "", 0, true)
	_, path, ok := strings.Cut(r.URL.Path, "/apis/")
	parts := strings.Split(path, "/")
	if !ok || len(parts) < 3 {
		return nil, missing
	}
	group, version, parts := parts[0], parts[1], parts[2:]
	if parts[0] == "namespaces" && len(parts) > 2 {
		req.namespace, parts = parts[1], parts[2:]
	}
	for _, candidate := range s.resources {
		if candidate.Group == group && candidate.Version == version && candidate.Plural == parts[0] {
			req.resource = candidate
		}
	}
	if len(parts) > 1 {
		req.name = parts[1]
	}
	if len(parts) > 2 {
		req.sub = parts[2]
	}
	switch {
	case req.resource == nil, len(parts) > 3, req.namespace != "" && !req.Namespaced,
		req.namespace == "" && req.Namespaced && (req.name != "" || r.Method != http.MethodGet),
		req.sub != "" && (req.sub != "status" || !req.Status):
		return nil, missing
	}
	return req, nil
}

// flag says whether an option of the query is true.
func (r *request) flag(name string) bool { v := r.query.Get(name); return v == "true" || v == "1" }

// dryRun says whether nothing is to be stored.
func (r *request) dryRun() bool { return r.query.Get("dryRun") == metav1.DryRunAll }

func (r *request) key() key { return key{r.groupResource(), r.namespace, r.name} }

func (r *request) notFound() error { return apierrors.NewNotFound(r.groupResource(), r.name) }
