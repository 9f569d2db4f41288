package panel

import "drolab/tui/plot"

// smoothing is one way to smooth the noisy curves; make is nil for none. It makes a filter for
// each curve, since a filter has memory.
type smoothing struct {
	key  string // in exported files and in what is kept
	name string // on the screen, where "mean of" is said of epochs alone
	make func() plot.Smoother
}

// smoothings returns the ways to smooth, the paper's first: the mean of five points.
func smoothings() []smoothing {
	ema := func(beta float64) func() plot.Smoother {
		return func() plot.Smoother { return &plot.EMA{Beta: beta} }
	}
	return []smoothing{
		{"mean of 5", "smoothed over 5", func() plot.Smoother { return &plot.Window{} }},
		{"EMA .9", "EMA .9", ema(.9)}, {"EMA .99", "EMA .99", ema(.99)}, {"raw", "raw", nil}}
}

// SmoothBy takes the next smoothing, or the one before, and returns its name on the screen.
func (b *Board) SmoothBy(by int) string {
	all := smoothings()
	b.smooth = (b.smooth + len(all) + by) % len(all)
	b.smoothAll()
	return smoothings()[b.smooth].name
}

func (b *Board) smoothAll() {
	for _, t := range b.Runs.Tracks {
		t.smoothWith(smoothings()[b.smooth].make)
	}
}

// Smoothing returns the key of the way in which noisy curves are smoothed.
func (b *Board) Smoothing() string { return smoothings()[b.smooth].key }

// smoothWith filters the noisy quantities anew; nil shows them as they are. Each curve gets a
// filter of its own, since a filter remembers the points before.
func (t *Track) smoothWith(f func() plot.Smoother) {
	for name, c := range t.Curves {
		c.filter, c.Smooth, c.Fresh = nil, nil, true
		if f != nil && t.quantities[name].Noisy {
			c.filter = f()
			c.Smooth = plot.Smooth(c.Raw, c.filter)
		}
	}
}
