package main

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMedian(t *testing.T) {
	at := func(ms int) sample {
		wall := time.Duration(ms) * time.Millisecond
		return sample{Wall: wall, CPU: 2 * wall, Peak: int64(ms), Own: int64(3 * ms)}
	}
	for _, c := range []struct {
		in   []sample
		want sample
	}{
		{nil, sample{}},
		{[]sample{at(7)}, at(7)},
		{[]sample{at(9), at(1), at(4)}, at(4)},
		{[]sample{at(8), at(2), at(4), at(100)}, at(6)},
		{[]sample{{Wall: 1, CPU: 9}, {Wall: 2, CPU: 8}, {Wall: 3, CPU: 7}}, sample{Wall: 2, CPU: 8}},
	} {
		if diff := cmp.Diff(c.want, median(c.in)); diff != "" {
			t.Errorf("median of %v (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestThen(t *testing.T) {
	got := sample{Wall: 1, CPU: 2, Peak: 30, Own: 4}.then(sample{Wall: 10, CPU: 20, Peak: 3, Own: 5})
	if want := (sample{Wall: 11, CPU: 22, Peak: 30, Own: 5}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRatio(t *testing.T) {
	if got := ratio(time.Second, 4*time.Second); got != 0.25 {
		t.Errorf("got %v", got)
	}
	if got := ratio[int64](3, 0); got != 0 {
		t.Errorf("by zero: got %v", got)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestFit(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want line
	}{
		{nil, nil, line{}},
		{[]float64{5, 5}, []float64{1, 2}, line{}},
		{[]float64{0, 1, 4}, []float64{3, 5, 11}, line{At: 3, Slope: 2, R2: 1}},
		{[]float64{1, 2, 3}, []float64{4, 4, 4}, line{At: 4, Slope: 0, R2: 1}},
		{[]float64{0, 1, 2}, []float64{0, 2, 1}, line{At: 0.5, Slope: 0.5, R2: 0.25}},
	} {
		got := fit(c.x, c.y)
		if !near(got.At, c.want.At) || !near(got.Slope, c.want.Slope) || !near(got.R2, c.want.R2) {
			t.Errorf("%v, %v: got %+v, want %+v", c.x, c.y, got, c.want)
		}
	}
}

func TestPower(t *testing.T) {
	x := []float64{20, 40, 300}
	for _, want := range []float64{0.5, 1, 2} {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = 7 * math.Pow(x[i], want)
		}
		if got, r2 := power(x, y); !near(got, want) || !near(r2, 1) {
			t.Errorf("got %v (R² %v), want %v", got, r2, want)
		}
	}
}
