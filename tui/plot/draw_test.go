package plot

// What follows draws into a frame of its own.

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
