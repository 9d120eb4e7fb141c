package docs

import (
	"fmt"
	"testing"
)

// queries are what people look for.
var queries = []string{"cpu", "spec.template", "domain devices disks", "network", "migration policy", "a",
	"memory guest", "nosuchfield"}

// BenchmarkSearch searches the fields of a large API in the browser, which times it itself. It reports the size of the
// API, the first search, which also reads the index, and the slowest and the mean of all others.
func BenchmarkSearch(b *testing.B) {
	tab := open(b, site(b, kubevirt))
	tab.visit("index.html")
	time := func(query string) float64 {
		return value[float64](tab,
			fmt.Sprintf("(() => { const start = performance.now(); sdkgenSearch(%q); return performance.now() - start; })()",
				query))
	}
	first := time("cpu")
	total, slowest, n := 0.0, 0.0, 0
	for b.Loop() {
		for _, query := range queries {
			took := time(query)
			total, slowest, n = total+took, max(slowest, took), n+1
		}
	}
	b.ReportMetric(value[float64](tab, "sdkgenIndex.types.length"), "types")
	b.ReportMetric(value[float64](tab, "sdkgenSearch('.').length"), "fields")
	b.ReportMetric(first, "ms-first")
	b.ReportMetric(slowest, "ms-slowest")
	b.ReportMetric(total/float64(n), "ms-mean")
}
