package keeper

import (
	_ "embed" // the stages
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/flux-framework/flux-operator/test/cluster/internal/kubeconfig"
	"github.com/flux-framework/flux-operator/test/cluster/internal/pki"
)

//go:embed manifests/stages.yaml
var stages []byte

// administrators is the group with all permissions.
const administrators = "system:masters"

// writeFiles writes the certificates, the kubeconfigs and kwok's stages.
//
// There are two CAs. One signs the users of the cluster; the other signs the clients of etcd and of the nodes, which
// users must not reach.
func (p *plan) writeFiles(server string) error {
	cluster, err := pki.NewAuthority("cluster", time.Now())
	if err != nil {
		return err
	}
	internal, err := pki.NewAuthority("internal", time.Now())
	if err != nil {
		return err
	}
	serverPair, err := cluster.Server("kube-apiserver", service,
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local")
	if err != nil {
		return err
	}
	internalServer, err := internal.Server("internal")
	if err != nil {
		return err
	}
	internalClient, err := internal.Client("internal")
	if err != nil {
		return err
	}
	admin, err := cluster.Client("admin", administrators)
	if err != nil {
		return err
	}
	serviceAccounts, err := pki.NewKey()
	if err != nil {
		return err
	}
	for name, pair := range map[string]pki.Pair{
		"cluster": cluster.Pair, "internal": internal.Pair, "server": serverPair,
		"internal-server": internalServer, "internal-client": internalClient, "admin": admin,
	} {
		if err := p.write(pair.Certificate, "pki", name+".crt"); err != nil {
			return err
		}
		if err := p.write(pair.Key, "pki", name+".key"); err != nil {
			return err
		}
	}
	if err := p.write(serviceAccounts, "pki", "service-accounts.key"); err != nil {
		return err
	}
	if err := p.write(stages, "stages.yaml"); err != nil {
		return err
	}
	if err := p.writeKubeconfig(p.directory.Kubeconfig(), server, "admin", cluster, admin); err != nil {
		return err
	}
	return p.writeUsers(cluster, server)
}

// writeUsers writes the components' kubeconfigs. Controllers and nodes are administrators; the scheduler has its
// built-in role.
func (p *plan) writeUsers(cluster *pki.Authority, server string) error {
	for _, user := range []struct {
		component, name string
		groups          []string
	}{
		{controllers, "system:kube-controller-manager", []string{administrators}},
		{scheduler, "system:kube-scheduler", nil},
		{kwok, "kwok", []string{administrators}},
		{node, "system:node:node-0", []string{"system:nodes", administrators}},
	} {
		login, err := cluster.Client(user.name, user.groups...)
		if err != nil {
			return err
		}
		if err := p.writeKubeconfig(p.user(user.component), server, user.name, cluster, login); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) writeKubeconfig(path, server, name string, cluster *pki.Authority, login pki.Pair) error {
	content, err := kubeconfig.Encode(server, name, cluster.Certificate, login)
	if err != nil {
		return err
	}
	return writeFile(path, content)
}

func (p *plan) write(content []byte, elements ...string) error {
	return writeFile(p.directory.Path(elements...), content)
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("writing the control plane's files: %w", err)
	}
	return nil
}
