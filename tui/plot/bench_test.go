package plot

import (
	"math"
	"testing"
)

func longSeries(n int) *Series {
	s := new(Series)
	for i := range n {
		s.Append(float64(i), 2+math.Sin(float64(i)/1e5)+0.1*math.Sin(float64(i)))
	}
	return s
}

// BenchmarkDraw1e7 draws one series of 10^7 points on a large screen and computes its range.
func BenchmarkDraw1e7(b *testing.B) {
	s := longSeries(10_000_000)
	for name, cs := range map[string]Charset{"lines": Lines, "braille": Braille} {
		b.Run(name, func(b *testing.B) {
			c := Chart{X: Range{0, 1e7}, Charset: cs,
				Lines: []Line{{Name: "s", Seeds: []*Series{s}}}}
			f := new(Frame)
			b.ReportAllocs()
			for b.Loop() {
				c.Y = c.FitY()
				c.DrawTo(f, 200, 60)
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	s := longSeries(100_000)
	x := 1e5
	b.ReportAllocs()
	for b.Loop() {
		s.Append(x, math.Pi)
		x++
	}
}

// BenchmarkFrame160x45 draws a typical frame: 160x45 as four panels, each with the raw and smoothed
// lines of four runs, of 10^4 points each.
func BenchmarkFrame160x45(b *testing.B) {
	raw, smooth := longSeries(10_000), longSeries(10_000)
	var c Chart
	c.X = Range{0, 2e4}
	for i := range uint8(4) {
		c.Lines = append(c.Lines,
			Line{Seeds: []*Series{raw}, Number: i, Faint: true},
			Line{Name: "run", Seeds: []*Series{smooth}, Number: i})
	}
	f := new(Frame)
	b.ReportAllocs()
	for b.Loop() {
		for range 4 {
			c.Y = c.FitY()
			c.DrawTo(f, 80, 22)
		}
	}
}
