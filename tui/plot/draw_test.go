package plot

import "math"

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
