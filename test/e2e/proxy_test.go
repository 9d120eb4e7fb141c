package e2e

import (
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// proxy forwards requests to the API server as a service account, and records them. It can hide a
// resource from lists and watches.
type proxy struct {
	kubeconfig string
	server     *httptest.Server
	mu         sync.Mutex
	counts     map[string]int // by "verb group/resource"
	hidden     string         // a resource
}

func (s *suite) proxy(t *testing.T, as rest.ImpersonationConfig) *proxy {
	t.Helper()
	config := rest.CopyConfig(s.config)
	config.Impersonate = as
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(s.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{counts: map[string]int{}}
	forward := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorLog:      log.New(io.Discard, "", 0),
	}
	resolver := &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, err := resolver.NewRequestInfo(r); err == nil && info.IsResourceRequest {
			resource := info.Resource
			if info.Subresource != "" {
				resource += "/" + info.Subresource
			}
			p.mu.Lock()
			p.counts[info.Verb+" "+info.APIGroup+"/"+resource]++
			hidden := p.hidden == resource && (info.Verb == "list" || info.Verb == "watch")
			p.mu.Unlock()
			if hidden {
				http.Error(w, "hidden", http.StatusServiceUnavailable)
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.server.CloseClientConnections)
	p.kubeconfig = filepath.Join(s.dir, "proxy-"+filepath.Base(t.Name())+".kubeconfig")
	file := clientcmdapi.NewConfig()
	file.Clusters["proxy"] = &clientcmdapi.Cluster{Server: p.server.URL}
	file.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	file.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*file, p.kubeconfig); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(p.kubeconfig) })
	return p
}

// hide closes all connections, and rejects lists and watches of a resource; none if it is "".
func (p *proxy) hide(resource string) {
	p.mu.Lock()
	p.hidden = resource
	p.mu.Unlock()
	p.server.CloseClientConnections()
}

// requests lists the verbs and resources of all requests.
func (p *proxy) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.counts))
}
