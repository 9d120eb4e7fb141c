package machine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"text/template"
)

const (
	nodeName = "node-0"
	socket   = "containerd.sock" // in the node's directory

	subnet     = "10.244.0.0/24"
	nameServer = "10.244.0.1" // the address of the pods' bridge
)

// files are the templates of the programs' configurations, which are written to the node's directory.
var files = map[string]string{
	"containerd.toml": `version = 3
root = "{{.Dir}}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri"]

[grpc]
address = "{{.Dir}}/containerd.sock"

[plugins.'io.containerd.cri.v1.images']
snapshotter = "overlayfs"

[plugins.'io.containerd.cri.v1.images'.pinned_images]
sandbox = "{{.Sandbox}}"

[plugins.'io.containerd.cri.v1.runtime']
restrict_oom_score_adj = true # lowering it needs CAP_SYS_RESOURCE, which root of a container lacks

[plugins.'io.containerd.cri.v1.runtime'.cni]
bin_dirs = ["{{.Runtime}}"]
conf_dir = "{{.Dir}}/cni"

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
SystemdCgroup = false

[plugins.'io.containerd.grpc.v1.cri']
stream_server_address = "127.0.0.1"
`,
	"cni/pods.conflist": `{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [{
    "type": "bridge",
    "bridge": "pods",
    "isGateway": true,
    "ipam": {"type": "host-local", "dataDir": "/run/pods", "ranges": [[{"subnet": "{{.Subnet}}"}]]}
  }]
}
`,
	"Corefile": `.:53 {
    errors
    kubernetes cluster.local {
        kubeconfig {{.Kubeconfig}}
        ttl 0
    }
}
`,
	"kubelet.yaml": `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 127.0.0.1
port: {{.Port}}
readOnlyPort: 0
healthzPort: 0
tlsCertFile: {{.CertFile}}
tlsPrivateKeyFile: {{.KeyFile}}
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: false}
  x509: {clientCAFile: {{.ClientCA}}}
authorization: {mode: AlwaysAllow} # only the API server has a certificate of that CA
containerRuntimeEndpoint: unix://{{.Dir}}/containerd.sock
podLogsDir: {{.Dir}}/logs
cgroupDriver: cgroupfs
cgroupsPerQOS: false # nor limits for the sum of all pods: the host's cgroups are left alone
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
makeIPTablesUtilChains: false # there are no ClusterIPs
clusterDNS: [{{.NameServer}}]
clusterDomain: cluster.local
evictionHard: {memory.available: 50Mi}
imageGCHighThresholdPercent: 100 # no image can be pulled again
imageGCLowThresholdPercent: 99
registerNode: true
`,
}

// writeFiles writes the configurations.
func (c Config) writeFiles() error {
	data := struct {
		Config
		Sandbox, Subnet, NameServer string
	}{c, sandboxImage, subnet, nameServer}
	for name, text := range files {
		parsed, err := template.New(name).Parse(text)
		if err != nil {
			return err
		}
		var content bytes.Buffer
		if err := parsed.Execute(&content, data); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
		if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(c.path(name), content.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
