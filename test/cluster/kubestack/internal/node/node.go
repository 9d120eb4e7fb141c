// Package node answers what an API server asks of a node: logs, exec and port-forward. No program runs for it and no
// file is read: it plays all of them.
package node

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// idle is how long an exec or a port-forward may be silent.
const idle = time.Hour

// Server answers for all nodes. Only who holds a certificate of the given authority is served.
type Server struct {
	Address      string
	CertFile     string
	KeyFile      string
	ClientCAFile string
}

// Serve returns when the server cannot go on.
func (s Server) Serve() error {
	authority, err := os.ReadFile(s.ClientCAFile)
	if err != nil {
		return fmt.Errorf("reading the authority of the clients: %w", err)
	}
	clients := x509.NewCertPool()
	if !clients.AppendCertsFromPEM(authority) {
		return fmt.Errorf("reading the authority of the clients: no certificate in %s", s.ClientCAFile)
	}
	server := http.Server{
		Addr:              s.Address,
		Handler:           handler(),
		ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{
			ClientCAs:  clients,
			ClientAuth: tls.RequireAndVerifyClientCert,
			NextProtos: []string{"http/1.1"}, // streams are upgraded connections
		},
		ErrorLog: log.New(os.Stderr, "node: ", 0),
	}
	if err := server.ListenAndServeTLS(s.CertFile, s.KeyFile); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the nodes' API: %w", err)
	}
	return nil
}

func handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", serveLogs)
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", serveExec)
	mux.HandleFunc("/portForward/{namespace}/{pod}", servePortForward)
	return mux
}

func serveExec(w http.ResponseWriter, r *http.Request) {
	options, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := podOf(r)
	remotecommand.ServeExec(w, r, executor{pod}, pod.name, "", r.PathValue("container"), r.URL.Query()["command"],
		options, idle, remotecommand.DefaultStreamCreationTimeout, remotecommand.SupportedStreamingProtocols)
}

func servePortForward(w http.ResponseWriter, r *http.Request) {
	options, err := portforward.NewV4Options(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	pod := podOf(r)
	portforward.ServePortForward(w, r, forwarder{pod}, pod.name, "",
		options, idle, remotecommand.DefaultStreamCreationTimeout, portforward.SupportedProtocols)
}

// pod says which pod a request is for. The API server has checked that it is there.
type pod struct {
	namespace, name string
}

func podOf(r *http.Request) pod {
	return pod{namespace: r.PathValue("namespace"), name: r.PathValue("pod")}
}
