package main

import (
	"fmt"
	"os"

	clientcmd "k8s.io/client-go/tools/clientcmd/api/v1"
	"sigs.k8s.io/yaml"
)

const defaultNamespace = "default"

// currentNamespace returns the namespace of the current context of a kubeconfig. It connects to no
// cluster.
func currentNamespace(file string) (string, error) {
	if file == "" {
		return defaultNamespace, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var config clientcmd.Config
	if err := yaml.Unmarshal(data, &config); err != nil {
		return "", fmt.Errorf("%s: reading the kubeconfig: %w", file, err)
	}
	for _, c := range config.Contexts {
		if c.Name == config.CurrentContext && c.Context.Namespace != "" {
			return c.Context.Namespace, nil
		}
		if c.Name == config.CurrentContext {
			return defaultNamespace, nil
		}
	}
	return "", fmt.Errorf("%s: current-context %q does not exist", file, config.CurrentContext)
}
