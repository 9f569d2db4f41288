package plot

// Spark is a chart of one row: the maximum of each column as one of eight
// heights, so that a spike shows.
type Spark struct {
	Series  *Series
	X       Range // without length: the whole series
	Y       Range // without length: that of the data in view, which moves with them
	YScale  Scale
	Style   Style
	Charset Charset
}

// Draw returns the sparkline in w cells and one row. Columns without points
// are blank, non-finite values a mark.
func (s *Spark) Draw(w int) *Frame {
	f := new(Frame)
	s.DrawTo(f, w)
	return f
}

// DrawTo draws into f, reusing its memory.
func (s *Spark) DrawTo(f *Frame, w int) {
	f.Resize(w, 1)
	if f.W == 0 || s.Series == nil {
		return
	}
	view := s.X
	if !view.spans() {
		view = s.Series.XRange()
	}
	var c columns
	s.Series.sample(&c, view.usable(Scale{}), f.W, nil)
	y := s.Y
	if !y.spans() {
		y = EmptyRange()
		for i := range c.cols {
			if c.cols[i].N > 0 {
				y = y.addValue(c.cols[i].Max, s.YScale)
			}
		}
	}
	m := s.YScale.over(y)
	for x := range c.cols {
		s.cell(f, x, &c.cols[x], m)
	}
}

func (s *Spark) cell(f *Frame, x int, b *Bucket, m mapping) {
	heights, bad := []rune("▁▂▃▄▅▆▇█"), '×'
	if s.Charset == ASCII {
		heights, bad = []rune("_.,-=+*#"), 'X'
	}
	if b.Bad > 0 {
		f.set(x, 0, bad, Style{Role: Alert})
		return
	}
	if b.N == 0 {
		return
	}
	if p, _, ok := m.pixel(b.Max, len(heights)); ok {
		f.set(x, 0, heights[p], s.Style)
	}
}

// Fingerprint is equal for two sparklines that look the same at one width.
func (s *Spark) Fingerprint(w int) uint64 {
	f := hash{}.ints(w, int(s.YScale.Kind), int(s.Style.Role), int(s.Style.Series), int(s.Charset))
	return f.floats(s.X.Lo, s.X.Hi, s.Y.Lo, s.Y.Hi, s.YScale.Threshold).ints(int(s.Series.Version())).sum
}
