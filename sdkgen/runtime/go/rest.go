// controller-gen, run over all packages of a project, makes no CRD of the root kinds here.
// +kubebuilder:skip

package light

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion/queryparams"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Client talks to one API server. Its methods return the clients of the kinds, and may be called
// from many goroutines. Its fields are to be set before the first request.
//
// What the server refuses is an *apierrors.StatusError with the server's own Status, so that
// apierrors.IsNotFound and its kin apply; any other error wraps that of the http.Client. Nothing is
// tried again but by a watch: apierrors.SuggestsClientDelay says what the server asks for.
//
// Requests that write ask for strict field validation, unless their options say otherwise: an unknown
// field is an error for apierrors.IsBadRequest, in a patch for apierrors.IsInvalid. Apply has no such
// option, and the server refuses an unknown field in any case.
type Client struct {
	// WarningHandler handles the server's warnings. By default each text is logged once, with
	// slog.Default; after 1000 texts no more are logged.
	WarningHandler WarningHandler
	// MaxObjectBytes limits the JSON of an object, in a response or in an event of a watch. The default is
	// 16 MiB. A larger one is a *TooLargeError.
	MaxObjectBytes int64
	// MaxListBytes limits the JSON of a response to a List, and of all objects that a Watch keeps. The default
	// is 256 MiB. A larger list is a *TooLargeError.
	MaxListBytes int64

	http     *http.Client
	host     *url.URL
	warnings warningLogger
}

// NewClient returns a client of the API server at host, a URL such as https://10.0.0.1:6443, whose
// path, if it has one, goes before all others. httpClient authenticates and limits; nil is
// http.DefaultClient. A Timeout in it also cuts watches, which then connect again.
func NewClient(httpClient *http.Client, host string) (*Client, error) {
	parsed, err := url.Parse(host)
	if err != nil {
		return nil, fmt.Errorf("reading the server's address: %w", err)
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, fmt.Errorf("reading the server's address %q: it is to be a URL such as https://10.0.0.1:6443", host)
	}
	if httpClient == nil {
		httpClient = http.DefaultClient
	}
	return &Client{http: httpClient, host: parsed}, nil
}

// restResource is a resource, in a namespace or in all.
type restResource struct {
	*Client
	group, version, plural string
	namespaced             bool
	namespace              string
}

// restRequest is what a method asks for.
type restRequest struct {
	method      string
	name, sub   string // of the object and of its subresource; empty for the collection
	options     any    // become the query: pointers to structs of metav1
	body        any    // bytes, or what is encoded
	contentType string // of the body; JSON if empty
}

// writes says whether the server validates the fields of the body.
func (req restRequest) writes() bool {
	return req.method == http.MethodPost || req.method == http.MethodPut || req.method == http.MethodPatch
}

// url returns the request's URL.
func (r restResource) url(req restRequest, options url.Values) (*url.URL, error) {
	parts := []string{"apis", r.group, r.version}
	switch {
	case r.namespaced && r.namespace != "":
		parts = append(parts, "namespaces", r.namespace)
	case r.namespaced && (req.name != "" || req.method != http.MethodGet):
		return nil, fmt.Errorf("a namespace is needed to %s one of the %s", strings.ToLower(req.method), r.plural)
	}
	parts = append(parts, r.plural)
	if req.name != "" {
		parts = append(parts, req.name)
	}
	if req.sub != "" {
		parts = append(parts, req.sub)
	}
	for _, part := range parts {
		// As the API server does; apimachinery has this under no name that it has in all versions.
		if part == "." || part == ".." || strings.ContainsAny(part, "/%") {
			return nil, fmt.Errorf("%q cannot be part of a URL: it may not be . or .., nor contain / or %%", part)
		}
	}
	u := r.host.JoinPath(parts...)
	u.RawQuery = options.Encode()
	return u, nil
}

// send returns a response that is no error; its body is to be closed.
func (r restResource) send(ctx context.Context, req restRequest) (*http.Response, error) {
	var query url.Values
	var err error
	if req.options != nil {
		if query, err = queryparams.Convert(req.options); err != nil {
			return nil, fmt.Errorf("encoding the options: %w", err)
		}
		if req.writes() && !query.Has("fieldValidation") {
			query.Set("fieldValidation", metav1.FieldValidationStrict)
		}
	}
	u, err := r.url(req, query)
	if err != nil {
		return nil, err
	}
	body, err := restEncode(req.body)
	if err != nil {
		return nil, fmt.Errorf("encoding the body: %w", err)
	}
	out, err := http.NewRequestWithContext(ctx, req.method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header.Set("Accept", "application/json")
	if req.body != nil {
		out.Header.Set("Content-Type", "application/json")
	}
	if req.contentType != "" {
		out.Header.Set("Content-Type", req.contentType)
	}
	response, err := r.http.Do(out)
	if err != nil {
		return nil, err
	}
	r.warn(ctx, response.Header)
	if response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusMultipleChoices {
		return response, nil
	}
	defer response.Body.Close()
	return nil, r.refusal(req, response)
}

// refusal is the error of a response that is none of success.
func (r restResource) refusal(req restRequest, response *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("reading the answer %s: %w", response.Status, err)
	}
	if status := restStatus(data); status != nil {
		return &apierrors.StatusError{ErrStatus: *status}
	}
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	resource := schema.GroupResource{Group: r.group, Resource: r.plural}
	return apierrors.NewGenericServerResponse(response.StatusCode, req.method, resource, req.name, string(data), seconds, true)
}

// restStatus returns the server's account of a failure, if data is one.
func restStatus(data []byte) *metav1.Status {
	var status metav1.Status
	if json.Unmarshal(data, &status) != nil || status.Kind != "Status" || status.Status == metav1.StatusSuccess {
		return nil
	}
	return &status
}

// restEncode encodes a body, once.
func restEncode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case []byte:
		return body, nil
	case json.Marshaler:
		return body.MarshalJSON()
	}
	return json.Marshal(body)
}

// restCall sends a request and reads the object that answers it.
func restCall[T any](ctx context.Context, r restResource, req restRequest) (*T, error) {
	out, _, err := restRead[T](ctx, r, req)
	return out, err
}

// restRead is restCall that also returns how many bytes the object was.
func restRead[T any](ctx context.Context, r restResource, req restRequest) (*T, int, error) {
	response, err := r.send(ctx, req)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	limit := r.objectLimit("the response")
	if req.method == http.MethodGet && req.name == "" {
		limit = r.listLimit("the response")
	}
	data, err := io.ReadAll(newBoundedReader(response.Body, limit))
	if err != nil {
		return nil, 0, fmt.Errorf("reading the answer: %w", err)
	}
	out := new(T)
	if err := restDecode(data, out); err != nil {
		return nil, 0, fmt.Errorf("reading the answer: %w", err)
	}
	return out, len(data), nil
}

func restDecode(data []byte, out any) error {
	if own, ok := out.(json.Unmarshaler); ok {
		return own.UnmarshalJSON(data)
	}
	return json.Unmarshal(data, out)
}

// errNoName is what a method says that is for one object.
var errNoName = errors.New("the object has no name")

// restNamed is restCall for an object that has to have a name.
func restNamed[T any](ctx context.Context, r restResource, req restRequest) (*T, error) {
	if req.name == "" {
		return nil, errNoName
	}
	return restCall[T](ctx, r, req)
}

// restDelete deletes one object or, without a name, what selection selects.
func restDelete(ctx context.Context, r restResource, name string, options metav1.DeleteOptions, selection any) error {
	options.APIVersion, options.Kind = "v1", "DeleteOptions"
	response, err := r.send(ctx, restRequest{method: http.MethodDelete, name: name, body: &options, options: selection})
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// restApply turns the options of an apply into those of a patch.
func restApply(options metav1.ApplyOptions) *metav1.PatchOptions {
	return &metav1.PatchOptions{DryRun: options.DryRun, Force: &options.Force, FieldManager: options.FieldManager}
}

// restPatch is a request for a patch.
func restPatch(name, sub string, kind types.PatchType, body any, options *metav1.PatchOptions) restRequest {
	return restRequest{method: http.MethodPatch, name: name, sub: sub, contentType: string(kind), body: body, options: options}
}

// restPage is one page of a list.
type restPage[T any] struct {
	items []T
	meta  metav1.ListInterface
	size  int // in bytes of JSON
}

// restLister returns one page of a list.
type restLister[T any] func(context.Context, metav1.ListOptions) (restPage[T], error)

// pageSize is how many objects a page has if the options do not say.
const pageSize = 500

// restAll goes through all pages of a list.
func restAll[T any](ctx context.Context, options metav1.ListOptions, list restLister[T]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		options := options
		if options.Limit == 0 {
			options.Limit = pageSize
		}
		for {
			page, err := list(ctx, options)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.items {
				if !yield(&page.items[i], nil) {
					return
				}
			}
			if options.Continue = page.meta.GetContinue(); options.Continue == "" {
				return
			}
			options.ResourceVersion, options.ResourceVersionMatch = "", "" // the token has it
		}
	}
}
