package operator

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Proxy forwards requests to the API server as a service account, and records them. It can hide a
// resource from lists and watches.
type Proxy struct {
	URL        string
	Kubeconfig string // a file that makes clients send their requests to the proxy

	server *httptest.Server
	mu     sync.Mutex
	counts map[string]int // by "verb group/resource"
	writes []Write
	hidden string // a resource
}

// Write is a request that changes an object.
type Write struct {
	Verb, Resource  string // the resource as group/resource, with the subresource
	Namespace, Name string // the name is empty if the object is created
	Patch           []byte // of a patch
}

// NewProxy starts a proxy. Its kubeconfig is a new file in a directory; Close removes it.
func NewProxy(dir string, config *rest.Config, as rest.ImpersonationConfig) (*Proxy, error) {
	config = rest.CopyConfig(config)
	config.Impersonate = as
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "proxy-*.kubeconfig")
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	p := &Proxy{Kubeconfig: file.Name(), counts: map[string]int{}}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	resolver := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api")}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, err := resolver.NewRequestInfo(r); err == nil && info.IsResourceRequest {
			if err := p.record(info, r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if p.hides(info) {
				http.Error(w, "hidden", http.StatusServiceUnavailable)
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	p.URL = p.server.URL
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters["proxy"] = &clientcmdapi.Cluster{Server: p.URL}
	kubeconfig.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	kubeconfig.CurrentContext = "proxy"
	return p, clientcmd.WriteToFile(*kubeconfig, p.Kubeconfig)
}

// record counts a request, and keeps it if it is a write.
func (p *Proxy) record(info *request.RequestInfo, r *http.Request) error {
	resource := info.APIGroup + "/" + info.Resource
	if info.Subresource != "" {
		resource += "/" + info.Subresource
	}
	write := Write{Verb: info.Verb, Resource: resource, Namespace: info.Namespace, Name: info.Name}
	if info.Verb == "patch" {
		var err error
		if write.Patch, err = io.ReadAll(r.Body); err != nil {
			return fmt.Errorf("reading a patch: %w", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(write.Patch))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[info.Verb+" "+resource]++
	if !slices.Contains([]string{"get", "list", "watch"}, info.Verb) {
		p.writes = append(p.writes, write)
	}
	return nil
}

func (p *Proxy) hides(info *request.RequestInfo) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return info.Subresource == "" && p.hidden == info.Resource && (info.Verb == "list" || info.Verb == "watch")
}

// Hide closes all connections, and rejects lists and watches of a resource; none if it is "".
func (p *Proxy) Hide(resource string) {
	p.mu.Lock()
	p.hidden = resource
	p.mu.Unlock()
	p.server.CloseClientConnections()
}

// Requests lists the verbs and resources of all requests.
func (p *Proxy) Requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.counts))
}

// Writes returns the requests so far that change objects, in their order.
func (p *Proxy) Writes() []Write {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.writes)
}

// Close closes the connections of clients and removes the kubeconfig. Watches of clients that are still running end.
func (p *Proxy) Close() error {
	p.server.CloseClientConnections()
	return os.Remove(p.Kubeconfig)
}
