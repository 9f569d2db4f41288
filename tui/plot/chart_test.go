package plot

import (
	"math"
	"strings"
	"testing"
)

// The functions below draw into a new frame.

func (c *Chart) Draw(w, h int) (*Frame, Report) {
	f := new(Frame)
	return f, c.DrawTo(f, w, h)
}

func (ph *Phase) Draw(w, h int) *Frame {
	f := new(Frame)
	ph.DrawTo(f, w, h)
	return f
}

func (b *Bars) Draw(w, h int) *Frame {
	f := new(Frame)
	b.DrawTo(f, w, h)
	return f
}

// Last returns the latest point. After AppendBucket, that is the end of the bucket. ok is false for
// an empty series.
func (s *Series) Last() (x, y float64, ok bool) {
	if n := len(s.tail); n > 0 {
		return s.tail[n-1].x, s.tail[n-1].y, true
	}
	if n := len(s.buckets); n > 0 {
		b := &s.buckets[n-1]
		if b.N == 0 {
			return b.X1, math.NaN(), true
		}
		return b.X1, b.Last, true
	}
	return 0, 0, false
}

// Last returns the current point.
func (p *Path) Last() (x, y float64, ok bool) {
	if p.Len() == 0 {
		return 0, 0, false
	}
	last := p.items[p.Len()-1]
	return last.x, last.y, true
}

// TestSpots: a spot is drawn over its line in every charset, and none is drawn out of view.
func TestSpots(t *testing.T) {
	for _, cs := range []Charset{Lines, Braille, ASCII} {
		s := new(Series)
		for i := range 10 {
			s.Append(float64(i), float64(i))
		}
		c := Chart{X: Range{0, 9}, Y: Range{0, 9}, Charset: cs,
			Lines: []Line{{Seeds: []*Series{s}}},
			Spots: []Spot{{X: 5, Y: 5, Number: 3}, {X: 5, Y: 50}, {X: -1, Y: 5}}}
		f, _ := c.Draw(40, 12)
		var at []Cell
		for _, c := range f.Cells {
			if c.Rune == spotRune {
				at = append(at, c)
			}
		}
		if len(at) != 1 || at[0].Style != (Style{Data, 3}) {
			t.Errorf("charset %d: %d spots\n%s", cs, len(at), f)
		}
	}
}

// TestBoundIsNamed: a bound keeps its name when a line ends on it, and loses the name only where
// there is no room at all.
func TestBoundIsNamed(t *testing.T) {
	for from, want := range map[float64]bool{0: false, 6: true, 20: true} {
		s := new(Series)
		for i := range 10 {
			s.Append(float64(i), math.Max(1, 1+from-float64(i)))
		}
		c := Chart{X: Range{0, 9}, Y: Range{0, 22}, Lines: []Line{{Seeds: []*Series{s}}},
			Refs: []RefLine{{"bound", 1}}}
		f, _ := c.Draw(60, 20)
		if got := strings.Contains(f.String(), "bound"); got != want {
			t.Errorf("a line from %g above it: named %v\n%s", from, got, f)
		}
	}
}
