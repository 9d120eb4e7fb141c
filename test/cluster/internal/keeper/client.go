package keeper

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// client sends requests to the components, as administrator and as the API server.
type client struct {
	server string
	http   http.Client
}

func newClient(directory state.Directory, server string) (*client, error) {
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	for _, name := range []string{"cluster", "internal"} {
		authority, err := os.ReadFile(directory.Path("pki", name+".crt"))
		if err != nil {
			return nil, err
		}
		config.RootCAs.AppendCertsFromPEM(authority)
	}
	for _, name := range []string{"admin", "internal-client"} {
		pair, err := tls.LoadX509KeyPair(directory.Path("pki", name+".crt"), directory.Path("pki", name+".key"))
		if err != nil {
			return nil, err
		}
		config.Certificates = append(config.Certificates, pair)
	}
	return &client{server: server, http: http.Client{Transport: &http.Transport{TLSClientConfig: config}}}, nil
}

// get requests a URL and decodes the response into result unless result is nil.
func (c *client) get(ctx context.Context, address string, result any) error {
	return c.do(ctx, http.MethodGet, address, nil, result)
}

func (c *client) do(ctx context.Context, method, address string, body []byte, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s: %s", method, address, response.Status, bytes.TrimSpace(content))
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(content, result)
}
