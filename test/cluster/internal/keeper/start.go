package keeper

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"syscall"

	"github.com/flux-framework/flux-operator/test/cluster/internal/process"
)

// start starts the components in the order of their dependencies.
func (k *keeper) start(ctx context.Context) error {
	plan, err := newPlan(k.directory.Directory, k.config)
	if err != nil {
		return err
	}
	k.plan = plan
	k.state.Server = plan.client.server
	for _, name := range []string{etcd, apiServer} {
		if err := k.step(ctx, name); err != nil {
			return err
		}
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	// The controllers exit if the API server's own roles do not exist, so they start after it is ready.
	later := plan.names()[2:]
	for _, name := range later {
		if err := k.launch(name); err != nil {
			return err
		}
	}
	for _, name := range later {
		if err := k.await(ctx, name, plan.component(name).ready); err != nil {
			return err
		}
	}
	if err := k.await(ctx, later[len(later)-1], k.nodesReady); err != nil {
		return err
	}
	return k.await(ctx, controllers, func(ctx context.Context) error {
		return plan.client.get(ctx, plan.client.server+"/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
}

// step starts a component and waits until it is ready.
func (k *keeper) step(ctx context.Context, name string) error {
	if err := k.events.Encode(Event{Step: "starting " + name}); err != nil {
		return err
	}
	if err := k.launch(name); err != nil {
		return err
	}
	return k.await(ctx, name, k.plan.component(name).ready)
}

// prepare creates the nodes and CRDs before the controllers start: the garbage collector rediscovers kinds only every
// 30 s.
func (k *keeper) prepare(ctx context.Context) error {
	for i := range k.config.simulated() {
		node, err := json.Marshal(newNode(fmt.Sprintf("node-%d", i), k.plan.nodePort))
		if err != nil {
			return err
		}
		if err := k.plan.client.do(ctx, http.MethodPost, k.plan.client.server+"/api/v1/nodes", node, nil); err != nil {
			return fmt.Errorf("creating a node: %w", err)
		}
	}
	for _, definitions := range k.config.CRDs {
		if err := k.kubectl(ctx, "apply", "--server-side", "-f", definitions); err != nil {
			return err
		}
		if err := k.kubectl(ctx, "wait", "--for=condition=Established", "--timeout=30s", "-f", definitions); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) kubectl(ctx context.Context, args ...string) error {
	args = append([]string{"--kubeconfig=" + k.directory.Kubeconfig()}, args...)
	command := exec.CommandContext(ctx, k.plan.program("kubectl"), args...)
	command.Env = k.plan.environment()
	command.SysProcAttr = process.Dependent(syscall.SIGKILL)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", args[1], err, bytes.TrimSpace(output))
	}
	return nil
}

// nodesReady fails unless all nodes are ready.
func (k *keeper) nodesReady(ctx context.Context) error {
	var list struct {
		Items []struct {
			Spec struct {
				Taints []any `json:"taints"`
			} `json:"spec"`
			Status struct {
				Conditions []struct {
					Type, Status string
				} `json:"conditions"`
			} `json:"status"`
		} `json:"items"`
	}
	if err := k.plan.client.get(ctx, k.plan.client.server+"/api/v1/nodes", &list); err != nil {
		return err
	}
	ready := 0
	for _, node := range list.Items {
		for _, condition := range node.Status.Conditions {
			if condition.Type == "Ready" && condition.Status == "True" && len(node.Spec.Taints) == 0 {
				ready++
			}
		}
	}
	if want := max(1, k.config.simulated()); ready < want {
		return fmt.Errorf("%d of %d nodes are ready", ready, want)
	}
	return nil
}

// newNode returns a Node as a kubelet registers it.
func newNode(name string, port int) map[string]any {
	resources := map[string]string{"cpu": "1000", "memory": "4Ti", "pods": "10000", "ephemeral-storage": "4Ti"}
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": map[string]any{
			"name": name,
			"labels": map[string]string{
				"kubernetes.io/hostname": name,
				"kubernetes.io/os":       "linux",
				"kubernetes.io/arch":     "amd64",
			},
		},
		"status": map[string]any{
			"addresses": []map[string]string{
				{"type": "InternalIP", "address": "127.0.0.1"},
				{"type": "Hostname", "address": name},
			},
			"daemonEndpoints": map[string]any{"kubeletEndpoint": map[string]int{"Port": port}},
			"capacity":        resources,
			"allocatable":     resources,
		},
	}
}
