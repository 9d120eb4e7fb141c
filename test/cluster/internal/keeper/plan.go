package keeper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"

	"github.com/flux-framework/flux-operator/test/cluster/internal/state"
)

// The components, by the names of their programs.
const (
	etcd        = "etcd"
	apiServer   = "kube-apiserver"
	controllers = "kube-controller-manager"
	scheduler   = "kube-scheduler"
	kwok        = "kwok"
	proxy       = "proxy"
	node        = "init" // of a real node
)

// The Service range, and its first address, which is the API server's ClusterIP.
const (
	services = "10.96.0.0/16"
	service  = "10.96.0.1"
)

// plan holds the programs, arguments, ports and files of a control plane.
type plan struct {
	directory  state.Directory
	bin        string
	node       Node
	client     *client
	components []component
	nodePort   int
}

// component is one program.
type component struct {
	name     string
	args     []string
	ready    func(context.Context) error
	isolated bool // in namespaces of its own
}

// newPlan chooses the ports and writes the files.
func newPlan(directory state.Directory, config Config) (*plan, error) {
	ports, err := freePorts(6)
	if err != nil {
		return nil, err
	}
	p := &plan{directory: directory, bin: config.Bin, node: config.Node, nodePort: ports[5]}
	if err := p.writeFiles(address(ports[2])); err != nil {
		return nil, err
	}
	if p.client, err = newClient(directory, address(ports[2])); err != nil {
		return nil, err
	}
	p.components = []component{
		{name: etcd, args: p.etcd(ports[0], ports[1]), ready: p.healthy(ports[0], "/health")},
		{name: apiServer, args: p.apiServer(ports[2], ports[0]), ready: p.healthy(ports[2], "/readyz")},
		{name: controllers, args: p.controllers(ports[3]), ready: p.healthy(ports[3], "/healthz")},
		{name: scheduler, args: p.scheduler(ports[4]), ready: p.healthy(ports[4], "/readyz")},
	}
	if !config.Node.real() {
		p.components = append(p.components, component{name: kwok, args: p.kwok(ports[5]),
			ready: p.healthy(ports[5], "/healthz")})
		return p, nil
	}
	args := p.realNode(ports[2], ports[5])
	p.components = append(p.components,
		component{name: proxy, args: args, ready: started},
		component{name: node, args: args, ready: started, isolated: true})
	return p, nil
}

func (p *plan) component(name string) component {
	return p.components[slices.IndexFunc(p.components, func(c component) bool { return c.name == name })]
}

func (p *plan) names() []string {
	names := make([]string, 0, len(p.components))
	for _, component := range p.components {
		names = append(names, component.name)
	}
	return names
}

// program is the path of a program.
func (p *plan) program(name string) string {
	if name == proxy || name == node {
		return filepath.Join(p.node.Bin, name)
	}
	return filepath.Join(p.bin, name)
}

// environment is the whole environment of the programs; they do not see the caller's.
func (p *plan) environment() []string {
	return []string{"HOME=" + string(p.directory), "TMPDIR=" + string(p.directory), "PATH=" + p.bin}
}

func (p *plan) healthy(port int, path string) func(context.Context) error {
	return func(ctx context.Context) error { return p.client.get(ctx, address(port)+path, nil) }
}

func address(port int) string { return fmt.Sprintf("https://127.0.0.1:%d", port) }

func (p *plan) pki(name string) string { return p.directory.Path("pki", name) }

func (p *plan) user(name string) string { return p.directory.Path("users", name) }

func (p *plan) etcd(port, peerPort int) []string {
	return []string{
		"--name=etcd",
		"--data-dir=" + p.directory.Path("etcd"),
		"--listen-client-urls=" + address(port),
		"--advertise-client-urls=" + address(port),
		"--listen-peer-urls=" + address(peerPort),
		"--initial-advertise-peer-urls=" + address(peerPort),
		"--initial-cluster=etcd=" + address(peerPort),
		"--cert-file=" + p.pki("internal-server.crt"),
		"--key-file=" + p.pki("internal-server.key"),
		"--client-cert-auth",
		"--trusted-ca-file=" + p.pki("internal.crt"),
		"--peer-cert-file=" + p.pki("internal-server.crt"),
		"--peer-key-file=" + p.pki("internal-server.key"),
		"--peer-client-cert-auth",
		"--peer-trusted-ca-file=" + p.pki("internal.crt"),
		"--unsafe-no-fsync", // the data outlives a killed etcd, not a machine
		"--enable-grpc-gateway=false",
		"--log-level=warn",
	}
}

func (p *plan) apiServer(port, etcdPort int) []string {
	return []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // no Endpoints may name a loopback address
		fmt.Sprintf("--secure-port=%d", port),
		"--cert-dir=" + p.directory.Path("pki"),
		"--tls-cert-file=" + p.pki("server.crt"),
		"--tls-private-key-file=" + p.pki("server.key"),
		"--client-ca-file=" + p.pki("cluster.crt"),
		"--etcd-servers=" + address(etcdPort),
		"--etcd-cafile=" + p.pki("internal.crt"),
		"--etcd-certfile=" + p.pki("internal-client.crt"),
		"--etcd-keyfile=" + p.pki("internal-client.key"),
		"--kubelet-certificate-authority=" + p.pki("internal.crt"),
		"--kubelet-client-certificate=" + p.pki("internal-client.crt"),
		"--kubelet-client-key=" + p.pki("internal-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + p.pki("service-accounts.key"),
		"--service-account-signing-key-file=" + p.pki("service-accounts.key"),
		"--service-cluster-ip-range=" + services,
		"--authorization-mode=RBAC",
		"--allow-privileged",
		// Close watches on shutdown; without these flags it waits a minute for them.
		"--shutdown-send-retry-after",
		"--shutdown-watch-termination-grace-period=1s",
		"--profiling=false",
	}
}

func (p *plan) controllers(port int) []string {
	return append(p.internalServer(port),
		"--kubeconfig="+p.user(controllers),
		"--service-account-private-key-file="+p.pki("service-accounts.key"),
		"--root-ca-file="+p.pki("cluster.crt"),
		"--node-monitor-grace-period=8760h", // kwok renews nothing
		"--leader-elect=false",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--profiling=false",
	)
}

func (p *plan) scheduler(port int) []string {
	return append(p.internalServer(port),
		"--kubeconfig="+p.user(scheduler),
		"--leader-elect=false",
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
		"--profiling=false",
	)
}

// internalServer are the flags with which a controller serves only its health.
func (p *plan) internalServer(port int) []string {
	return []string{
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + p.pki("internal-server.crt"),
		"--tls-private-key-file=" + p.pki("internal-server.key"),
		"--authentication-skip-lookup",
	}
}

func (p *plan) kwok(port int) []string {
	return []string{
		"--config=" + p.directory.Path("stages.yaml"),
		"--kubeconfig=" + p.user(kwok),
		"--manage-all-nodes",
		"--node-lease-duration-seconds=0", // after a kill, the leases would keep the next one away until they end
		"--cidr=10.244.0.0/16",
		"--kubelet-address=" + fmt.Sprintf("127.0.0.1:%d", port),
		"--kubelet-cert-file=" + p.pki("internal-server.crt"),
		"--kubelet-key-file=" + p.pki("internal-server.key"),
		"--kubelet-client-ca-file=" + p.pki("internal.crt"),
	}
}

// realNode are the flags of a real node and of the proxy to it.
func (p *plan) realNode(serverPort, port int) []string {
	args := []string{
		"--dir=" + p.directory.Path("node"),
		"--runtime=" + p.node.Runtime,
		"--kubeconfig=" + p.user(node),
		fmt.Sprintf("--server=127.0.0.1:%d", serverPort),
		fmt.Sprintf("--port=%d", port),
		"--cert-file=" + p.pki("internal-server.crt"),
		"--key-file=" + p.pki("internal-server.key"),
		"--client-ca-file=" + p.pki("internal.crt"),
	}
	for _, image := range p.node.Images {
		args = append(args, "--image="+image)
	}
	return args
}

// started is for components that are ready when the node is.
func started(context.Context) error { return nil }

// freePorts finds free ports on the loopback address, below the ephemeral range, so that no outgoing connection takes
// one before its component listens.
func freePorts(count int) ([]int, error) {
	const low, high, tries = 20000, 30000, 1000
	var ports []int
	var last error
	for range tries {
		port := low + rand.IntN(high-low)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			last = err
			continue
		}
		defer listener.Close() //nolint:errcheck,gocritic // all are held until all are found, so that none is found twice
		if ports = append(ports, port); len(ports) == count {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("finding %d free ports from %d to %d: %w", count, low, high, last)
}
