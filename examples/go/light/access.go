package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
)

// account is where a pod finds its service account.
const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

// access says where the API server is and who asks. The defaults are those of a pod. A program that
// links client-go anyway has the same from rest.HTTPClientFor.
type access struct {
	server, ca, cert, key, token string
}

func accessFlags() *access {
	a := &access{}
	server := "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	flag.StringVar(&a.server, "server", server, "URL of the API server")
	flag.StringVar(&a.ca, "ca", account+"ca.crt", "file with the certificates that the server is known by")
	flag.StringVar(&a.cert, "cert", "", "file with the client's certificate, in place of a token")
	flag.StringVar(&a.key, "key", "", "file with the key of the client's certificate")
	flag.StringVar(&a.token, "token", account+"token", "file with the client's token")
	return a
}

func (a *access) client() (*http.Client, error) {
	authorities, err := os.ReadFile(a.ca)
	if err != nil {
		return nil, fmt.Errorf("reading the server's certificates: %w", err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(authorities) {
		return nil, errors.New("reading the server's certificates: there are none")
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	if a.cert == "" {
		return &http.Client{Transport: &bearer{a.token, transport}}, nil
	}
	pair, err := tls.LoadX509KeyPair(a.cert, a.key)
	if err != nil {
		return nil, fmt.Errorf("reading the client's certificate: %w", err)
	}
	config.Certificates = []tls.Certificate{pair}
	return &http.Client{Transport: transport}, nil
}

// bearer sends a token, which is read each time: the kubelet renews it.
type bearer struct {
	file string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b *bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	token, err := os.ReadFile(b.file)
	if err != nil {
		return nil, fmt.Errorf("reading the token: %w", err)
	}
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return b.next.RoundTrip(request)
}
