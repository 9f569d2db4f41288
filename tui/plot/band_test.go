package plot

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// student is a Line.HalfWidth: it returns the factor of the 95 % t interval for two to four seeds.
func student(n int) float64 {
	return [...]float64{2: 12.706204736174698, 3: 4.302652729911275, 4: 3.182446305284263}[n]
}

func seeds(values ...[]float64) []*Series {
	var out []*Series
	for _, ys := range values {
		s := new(Series)
		for i, y := range ys {
			s.Append(float64(i), y)
		}
		out = append(out, s)
	}
	return out
}

func TestBandInterval(t *testing.T) {
	nan := math.NaN()
	b := Line{HalfWidth: student, Seeds: seeds(
		[]float64{1, 2, 3, 4, nan, 6},
		[]float64{3, 4, 5, 6, 7, 8},
		[]float64{5, 6, 7, 8},
	)}
	points := b.Points(Range{0, 6}, 6)
	for i, want := range []struct {
		n    int
		mean float64
	}{{3, 3}, {3, 4}, {3, 5}, {3, 6}, {1, 7}, {2, 7}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			p := points[i]
			if p.N != want.n || math.Abs(p.Mean-want.mean) > 1e-12 {
				t.Errorf("column %d: n %d mean %v, want %d %v", i, p.N, p.Mean, want.n, want.mean)
			}
			if p.N < 2 && !(math.IsNaN(p.Lo) && math.IsNaN(p.Hi)) {
				t.Errorf("column %d: an interval from one seed: %+v", i, p)
			}
		})
	}
	// s = 2, n = 3: half width t(0.975, 2)·2/√3.
	want := 4.302652729911275 * 2 / math.Sqrt(3)
	if half := points[0].Hi - points[0].Mean; math.Abs(half-want) > 1e-9 {
		t.Errorf("half width %v, want %v", half, want)
	}
}

// TestBandAlignsByX: seeds that are logged at different steps are aligned by x.
func TestBandAlignsByX(t *testing.T) {
	a, b := new(Series), new(Series)
	for i := 0; i <= 100; i += 10 {
		a.Append(float64(i), float64(i))
	}
	for i := 5; i <= 95; i += 15 {
		b.Append(float64(i), float64(i))
	}
	band := Line{Seeds: []*Series{a, b}}
	for _, p := range band.Points(Range{0, 100}, 100) {
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
	huge, inf := math.MaxFloat64, math.Inf(1)
	b := Line{HalfWidth: student, Seeds: seeds([]float64{huge}, []float64{-huge}, []float64{inf})}
	p := b.Points(Range{0, 1}, 1)[0]
	if p.N != 2 || math.IsNaN(p.Mean) {
		t.Errorf("%+v, want two finite seeds and a mean", p)
	}
}

// TestBandWithoutHalf: without a half width, a band has a mean and no interval.
func TestBandWithoutHalf(t *testing.T) {
	b := Line{Seeds: seeds([]float64{1, 2}, []float64{3, 4})}
	for _, p := range b.Points(Range{0, 1}, 2) {
		if p.N != 2 {
			t.Errorf("%+v is of %d seeds, want 2", p, p.N)
		}
		if math.IsNaN(p.Mean) {
			t.Errorf("%+v has no mean", p)
		}
		if !math.IsNaN(p.Lo) || !math.IsNaN(p.Hi) {
			t.Errorf("%+v has an interval, want none", p)
		}
	}
}

// TestBandOfUnknownInterval: nothing is shaded where the interval is unknown.
func TestBandOfUnknownInterval(t *testing.T) {
	unknown := func(int) float64 { return math.NaN() }
	for shaded, half := range map[bool]func(int) float64{false: unknown, true: student} {
		c := Chart{X: Range{0, 2}, Y: Range{0, 8}, Lines: []Line{
			{Name: "b", Seeds: seeds([]float64{0, 1, 2}, []float64{4, 5, 6}), HalfWidth: half}}}
		f, _ := c.Draw(40, 12)
		if text := f.String(); strings.Contains(text, "░") != shaded {
			t.Errorf("want shade %v:\n%s", shaded, text)
		}
	}
}

// TestBandOnALogAxis: an interval that reaches down almost to 0 does not stretch a logarithmic
// axis.
func TestBandOnALogAxis(t *testing.T) {
	c := Chart{X: Range{0, 1}, YScale: Scale{Kind: Log10},
		Lines: []Line{{HalfWidth: func(int) float64 { return 1.999 },
			Seeds: seeds([]float64{1, 1}, []float64{0, 3})}}}
	if r := c.DataY(); !(r.Lo >= .05 && r.Lo < 1 && r.Hi > 1) {
		t.Errorf("the axis is over %+v, want from about a tenth of the means up", r)
	}
	c.YScale = Scale{}
	if r := c.DataY(); !(r.Lo < .05) {
		t.Errorf("a linear axis is over %+v, want the whole interval", r)
	}
}

// TestAxisIsOfTheMeans: the axis fits the means first. Even if the interval of two seeds is many
// times as wide as the range of the means, the means keep about half of the axis.
func TestAxisIsOfTheMeans(t *testing.T) {
	for _, kind := range []ScaleKind{Linear, Log10, Symlog} {
		c := Chart{X: Range{0, 9}, YScale: Scale{Kind: kind}}
		for i := range 2 {
			a, b := new(Series), new(Series)
			for x := range 9 {
				mean := .1 + .04*float64(x) + .05*float64(i)
				a.Append(float64(x), mean*.8)
				b.Append(float64(x), mean*1.2)
			}
			c.Lines = append(c.Lines, Line{Seeds: []*Series{a, b}, HalfWidth: student})
		}
		c.Y = c.FitY()
		means := Range{.1, .47}
		if part := c.YScale.span(means) / c.YScale.span(c.Y); part < 0.3 || part > 0.7 {
			t.Errorf("scale %d: the means fill %.2f of %v, want .3 to .7", kind, part, c.Y)
		}
		if got := c.FitY(); got != c.Y {
			t.Errorf("scale %d: the axis moves on to %v from %v", kind, got, c.Y)
		}
	}
}
