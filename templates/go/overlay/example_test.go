package fluxoperator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

func Example_defaults() {
	container := fluxoperator.NewMiniClusterContainer()
	container.Command = "hostname"
	spec := fluxoperator.NewMiniClusterSpec([]fluxoperator.MiniClusterContainer{*container})
	fmt.Println(*spec.Size, *spec.DeadlineSeconds, *spec.Containers[0].Image)
	// Output: 1 31500000 ghcr.io/rse-ops/accounting:app-latest
}

func Example() {
	mc := fluxoperator.NewMiniCluster()
	mc.Name = "sample"
	mc.Spec = &fluxoperator.MiniClusterSpec{Containers: []fluxoperator.MiniClusterContainer{{Command: "hostname"}}}
	text, err := json.Marshal(mc)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(text))
	// Output: {"kind":"MiniCluster","apiVersion":"flux-framework.org/v1alpha1","metadata":{"name":"sample"},"spec":{"containers":[{"command":"hostname"}]}}
}

// What a newer server sends survives a change by an older program.
func Example_unknownFields() {
	var mc fluxoperator.MiniCluster
	if err := json.Unmarshal([]byte(`{"spec":{"containers":[],"size":2,"topology":"torus"}}`), &mc); err != nil {
		fmt.Println(err)
	}
	*mc.Spec.Size = 4
	text, err := json.Marshal(mc)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(text))
	// Output: {"spec":{"containers":[],"size":4,"topology":"torus"}}
}

func Example_errors() {
	server := httptest.NewServer(http.NotFoundHandler()) // in place of an API server
	defer server.Close()

	client, err := fluxoperator.NewClient(server.Client(), server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.MiniClusters("default").Get(context.Background(), "sample", metav1.GetOptions{})
	fmt.Println(apierrors.IsNotFound(err))
	// Output: true
}
