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
// what is asked for.
type proxy struct {
	kubeconfig string
	mu         sync.Mutex
	asked      map[string]int // by "verb group/resource"
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
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, err := resolver.NewRequestInfo(r); err == nil && info.IsResourceRequest {
			resource := info.Resource
			if info.Subresource != "" {
				resource += "/" + info.Subresource
			}
			p.mu.Lock()
			p.asked[info.Verb+" "+info.APIGroup+"/"+resource]++
			p.mu.Unlock()
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.CloseClientConnections)
	p.kubeconfig = filepath.Join(s.dir, "proxy-"+filepath.Base(t.Name())+".kubeconfig")
	file := clientcmdapi.NewConfig()
	file.Clusters["proxy"] = &clientcmdapi.Cluster{Server: server.URL}
	file.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	file.CurrentContext = "proxy"
	if err := clientcmd.WriteToFile(*file, p.kubeconfig); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(p.kubeconfig) })
	return p
}

// asks lists what was asked for.
func (p *proxy) asks() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.asked))
}

// count returns how many requests there were, without watches.
func (p *proxy) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, times := range p.asked {
		n += times
	}
	return n
}
