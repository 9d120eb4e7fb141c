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

// account is the directory of a pod's service account.
const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

// access is the address of the API server and the client's credentials. The defaults are those of a pod.
// A program that links client-go can use rest.HTTPClientFor instead.
type access struct {
	server, ca, cert, key, token string
}

func accessFlags() *access {
	a := &access{}
	server := "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT"))
	flag.StringVar(&a.server, "server", server, "URL of the API server")
	flag.StringVar(&a.ca, "ca", account+"ca.crt", "file with the certificates of the server's authorities")
	flag.StringVar(&a.cert, "cert", "", "file with the client's certificate, instead of a token")
	flag.StringVar(&a.key, "key", "", "file with the key of the client's certificate")
	flag.StringVar(&a.token, "token", account+"token", "file with the client's token")
	return a
}

func (a *access) client() (*http.Client, error) {
	authorities, err := os.ReadFile(a.ca)
	if err != nil {
		return nil, fmt.Errorf("reading the certificates of the authorities: %w", err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !config.RootCAs.AppendCertsFromPEM(authorities) {
		return nil, errors.New("reading the certificates of the authorities: the file has none")
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

// bearer adds the token to each request. It reads the file each time, as the kubelet rotates tokens.
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
