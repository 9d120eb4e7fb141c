package lightclient

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/flux-framework/flux-operator/api/v1alpha1"
	"github.com/flux-framework/flux-operator/sdk/go/fluxoperator"
)

// BenchmarkJSON encodes and decodes one MiniCluster, as the API server would send it, by
// encoding/json with the API's types and by the client's. The two take turns, so that what else the
// machine does hits both alike. Times are medians; a ratio below 1 says that the client's is faster.
//
//	make bench ONLY=json
func BenchmarkJSON(b *testing.B) {
	text, err := os.ReadFile("testdata/minicluster.yaml")
	if err != nil {
		b.Fatal(err)
	}
	var api v1alpha1.MiniCluster
	var client fluxoperator.MiniCluster
	if err := yaml.UnmarshalStrict(text, &api); err != nil {
		b.Fatal(err)
	}
	data := encode(b, &api)
	decode(b, data, &client)
	marshal := func() error { _, err := json.Marshal(&api); return err }
	unmarshal := func() error { return json.Unmarshal(data, new(v1alpha1.MiniCluster)) }
	for _, c := range []struct {
		name        string
		api, client func() error
	}{
		{"MarshalJSON", marshal, func() error { _, err := client.MarshalJSON(); return err }},
		{"UnmarshalJSON", unmarshal, func() error { return new(fluxoperator.MiniCluster).UnmarshalJSON(data) }},
		// Through encoding/json, which reads again what a MarshalJSON returns and an UnmarshalJSON is given.
		{"json.Marshal", marshal, func() error { _, err := json.Marshal(&client); return err }},
		{"json.Unmarshal", unmarshal, func() error { return json.Unmarshal(data, new(fluxoperator.MiniCluster)) }},
	} {
		b.Run(c.name, func(b *testing.B) { turns(b, c.api, c.client) })
	}
}

// turns measures both sides.
func turns(b *testing.B, api, client func() error) {
	var times [2][]float64
	sides := [2]func() error{api, client}
	for b.Loop() {
		for i, side := range sides {
			start := time.Now()
			if err := side(); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds()))
		}
	}
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
	for i, name := range []string{"api", "client"} {
		slices.Sort(times[i])
		bytes, allocations := memory(b, sides[i])
		b.ReportMetric(times[i][len(times[i])/2], name+"-ns/op")
		b.ReportMetric(bytes, name+"-B/op")
		b.ReportMetric(allocations, name+"-allocs/op")
	}
	b.ReportMetric(times[1][len(times[1])/2]/times[0][len(times[0])/2], "ratio")
}

// memory returns what one call allocates.
func memory(b *testing.B, f func() error) (bytes, allocations float64) {
	const calls = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / calls, float64(after.Mallocs-before.Mallocs) / calls
}
