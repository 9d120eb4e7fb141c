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

// proxy stands before the API server, passes requests on as a service account, and takes note of
// what is asked for. It can keep a resource from being listed and watched.
type proxy struct {
	kubeconfig string
	server     *httptest.Server
	mu         sync.Mutex
	asked      map[string]int // by "verb group/resource"
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
	p := &proxy{asked: map[string]int{}}
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
			p.asked[info.Verb+" "+info.APIGroup+"/"+resource]++
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

// hide ends all requests, and refuses to list and to watch a resource; with "" none any more.
func (p *proxy) hide(resource string) {
	p.mu.Lock()
	p.hidden = resource
	p.mu.Unlock()
	p.server.CloseClientConnections()
}

// asks lists what was asked for.
func (p *proxy) asks() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.asked))
}
