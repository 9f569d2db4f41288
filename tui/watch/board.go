package watch

import (
	"maps"
	"slices"

	"drolab/tui/lab"
	"drolab/tui/plot"
)

// Board is the panels over the watched runs.
type Board struct {
	*lab.Lab
	*Runs
	quantities map[string]lab.Measure
	standing   func() []panel // those of every run; tests add theirs
	panels     []panel        // of the watched runs' methods
	validates  bool           // some run has a validation split
	val        bool           // that is shown, and not the test split
	smooth     int            // index into smoothings
	style      style
	axes
	orders map[string][]int // of the places of list measures
	cross  plot.Cross       // x of the axis
	picked int              // the run that is nearest to it
}

// axes are kept from frame to frame, so that they stay still.
type axes struct {
	axis   axis
	x      plot.Range
	zoomX  plot.Range           // the part of x that is shown; zero is all
	scales map[string]*vertical // by quantity
	phaseX plot.Range
	phaseY plot.Range
}

// vertical is the axis of a quantity.
type vertical struct {
	fit  plot.Range
	kind plot.ScaleKind
}

// axis is what is horizontal.
type axis int

const (
	bySteps axis = iota
	byEpochs
	byTime
	axisCount // how many there are
)

func (a axis) String() string { return [...]string{"step", "epoch", "time"}[a] }

// smoothing is one way to smooth the noisy curves; make is nil for none.
type smoothing struct {
	name string
	make func() plot.Smoother
}

// smoothings starts with the paper's: the mean of five points.
func smoothings() []smoothing {
	ema := func(beta float64) func() plot.Smoother {
		return func() plot.Smoother { return &plot.EMA{Beta: beta} }
	}
	return []smoothing{{"mean of 5", func() plot.Smoother { return &plot.Window{} }},
		{"EMA .9", ema(.9)}, {"EMA .99", ema(.99)}, {"raw", nil}}
}

// newBoard returns the board of no runs.
func newBoard(s *lab.Lab) *Board {
	return &Board{Lab: s, Runs: &Runs{baseline: -1}, standing: standing, orders: map[string][]int{},
		axes: axes{scales: map[string]*vertical{}}}
}

// resmooth filters all runs anew.
func (w *Board) resmooth() {
	for _, t := range w.tracks {
		t.smoothWith(smoothings()[w.smooth].make)
	}
	w.fit()
}

// shows is what a panel shows now.
func (w *Board) shows(p int) *view {
	v := w.chosen(p)
	if w.val && v.val != nil {
		return v.val
	}
	return v
}

// chosen is the view of a panel, whatever the split.
func (w *Board) chosen(p int) *view { return &w.panels[p].views[w.panels[p].view] }

// fit moves the axes on to what the runs have now, also of what is out of view: how an axis came to be shall
// not depend on that.
func (w *Board) fit() { w.fitThese(slices.Collect(maps.Keys(w.quantities))) }

func (w *Board) fitThese(names []string) {
	last, planned := 0.0, 0.0
	for _, t := range w.tracks {
		switch w.axis {
		case bySteps:
			last, planned = max(last, float64(t.Step)), max(planned, float64(t.meta.Steps))
		case byEpochs:
			last, planned = max(last, t.epochs(float64(t.Step))), max(planned, float64(t.meta.Spec.Epochs))
		case byTime:
			last = max(last, t.Seconds)
		}
	}
	w.x = plot.GrowX(planned, last)
	if len(w.tracks) == 0 {
		return
	}
	for _, q := range names {
		w.fitY(q)
	}
	w.sort()
	x, y := plot.EmptyRange(), plot.EmptyRange()
	for _, t := range w.tracks {
		px, py := t.path.Ranges()
		x, y = x.Add(px.Lo).Add(px.Hi), y.Add(py.Lo).Add(py.Hi)
		if l, h, ok := t.best(); ok && t.path.Len() > 0 {
			x, y = x.Add(l), y.Add(h)
		}
	}
	w.phaseX, w.phaseY = w.phaseX.Fit(x, plot.Scale{}), w.phaseY.Fit(y, plot.Scale{})
}

// mapX maps a run's steps to the horizontal axis.
func (w *Board) mapX(t *track) func(float64) float64 {
	switch w.axis {
	case byEpochs:
		return t.epochs
	case byTime:
		return t.elapsed.At
	}
	return nil
}

// lined are the runs of each line: by time seeds are apart, having clocks of their own.
func (w *Board) lined() [][]int {
	if w.axis == byTime {
		return w.singles()
	}
	return w.rows()
}

// front is the run that is drawn last: the one at the crosshair, or under the cursor.
func (w *Board) front() int {
	if w.cross.On && w.picked < len(w.tracks) {
		return w.picked
	}
	return w.at
}

// line adds the line of a row to a chart, or its band: series gives what is drawn of a
// run, nil for nothing.
func (w *Board) line(c *plot.Chart, row []int, series func(*track) *plot.Series, mapX bool) {
	first := w.tracks[row[0]]
	var f func(float64) float64
	if mapX {
		f = w.mapX(first)
	}
	back := !slices.Contains(row, w.front())
	if len(row) == 1 {
		c.Lines = append(c.Lines, plot.Line{Name: w.Theme.Greek(first.short), Series: series(first), Back: back,
			Number: first.number, MapX: f, Glyph: w.Theme.Glyph(int(first.number))})
		return
	}
	b := plot.Band{Name: w.Theme.Greek(first.short), Half: lab.Half95, Number: first.number, Back: back, MapX: f}
	for _, t := range w.of(row) {
		if s := series(t); s != nil {
			b.Seeds = append(b.Seeds, s)
		}
	}
	c.Bands = append(c.Bands, b)
}
