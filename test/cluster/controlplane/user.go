package controlplane

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

// User creates a client certificate for a user in the given groups and returns the path of a kubeconfig with it. The
// user has the permissions that RBAC grants, initially none.
func (i *Instance) User(name string, groups ...string) (string, error) {
	if name == "" {
		return "", errors.New("the name of the user is empty")
	}
	directory := state.Directory(i.Dir)
	var authority pki.Pair
	var err error
	if authority.Certificate, err = os.ReadFile(directory.Authority("crt")); err != nil {
		return "", err
	}
	if authority.Key, err = os.ReadFile(directory.Authority("key")); err != nil {
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
	content, err := kubeconfig.Encode(i.Server, name, authority.Certificate, login)
	if err != nil {
		return "", err
	}
	path := directory.Path("kubeconfigs", url.QueryEscape(strings.Join(append([]string{name}, groups...), "@")))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o600)
}

// RestartOptions configure the restart of a component.
type RestartOptions struct {
	Kill  bool          // send SIGKILL instead of SIGTERM
	Pause time.Duration // time between stop and start
}

// Restart stops a component, starts it again with the same port and data, and returns when it is ready.
func (i *Instance) Restart(ctx context.Context, component string, options RestartOptions) error {
	return keeper.Ask(ctx, state.Directory(i.Dir),
		keeper.Restart{Component: component, Kill: options.Kill, Pause: options.Pause})
}
