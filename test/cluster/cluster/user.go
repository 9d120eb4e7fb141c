package cluster

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/keeper"
	"github.com/flux-framework/flux-operator/test/cluster/internal/kubeconfig"
	"github.com/flux-framework/flux-operator/test/cluster/internal/pki"
	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// User gives the path of a kubeconfig for a user who is in the given groups, and logs in with a certificate. The user may do
// what RBAC allows it, which is nothing at first.
func (c *Cluster) User(name string, groups ...string) (string, error) {
	if name == "" {
		return "", errors.New("the user has no name")
	}
	folder := state.Folder(c.Dir)
	var authority pki.Pair
	var err error
	if authority.Certificate, err = os.ReadFile(folder.Authority("crt")); err != nil {
		return "", err
	}
	if authority.Key, err = os.ReadFile(folder.Authority("key")); err != nil {
		return "", err
	}
	signer, err := pki.ParseAuthority(authority)
	if err != nil {
		return "", err
	}
	login, err := signer.Client(name, groups...)
	if err != nil {
		return "", err
	}
	content, err := kubeconfig.Encode(c.Server, name, authority.Certificate, login)
	if err != nil {
		return "", err
	}
	path := folder.Path("kubeconfigs", url.QueryEscape(strings.Join(append([]string{name}, groups...), "@")))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o600)
}

// RestartOptions say how a component is restarted.
type RestartOptions struct {
	Kill  bool          // end it at once, without asking it
	Pause time.Duration // how long it is away
}

// Restart ends a component, starts it again on the same port and data, and returns when it is ready.
func (c *Cluster) Restart(ctx context.Context, component string, options RestartOptions) error {
	return keeper.Ask(ctx, state.Folder(c.Dir), keeper.Restart{Component: component, Kill: options.Kill, Pause: options.Pause})
}
