// Package restconfig makes a client of package fluxoperator from a *rest.Config of client-go. It is
// apart from it so that a program with an http.Client of its own does without client-go.
package restconfig

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// NewClient returns a client of the API server that config leads to, with its TLS, credentials,
// impersonation, proxy, timeout and warning handler. QPS, Burst and RateLimiter do not apply: the client limits nothing.
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
	client, err := fluxoperator.NewClient(httpClient, host.String())
	if err != nil {
		return nil, err
	}
	switch {
	case config.WarningHandlerWithContext != nil:
		client.WarningHandler = config.WarningHandlerWithContext
	case config.WarningHandler != nil:
		client.WarningHandler = withoutContext{config.WarningHandler}
	}
	return client, nil
}

// withoutContext is a WarningHandler of client-go that takes no context.
type withoutContext struct{ rest.WarningHandler }

// HandleWarningHeaderWithContext implements fluxoperator.WarningHandler.
func (h withoutContext) HandleWarningHeaderWithContext(_ context.Context, code int, agent, text string) {
	h.HandleWarningHeader(code, agent, text)
}
