// Package restconfig makes a client of package fluxoperator from a *rest.Config of client-go. It is
// apart from it so that a program with an http.Client of its own does without client-go.
package restconfig

import (
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// NewClient returns a client of the API server that config leads to, with its TLS, credentials,
// impersonation, proxy and timeout. QPS, Burst and RateLimiter do not apply: the client limits nothing.
func NewClient(config *rest.Config) (*fluxoperator.Client, error) {
	config = rest.CopyConfig(config)
	if config.UserAgent == "" {
		config.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making an HTTP client: %w", err)
	}
	host, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("reading the server's address: %w", err)
	}
	return fluxoperator.NewClient(httpClient, host.String())
}
