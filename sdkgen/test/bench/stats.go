package main

import (
	"math"
	"slices"
	"time"
)

// median returns the median of each figure on its own.
func median(all []sample) sample {
	var wall, cpu []time.Duration
	var peak, own []int64
	for _, s := range all {
		wall, cpu, peak, own = append(wall, s.Wall), append(cpu, s.CPU), append(peak, s.Peak), append(own, s.Own)
	}
	return sample{Wall: middle(wall), CPU: middle(cpu), Peak: middle(peak), Own: middle(own)}
}

func middle[T time.Duration | int64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	values = slices.Sorted(slices.Values(values))
	half := len(values) / 2
	if len(values)%2 == 1 {
		return values[half]
	}
	return (values[half-1] + values[half]) / 2
}

// ratio is a/b, and 0 where there is no b.
func ratio[T time.Duration | int64](a, b T) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// line is y = At + Slope*x, the least squares' one; R2 is the part of y's variance that it explains.
type line struct{ At, Slope, R2 float64 }

// fit returns the line through points of which at least two differ in x; else the zero line.
func fit(x, y []float64) line {
	meanX, meanY := mean(x), mean(y)
	var xx, xy, yy float64
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
	}
	if xx == 0 {
		return line{}
	}
	l := line{Slope: xy / xx, R2: 1}
	l.At = meanY - l.Slope*meanX
	if yy > 0 {
		l.R2 = xy * xy / (xx * yy)
	}
	return l
}

// power returns the exponent k and R2 of y = c*x^k, fitted by least squares over the logarithms;
// all values are above 0.
func power(x, y []float64) (k, r2 float64) {
	l := fit(logs(x), logs(y))
	return l.Slope, l.R2
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
