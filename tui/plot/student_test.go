package plot

import (
	"math"
	"testing"
)

// Closed forms: df 1 (Cauchy), 2, 4 (Shaw 2006, J. Computational Finance 9).
func TestTQuantileClosedForms(t *testing.T) {
	for _, p := range []float64{1e-6, 0.001, 0.025, 0.2, 0.4, 0.49, 0.51, 0.75, 0.9, 0.975, 0.995, 0.99999} {
		alpha := 4 * p * (1 - p)
		q := math.Cos(math.Acos(math.Sqrt(alpha))/3) / math.Sqrt(alpha)
		for df, want := range map[float64]float64{
			1: math.Tan(math.Pi * (p - 0.5)),
			2: (2*p - 1) / math.Sqrt(alpha/2),
			4: math.Copysign(2*math.Sqrt(max(q-1, 0)), p-0.5),
		} {
			if got := TQuantile(p, df); math.Abs(got-want) > 1e-9*math.Abs(want) {
				t.Errorf("TQuantile(%v, %v) = %.15g, want %.15g", p, df, got, want)
			}
		}
	}
}

// The 0.975 quantiles of printed tables, and the normal limit.
func TestTQuantileTable(t *testing.T) {
	for df, want := range map[float64]float64{
		3: 3.182446305, 5: 2.570581836, 6: 2.446911851, 9: 2.262157163, 10: 2.228138852,
		19: 2.093024054, 30: 2.042272456, 60: 2.000297822, 120: 1.979930405,
	} {
		if got := TQuantile(0.975, df); math.Abs(got-want) > 1e-9 {
			t.Errorf("TQuantile(0.975, %v) = %.10f, want %.9f", df, got, want)
		}
	}
	normal := math.Sqrt2 * math.Erfinv(0.95)
	if got := TQuantile(0.975, 1e7); math.Abs(got-normal) > 1e-6 {
		t.Errorf("TQuantile(0.975, 1e7) = %v, want the normal %v", got, normal)
	}
}

func TestTQuantileDomain(t *testing.T) {
	for _, c := range [][2]float64{{0, 3}, {1, 3}, {-1, 3}, {math.NaN(), 3}, {0.9, 0}, {0.9, math.NaN()}} {
		if got := TQuantile(c[0], c[1]); !math.IsNaN(got) {
			t.Errorf("TQuantile(%v, %v) = %v, want NaN", c[0], c[1], got)
		}
	}
	if got := TQuantile(0.5, 3); got != 0 {
		t.Errorf("median %v", got)
	}
	if a, b := TQuantile(0.25, 7), TQuantile(0.75, 7); a != -b {
		t.Errorf("quantiles %v and %v are not symmetric", a, b)
	}
}

func seeds(values ...[]float64) []*Series {
	var out []*Series
	for _, ys := range values {
		s := NewSeries("seed")
		for i, y := range ys {
			s.Append(float64(i), y)
		}
		out = append(out, s)
	}
	return out
}

func TestBandInterval(t *testing.T) {
	nan := math.NaN()
	b := Band{Seeds: seeds(
		[]float64{1, 2, 3, 4, nan, 6},
		[]float64{3, 4, 5, 6, 7, 8},
		[]float64{5, 6, 7, 8},
	)}
	points := b.PointsTo(nil, Range{0, 6}, 6)
	for i, want := range []struct {
		n    int
		mean float64
	}{{3, 3}, {3, 4}, {3, 5}, {3, 6}, {1, 7}, {2, 7}} {
		p := points[i]
		if p.N != want.n || math.Abs(p.Mean-want.mean) > 1e-12 {
			t.Errorf("column %d: n %d mean %v, want %d %v", i, p.N, p.Mean, want.n, want.mean)
		}
		if p.N < 2 && !(math.IsNaN(p.Lo) && math.IsNaN(p.Hi)) {
			t.Errorf("column %d: an interval from one seed: %+v", i, p)
		}
	}
	// s = 2, n = 3: half width t(0.975, 2)·2/√3.
	if half := points[0].Hi - points[0].Mean; math.Abs(half-4.302652729911275*2/math.Sqrt(3)) > 1e-9 {
		t.Errorf("half width %v", half)
	}
}

// Seeds logged at different steps are aligned by x.
func TestBandAlignsByX(t *testing.T) {
	a, b := NewSeries("a"), NewSeries("b")
	for i := 0; i <= 100; i += 10 {
		a.Append(float64(i), float64(i))
	}
	for i := 5; i <= 95; i += 15 {
		b.Append(float64(i), float64(i))
	}
	band := Band{Seeds: []*Series{a, b}}
	for _, p := range band.PointsTo(nil, Range{0, 100}, 100) {
		want := 2
		if p.X < 5 || p.X > 96 {
			want = 1
		}
		if p.N != want || math.Abs(p.Mean-p.X) > 1 {
			t.Fatalf("at x=%v: n %d (want %d), mean %v", p.X, p.N, want, p.Mean)
		}
	}
}

func TestBandSurvivesExtremes(t *testing.T) {
	b := Band{Seeds: seeds([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}, []float64{math.Inf(1)})}
	p := b.PointsTo(nil, Range{0, 1}, 1)[0]
	if p.N != 2 || math.IsNaN(p.Mean) {
		t.Errorf("%+v, want two finite seeds and a mean", p)
	}
}
