package machine

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/retry"
	cloudprovider "k8s.io/cloud-provider/api"
)

// register does what a cloud's controller does for a new node: it sets the address at which the API server reaches the
// kubelet, and removes the taint that keeps pods away until then. The kubelet itself takes no loopback address.
func (m *machine) register(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", m.Kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	nodes := client.CoreV1().Nodes()
	update := func(change func(*corev1.Node), write func(context.Context, *corev1.Node,
		metav1.UpdateOptions) (*corev1.Node, error)) error {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			node, err := nodes.Get(ctx, nodeName, metav1.GetOptions{})
			if err != nil {
				return err
			}
			change(node)
			_, err = write(ctx, node, metav1.UpdateOptions{})
			return err
		})
	}
	return await(ctx, "the kubelet to register its node", func() error {
		err := update(func(node *corev1.Node) {
			node.Status.Addresses = []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: "127.0.0.1"},
				{Type: corev1.NodeHostName, Address: nodeName},
			}
		}, nodes.UpdateStatus)
		if err != nil {
			return err
		}
		return update(func(node *corev1.Node) {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(t corev1.Taint) bool {
				return t.Key == cloudprovider.TaintExternalCloudProvider
			})
		}, nodes.Update)
	})
}
