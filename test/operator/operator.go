// Package operator installs the operator of this repository on the API server of KUBECONFIG and runs its manager, for
// tests.
package operator

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// The service account in config/default.
const (
	Namespace = "flux-operator-system"
	Name      = "flux-operator-controller-manager"
)

// Build builds the manager and fluxoperator-gen from the repository at root into a directory.
func Build(root, dir string) error {
	build := exec.Command("go", "build", "-o", dir+"/", "./cmd/manager", "./cmd/fluxoperator-gen")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building: %w\n%s", err, out)
	}
	return nil
}

// Install applies a kustomization with the operator. Its Deployment gets no pods, as the tests run the manager
// themselves.
func Install(kustomization string) error {
	for _, args := range [][]string{
		{"apply", "--server-side", "-k", kustomization},
		{"wait", "--for=condition=Established", "--timeout=60s", "crd/miniclusters.flux-framework.org"},
		{"scale", "--namespace", Namespace, "deployment/" + Name, "--replicas=0"},
	} {
		if out, err := exec.Command("kubectl", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	return nil
}

// Impersonate writes a kubeconfig that impersonates a service account, so that RBAC applies as it does
// to the account's own token.
func Impersonate(file, namespace, account string) (string, error) {
	config, err := clientcmd.LoadFromFile(os.Getenv("KUBECONFIG"))
	if err != nil {
		return "", err
	}
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return "", err
	}
	for _, user := range config.AuthInfos {
		user.Impersonate = ServiceAccount(namespace, account).UserName
		user.ImpersonateGroups = ServiceAccount(namespace, account).Groups
	}
	return file, clientcmd.WriteToFile(*config, file)
}

// ServiceAccount returns the user and the groups of a service account.
func ServiceAccount(namespace, account string) rest.ImpersonationConfig {
	return rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + namespace + ":" + account,
		Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
	}
}
