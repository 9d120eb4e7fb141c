package controller

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	goruntime "runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/log"

	api "github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/internal/testkit"
	"github.com/flux-framework/flux-operator/pkg/minicluster"
	"github.com/flux-framework/flux-operator/test/report"
)

var page = flag.String("report", "", "document to write the table of BenchmarkMemory to")

// measurement is what a pass needs for a MiniCluster. Numbers are in bytes.
type measurement struct{ peak, size, made int }

// BenchmarkMemory measures the heap while the objects of random MiniClusters at the limits of the schema
// are created, and then while ten workers do that for the MiniCluster that needs most.
func BenchmarkMemory(b *testing.B) {
	const seeds, workers = 300, 10
	limits, err := testkit.Limits()
	if err != nil {
		b.Fatal(err)
	}
	var worst measurement
	var largest *api.MiniCluster
	beyond := 0
	for b.Loop() {
		for seed := range uint64(seeds) {
			mc, size := testkit.Large(rand.New(rand.NewPCG(seed, 0)), limits)
			s := newSink(b, mc)
			peak := peakHeap(func() { s.pass(b) })
			beyond = max(beyond, peak-4*size)
			if peak > worst.peak {
				worst, largest = measurement{peak, size, s.bytes}, mc
			}
		}
	}
	var sinks []*sink
	for range workers {
		sinks = append(sinks, newSink(b, largest))
	}
	together := peakHeap(func() {
		var group sync.WaitGroup
		for _, s := range sinks {
			group.Go(func() { s.pass(b) })
		}
		group.Wait()
	})
	b.ReportMetric(float64(worst.peak), "heap-bytes/pass")
	b.ReportMetric(float64(together), "heap-bytes/10-passes")
	table := "| | |\n|---|---|\n"
	for _, row := range []struct {
		what  string
		value int
	}{
		{fmt.Sprintf("largest peak of the heap in a pass, of %d MiniClusters", seeds), worst.peak},
		{"size of that MiniCluster in JSON", worst.size},
		{"size of its objects", worst.made},
		{"largest peak beyond 4 times the size of the MiniCluster", beyond},
		{fmt.Sprintf("peak of the heap in %d such passes at once", workers), together},
	} {
		table += fmt.Sprintf("| %s | %.1f MB |\n", row.what, float64(row.value)/1e6)
	}
	b.Log("\n" + table)
	if *page != "" {
		if err := report.Write(*page, []report.Section{{Mark: "memory", Text: table}}); err != nil {
			b.Fatal(err)
		}
	}
}

// peakHeap returns by how many bytes of objects, dead ones included, the heap grows at most.
func peakHeap(f func()) int {
	heap := func() int {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	goruntime.GC()
	before := heap()
	most := before
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			most = max(most, heap())
			select {
			case <-done:
				return
			case <-time.After(50 * time.Microsecond):
			}
		}
	}()
	f()
	close(done)
	<-stopped
	return max(most, heap()) - before
}

// silent records no events.
type silent struct{ events.EventRecorder }

func (silent) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any) {
}

// sink is an API server with one MiniCluster. It encodes and decodes what it gets as a client does, and
// drops it.
type sink struct {
	*world
	mc    *api.MiniCluster
	bytes int // of the objects
}

func newSink(t testing.TB, mc *api.MiniCluster) *sink {
	log.SetLogger(logr.Discard())
	w := newWorld(t)
	s := &sink{world: w, mc: mc}
	w.Events = silent{}
	w.NewDesired = minicluster.NewDesired
	w.Client = interceptor.NewClient(w.store, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
			if _, ok := o.(*api.MiniCluster); !ok {
				return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
			}
			mc := s.mc.DeepCopy()
			mc.ResourceVersion = "1"
			reflect.ValueOf(o).Elem().Set(reflect.ValueOf(mc).Elem())
			return nil
		},
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			encoded, ok := o.(interface {
				Marshal() ([]byte, error)
				Unmarshal([]byte) error
			})
			if !ok {
				return fmt.Errorf("%T cannot be encoded", o)
			}
			data, err := encoded.Marshal()
			s.bytes += len(data)
			if err != nil {
				return err
			}
			return encoded.Unmarshal(data)
		},
		SubResourcePatch: func(_ context.Context, _ client.Client, _ string, o client.Object, patch client.Patch,
			_ ...client.SubResourcePatchOption) error {
			_, err := patch.Data(o)
			return err
		},
	})
	return s
}

// pass runs a pass that creates all objects.
func (s *sink) pass(t testing.TB) {
	if _, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(s.mc)}); err != nil {
		t.Error(err)
	}
}
