package panel

import (
	"maps"
	"slices"

	"drolab/tui/lab"
	"drolab/tui/plot"
	"drolab/tui/watch/track"
)

// Board is the panels over the watched runs.
type Board struct {
	*lab.Lab
	*track.Runs
	Quantities map[string]lab.Measure
	Standing   func() []Panel // those of every run; tests add theirs
	Panels     []Panel        // of the watched runs' methods
	Validates  bool           // some run has a validation split
	Val        bool           // that is shown, and not the test split
	Smooth     int            // index into smoothings
	Style      style
	axes
	Orders map[string][]int // of the places of list measures
	Cross  plot.Cross       // x of the axis
	Picked int              // the run that is nearest to it
}

// axes are kept from frame to frame, so that they stay still.
type axes struct {
	Axis   axis
	X      plot.Range
	ZoomX  plot.Range           // the part of x that is shown; zero is all
	Scales map[string]*Vertical // by quantity
	PhaseX plot.Range
	PhaseY plot.Range
}

// Vertical is the axis of a quantity.
type Vertical struct {
	Fit  plot.Range
	Kind plot.ScaleKind
}

// axis is what is horizontal.
type axis int

const (
	bySteps axis = iota
	byEpochs
	byTime
	AxisCount // how many there are
)

func (a axis) String() string { return [...]string{"step", "epoch", "time"}[a] }

// smoothing is one way to smooth the noisy curves; make is nil for none.
type smoothing struct {
	Name string
	Make func() plot.Smoother
}

// Smoothings starts with the paper's: the mean of five points.
func Smoothings() []smoothing {
	ema := func(beta float64) func() plot.Smoother {
		return func() plot.Smoother { return &plot.EMA{Beta: beta} }
	}
	return []smoothing{{"mean of 5", func() plot.Smoother { return &plot.Window{} }},
		{"EMA .9", ema(.9)}, {"EMA .99", ema(.99)}, {"raw", nil}}
}

// newBoard returns the board of no runs.
func New(s *lab.Lab) *Board {
	return &Board{Lab: s, Runs: &track.Runs{Baseline: -1}, Standing: Standing, Orders: map[string][]int{},
		axes: axes{Scales: map[string]*Vertical{}}}
}

// Resmooth filters all runs anew.
func (w *Board) Resmooth() {
	for _, t := range w.Tracks {
		t.SmoothWith(Smoothings()[w.Smooth].Make)
	}
	w.Fit()
}

// Shows is what a panel shows now.
func (w *Board) Shows(p int) *View {
	v := w.chosen(p)
	if w.Val && v.val != nil {
		return v.val
	}
	return v
}

// chosen is the view of a panel, whatever the split.
func (w *Board) chosen(p int) *View { return &w.Panels[p].Views[w.Panels[p].View] }

// Fit moves the axes on to what the runs have now, also of what is out of view: how an axis came to be shall
// not depend on that.
func (w *Board) Fit() { w.FitThese(slices.Collect(maps.Keys(w.Quantities))) }

func (w *Board) FitThese(names []string) {
	last, planned := 0.0, 0.0
	for _, t := range w.Tracks {
		switch w.Axis {
		case bySteps:
			last, planned = max(last, float64(t.Step)), max(planned, float64(t.Meta.Steps))
		case byEpochs:
			last, planned = max(last, t.Epochs(float64(t.Step))), max(planned, float64(t.Meta.Spec.Epochs))
		case byTime:
			last = max(last, t.Seconds)
		}
	}
	w.X = plot.GrowX(planned, last)
	if len(w.Tracks) == 0 {
		return
	}
	for _, q := range names {
		w.fitY(q)
	}
	w.sort()
	x, y := plot.EmptyRange(), plot.EmptyRange()
	for _, t := range w.Tracks {
		px, py := t.Path.Ranges()
		x, y = x.Add(px.Lo).Add(px.Hi), y.Add(py.Lo).Add(py.Hi)
		if l, h, ok := t.Best(); ok && t.Path.Len() > 0 {
			x, y = x.Add(l), y.Add(h)
		}
	}
	w.PhaseX, w.PhaseY = w.PhaseX.Fit(x, plot.Scale{}), w.PhaseY.Fit(y, plot.Scale{})
}

// mapX maps a run's steps to the horizontal axis.
func (w *Board) mapX(t *track.Track) func(float64) float64 {
	switch w.Axis {
	case byEpochs:
		return t.Epochs
	case byTime:
		return t.Elapsed.At
	}
	return nil
}

// Lined are the runs of each line: by time seeds are apart, having clocks of their own.
func (w *Board) Lined() [][]int {
	if w.Axis == byTime {
		return w.Singles()
	}
	return w.Rows()
}

// front is the run that is drawn last: the one at the crosshair, or under the cursor.
func (w *Board) front() int {
	if w.Cross.On && w.Picked < len(w.Tracks) {
		return w.Picked
	}
	return w.At
}

// Line adds the line of a row to a chart, or its band: series gives what is drawn of a
// run, nil for nothing.
func (w *Board) Line(c *plot.Chart, row []int, series func(*track.Track) *plot.Series, mapX bool) {
	first := w.Tracks[row[0]]
	var f func(float64) float64
	if mapX {
		f = w.mapX(first)
	}
	back := !slices.Contains(row, w.front())
	if len(row) == 1 {
		c.Lines = append(c.Lines, plot.Line{Name: w.Theme.Greek(first.Short), Series: series(first), Back: back,
			Number: first.Number, MapX: f, Glyph: w.Theme.Glyph(int(first.Number))})
		return
	}
	b := plot.Band{Name: w.Theme.Greek(first.Short), Half: lab.Half95, Number: first.Number, Back: back, MapX: f}
	for _, t := range w.Of(row) {
		if s := series(t); s != nil {
			b.Seeds = append(b.Seeds, s)
		}
	}
	c.Bands = append(c.Bands, b)
}
