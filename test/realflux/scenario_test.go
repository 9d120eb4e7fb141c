package realflux

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// scenario is a feature of the operator, shown on real brokers. Without run, the Job of the spec completes, or fails if
// fails is set, within the limit.
type scenario struct {
	feature string // a line of docs/operate/real-flux.md
	spec    string // of the MiniCluster fx, in YAML
	limit   time.Duration
	fails   string         // a pattern of the condition's message
	log     map[string]int // patterns of lines of the lead broker's log, and how often they are there; -1 is at least once
	run     func(r *run)
	newest  bool // shown with the newest Flux only
}

// usual is the limit of scenarios that set none.
const usual = 60 * time.Second

// scenarios runs each scenario with each version of Flux.
func scenarios(t *testing.T, group string, all map[string]scenario) {
	t.Helper()
	s := need(t)
	for i, image := range s.images {
		for name, c := range all {
			if c.newest && i > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, strings.TrimPrefix(image, imagePrefix)), func(t *testing.T) {
				t.Parallel()
				s.one(t, group, c, image)
			})
		}
	}
}

func (s *suite) one(t *testing.T, group string, c scenario, image string) {
	t.Helper()
	began := time.Now()
	defer func() { s.report.add(group, c.feature, image, time.Since(began), t.Failed()) }()
	r := s.newRun(t, image)
	defer func() { s.report.version(image, r.logs) }()
	if c.run != nil {
		c.run(r)
		return
	}
	if c.limit == 0 {
		c.limit = usual
	}
	r.start(c.spec)
	if c.fails != "" {
		r.fails(c.limit, c.fails)
	} else {
		r.completes(c.limit)
	}
	for pattern, count := range c.log {
		r.has(0, count, pattern)
	}
}
