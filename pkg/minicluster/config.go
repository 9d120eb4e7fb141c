package minicluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
)

// brokerConfigKey is the file name of the broker configuration in its ConfigMap.
const brokerConfigKey = "broker.toml"

// killTimeout is the time between SIGTERM and SIGKILL of a job that is stopped. Brokers wait for five of them for
// jobs whose other brokers are gone, which must be over before Kubernetes kills the pod.
const killTimeout = "2s"

func configMap(mc *api.MiniCluster, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: meta(mc, name, Labels(mc)),
		Data:       data,
	}
}

// brokerConfig returns the TOML configuration of all brokers of the MiniCluster. Only a MiniCluster
// with several users gives access to guests and configures the IMP, which runs their jobs.
func brokerConfig(mc *api.MiniCluster) string {
	flux := mc.Spec.Flux
	if flux.BrokerConfig != "" {
		return flux.BrokerConfig
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[access]\nallow-root-owner = true\nallow-guest-user = %t\n\n", MultiUser(mc))
	fmt.Fprintf(&b, "[exec]\nkill-timeout = %q\n", killTimeout)
	if MultiUser(mc) {
		fmt.Fprintf(&b, "imp = %s\n", toml(flux.InstallRoot+"/libexec/flux/flux-imp"))
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "# What entrypoints find out with flux R.\n[resource]\npath = %q\n\n", resourceFile)
	fmt.Fprintf(&b, `[bootstrap]
curve_cert = %q
default_port = %d
default_bind = "tcp://eth0:%%p"
default_connect = %s
hosts = [
  { host = %s },
]

[sched-fluxion-qmanager]
queue-policy = %s
`, certificateFile, brokerPort, toml(connect(mc)), toml(hosts(mc)), toml(flux.Scheduler.QueuePolicy))
	return b.String()
}

// connect returns the address at which a broker finds its parent in the tree: under the headless
// Service or, in a MiniCluster that extends another one, that of the lead broker.
func connect(mc *api.MiniCluster) string {
	if lead := mc.Spec.Flux.Bursting.LeadBroker; lead != nil {
		return "tcp://" + net.JoinHostPort(lead.Address, strconv.Itoa(int(lead.Port)))
	}
	return "tcp://%h." + mc.Spec.Network.HeadlessName + ":%p"
}

// toml returns s as a TOML basic string, whose escapes are those of JSON.
func toml(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
