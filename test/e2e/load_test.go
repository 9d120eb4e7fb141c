package e2e

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"

	"github.com/flux-framework/flux-operator/test/operator"
)

var loadCount = flag.Int("miniclusters", 1000, "number of MiniClusters that TestLoad creates")

// TestLoad creates many MiniClusters at once, in ten namespaces, and deletes them again.
func TestLoad(t *testing.T) {
	long(t)
	s := need(t)
	p := s.manager(t, s.kubeconfig, "--zap-log-level=info")
	var namespaces []string
	for range 10 {
		namespaces = append(namespaces, s.namespace(t))
	}
	before := s.requests(t, p)
	began := time.Now()
	s.flood(t, namespaces)
	created := time.Since(began)
	s.figure(t, "MiniClusters of one pod", fmt.Sprint(*loadCount))
	s.figure(t, "created by the test in", seconds(created))
	s.figure(t, "all ready after", seconds(s.reach(t, namespaces, began, api.ConditionJobReady)))
	s.figure(t, "all Jobs completed after", seconds(s.reach(t, namespaces, began, api.ConditionJobFinished)))

	after := s.requests(t, p)
	for _, method := range []string{"POST", "PATCH", "GET", "PUT", "DELETE"} {
		if n := after[method] - before[method]; n > 0 {
			s.figure(t, method+" requests of the operator per MiniCluster", fmt.Sprintf("%.2f", n/float64(*loadCount)))
		}
	}
	s.figure(t, "peak memory of the operator", peak(t, p.PID()))
	cpu, err := p.Measure("process_cpu_seconds_total", "none")
	if err != nil {
		t.Fatal(err)
	}
	s.figure(t, "CPU time of the operator", fmt.Sprintf("%.1f s", cpu[""]))

	began = time.Now()
	for _, ns := range namespaces {
		if err := s.client.DeleteAllOf(t.Context(), &api.MiniCluster{}, client.InNamespace(ns)); err != nil {
			t.Fatal(err)
		}
	}
	for _, ns := range namespaces {
		eventually(t, 20*time.Minute, func() string {
			if left := len(s.objects(t, ns)); left > 0 {
				time.Sleep(time.Second)
				return fmt.Sprintf("%d objects are left", left)
			}
			return ""
		})
	}
	s.figure(t, "all objects deleted after", seconds(time.Since(began)))
}

// requests counts the requests of the operator, by method.
func (s *suite) requests(t *testing.T, p *operator.Process) map[string]float64 {
	t.Helper()
	sums, err := p.Measure("rest_client_requests_total", "method")
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// flood creates the MiniClusters of TestLoad.
func (s *suite) flood(t *testing.T, namespaces []string) {
	t.Helper()
	var group sync.WaitGroup
	for i, ns := range namespaces {
		group.Go(func() {
			for n := i; n < *loadCount; n += len(namespaces) {
				mc, err := cluster(ns, fmt.Sprintf("mc-%d", n), `{containers: [{image: any, command: hostname}]}`)
				if err == nil {
					err = s.client.Create(t.Context(), mc)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// reach waits until a condition is true for all MiniClusters, and returns the time since began.
func (s *suite) reach(t *testing.T, namespaces []string, began time.Time, condition string) time.Duration {
	t.Helper()
	eventually(t, 20*time.Minute, func() string {
		reached := 0
		for _, ns := range namespaces {
			var list api.MiniClusterList
			if err := s.client.List(t.Context(), &list, client.InNamespace(ns)); err != nil {
				t.Fatal(err)
			}
			for _, mc := range list.Items {
				if meta.IsStatusConditionTrue(mc.Status.Conditions, condition) {
					reached++
				}
			}
		}
		if reached < *loadCount {
			time.Sleep(400 * time.Millisecond)
			return fmt.Sprintf("%s: %d of %d", condition, reached, *loadCount)
		}
		return ""
	})
	return time.Since(began)
}

// peak returns the peak memory of a process.
func peak(t *testing.T, pid int) string {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown on this system"
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	kilobytes := 0
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d MiB", kilobytes/1024)
}
