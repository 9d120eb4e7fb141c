package lightclient

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator/fake"
	"github.com/flux-framework/flux-operator/test/lightclient/contract"
)

// warnings is a function as a fluxoperator.WarningHandler.
type warnings func(text string)

func (w warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) { w(text) }

func newFake(t *testing.T) *fake.Server {
	t.Helper()
	server, err := fake.NewServer()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// TestFake: the fake does what a control plane does, in memory and on a port.
func TestFake(t *testing.T) {
	t.Run("transport", func(t *testing.T) {
		contract.Run(t, func(t *testing.T, warn func(string)) *fluxoperator.MiniClusterClient {
			return faked(t, &http.Client{Transport: newFake(t)}, "http://fake", warn)
		})
	})
	t.Run("handler", func(t *testing.T) {
		contract.Run(t, func(t *testing.T, warn func(string)) *fluxoperator.MiniClusterClient {
			server := httptest.NewServer(newFake(t))
			t.Cleanup(server.Close)
			return faked(t, server.Client(), server.URL, warn)
		})
	})
}

func faked(t *testing.T, httpClient *http.Client, host string, warn func(string)) *fluxoperator.MiniClusterClient {
	t.Helper()
	client, err := fluxoperator.NewClient(httpClient, host)
	if err != nil {
		t.Fatal(err)
	}
	client.WarningHandler = warnings(warn)
	return client.MiniClusters("ns")
}
