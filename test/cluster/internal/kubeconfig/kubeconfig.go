// Package kubeconfig encodes kubeconfig files.
package kubeconfig

import (
	"encoding/json"

	"github.com/flux-framework/flux-operator/test/cluster/internal/pki"
)

type config struct {
	APIVersion     string    `json:"apiVersion"`
	Kind           string    `json:"kind"`
	CurrentContext string    `json:"current-context"`
	Clusters       []cluster `json:"clusters"`
	Contexts       []context `json:"contexts"`
	Users          []user    `json:"users"`
}

type cluster struct {
	Name    string `json:"name"`
	Cluster struct {
		Server string `json:"server"`
		CA     []byte `json:"certificate-authority-data"`
	} `json:"cluster"`
}

type context struct {
	Name    string `json:"name"`
	Context struct {
		Cluster   string `json:"cluster"`
		User      string `json:"user"`
		Namespace string `json:"namespace"`
	} `json:"context"`
}

type user struct {
	Name string `json:"name"`
	User struct {
		Certificate []byte `json:"client-certificate-data"`
		Key         []byte `json:"client-key-data"`
	} `json:"user"`
}

// Encode encodes a kubeconfig with one cluster and one user with a client certificate. It is JSON, which is valid YAML.
func Encode(server, name string, authority []byte, login pki.Pair) ([]byte, error) {
	const clusterName = "cluster"
	result := config{APIVersion: "v1", Kind: "Config", CurrentContext: name,
		Clusters: make([]cluster, 1), Contexts: make([]context, 1), Users: make([]user, 1)}
	result.Clusters[0].Name = clusterName
	result.Clusters[0].Cluster.Server = server
	result.Clusters[0].Cluster.CA = authority
	result.Contexts[0].Name = name
	result.Contexts[0].Context.Cluster = clusterName
	result.Contexts[0].Context.User = name
	result.Contexts[0].Context.Namespace = "default"
	result.Users[0].Name = name
	result.Users[0].User.Certificate = login.Certificate
	result.Users[0].User.Key = login.Key
	encoded, err := json.MarshalIndent(result, "", "  ")
	return append(encoded, '\n'), err
}
