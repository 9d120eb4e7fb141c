package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/clientset/versioned"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

const (
	namespace = "default"
	host      = "https://example.org"
	listed    = 100
)

// canned answers each request from memory, so that what is counted is the client's.
type canned struct{ object, list []byte }

// RoundTrip implements http.RoundTripper.
func (c canned) RoundTrip(request *http.Request) (*http.Response, error) {
	body := c.object
	if strings.HasSuffix(request.URL.Path, "/miniclusters") {
		body = c.list
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: request,
	}, nil
}

// answers are a MiniCluster as the server has it, and a list of them.
func answers() (canned, error) {
	data, err := os.ReadFile("examples/minicluster/lammps.yaml")
	if err != nil {
		return canned{}, err
	}
	mc := api.MiniCluster{}
	if err := yaml.UnmarshalStrict(data, &mc); err != nil {
		return canned{}, err
	}
	mc.UID, mc.ResourceVersion, mc.Generation = "0af6c3a0-0a3c-4b9a-9a52-3f1d3c0f9c1e", "12345", 2
	mc.Status = api.MiniClusterStatus{Size: 4, MaximumSize: 4, Selector: "job-name=" + mc.Name}
	for _, condition := range []string{api.ConditionJobRequested, api.ConditionJobReady, api.ConditionJobRunning} {
		mc.Status.Conditions = append(mc.Status.Conditions,
			metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: condition})
	}
	list := api.MiniClusterList{TypeMeta: metav1.TypeMeta{APIVersion: mc.APIVersion, Kind: "MiniClusterList"}}
	for range listed {
		list.Items = append(list.Items, mc)
	}
	var c canned
	if c.object, err = json.Marshal(mc); err == nil {
		c.list, err = json.Marshal(list)
	}
	return c, err
}

// calls are the same two calls with a client.
type calls struct{ get, list func(context.Context) error }

func clientsOf(transport http.RoundTripper) (map[string]calls, error) {
	config := &rest.Config{Host: host, QPS: -1}
	httpClient := &http.Client{Transport: transport}
	light, err := fluxoperator.NewClient(httpClient, host)
	if err != nil {
		return nil, err
	}
	clientset, err := versioned.NewForConfigAndClient(config, httpClient)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		return nil, err
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(api.SchemeGroupVersion.WithKind("MiniCluster"), meta.RESTScopeNamespace)
	runtimeClient, err := client.New(config, client.Options{HTTPClient: httpClient, Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, err
	}
	typed := clientset.FluxFrameworkV1alpha1().MiniClusters(namespace)
	return map[string]calls{
		"light": {
			func(ctx context.Context) error {
				_, err := light.MiniClusters(namespace).Get(ctx, "lammps", metav1.GetOptions{})
				return err
			},
			func(ctx context.Context) error {
				_, err := light.MiniClusters(namespace).List(ctx, metav1.ListOptions{})
				return err
			},
		},
		"clientset": {
			func(ctx context.Context) error { _, err := typed.Get(ctx, "lammps", metav1.GetOptions{}); return err },
			func(ctx context.Context) error { _, err := typed.List(ctx, metav1.ListOptions{}); return err },
		},
		"controllerruntime": {
			func(ctx context.Context) error {
				return runtimeClient.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "lammps"}, &api.MiniCluster{})
			},
			func(ctx context.Context) error {
				return runtimeClient.List(ctx, &api.MiniClusterList{}, client.InNamespace(namespace))
			},
		},
	}, nil
}

// callTable has a row for each client: what a Get and a List of many allocate and take.
func callTable() (string, error) {
	answer, err := answers()
	if err != nil {
		return "", err
	}
	clients, err := clientsOf(answer)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"| client | Get: allocations | KiB | µs | List of %[1]d, per object: allocations | KiB | µs "+
			"|\n|---|---:|---:|---:|---:|---:|---:|\n", listed)
	for _, side := range sides {
		get, err := measure(clients[side].get)
		if err != nil {
			return "", fmt.Errorf("getting with %s: %w", side, err)
		}
		list, err := measure(clients[side].list)
		if err != nil {
			return "", fmt.Errorf("listing with %s: %w", side, err)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", side, figures(get, 1), figures(list, listed))
	}
	return b.String(), nil
}

func measure(call func(context.Context) error) (testing.BenchmarkResult, error) {
	ctx := context.Background()
	if err := call(ctx); err != nil {
		return testing.BenchmarkResult{}, err
	}
	var failed error
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			failed = call(ctx)
		}
	})
	return result, failed
}

func figures(r testing.BenchmarkResult, objects int64) string {
	return fmt.Sprintf("%d | %.1f | %.0f", r.AllocsPerOp()/objects, float64(r.AllocedBytesPerOp()/objects)/1024,
		float64(r.NsPerOp()/objects)/1000)
}
