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

// brokerConfigKey is the file of the brokers' configuration.
const brokerConfigKey = "broker.toml"

func configMaps(mc *api.MiniCluster, k *keys) ([]*corev1.ConfigMap, error) {
	scripts, err := scripts(mc)
	if err != nil {
		return nil, err
	}
	all := []*corev1.ConfigMap{
		configMap(mc, EntrypointConfigMap(mc), scripts),
		configMap(mc, FluxConfigMap(mc), map[string]string{brokerConfigKey: brokerConfig(mc)}),
	}
	if k.certificate != "" {
		all = append(all, configMap(mc, CurveConfigMap(mc), map[string]string{curveKey: k.certificate}))
	}
	if restful := restfulConfig(mc, k); len(restful) > 0 {
		all = append(all, configMap(mc, RestfulConfigMap(mc), restful))
	}
	return all, nil
}

func configMap(mc *api.MiniCluster, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: meta(mc, name, Labels(mc)),
		Data:       data,
	}
}

// restfulConfig is what the entrypoint reads of the Flux RESTful API and of the users; it is empty
// where there is neither.
func restfulConfig(mc *api.MiniCluster, k *keys) map[string]string {
	data := map[string]string{}
	if restful := mc.Spec.FluxRestful; servesRestful(mc) {
		data[restfulBranch] = restful.Branch
		data[restfulPort] = strconv.Itoa(int(restful.Port))
		data[restfulUsername] = restful.Username
		data[restfulToken] = k.token
		data[restfulSecretKey] = k.secretKey
	}
	for _, user := range mc.Spec.Users {
		data[passwordPrefix+user.Name] = k.passwords[user.Name]
	}
	return data
}

// brokerConfig is the configuration of all brokers of the MiniCluster, in TOML. The access of
// guests, and the IMP that runs their jobs, is for a MiniCluster with several users only.
func brokerConfig(mc *api.MiniCluster) string {
	flux := mc.Spec.Flux
	if flux.BrokerConfig != "" {
		return flux.BrokerConfig
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[access]\nallow-root-owner = true\nallow-guest-user = %t\n\n", MultiUser(mc))
	if MultiUser(mc) {
		fmt.Fprintf(&b, "[exec]\nimp = %s\n\n", toml(flux.InstallRoot+"/libexec/flux/flux-imp"))
	}
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

// connect is where brokers find the one above them in the tree: below the headless Service, or,
// in a MiniCluster that extends another one, at the address of the only broker that it can reach.
func connect(mc *api.MiniCluster) string {
	if lead := mc.Spec.Flux.Bursting.LeadBroker; lead != nil {
		return "tcp://" + net.JoinHostPort(lead.Address, strconv.Itoa(int(lead.Port)))
	}
	return "tcp://%h." + mc.Spec.Network.HeadlessName + ":%p"
}

// toml is a basic string of TOML, whose escapes are those of JSON.
func toml(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
