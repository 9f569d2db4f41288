package panel

import (
	"maps"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/plot"
)

// axes are kept from frame to frame, so that they stay still. X, ZoomX and Cross are in the unit
// of Axis, not in steps, so a change of Axis has to drop all three of them.
type axes struct {
	Axis   xAxis
	X      plot.Range        // from 0 to the planned end, or further
	ZoomX  plot.Range        // the part of x that is shown; zero is all
	scales map[string]*yAxis // by quantity; one that no panel shows any more stays
	phaseX plot.Range        // of λ
	phaseY plot.Range        // of η
}

// yAxis is the axis of a quantity: one for all panels that show it.
type yAxis struct {
	span plot.Range // the range in view; zero before there was any
	kind plot.ScaleKind
}

// xAxis is the kind of the horizontal axis. Time is seconds of training, without pauses and without
// what a resume took back.
type xAxis int

const (
	bySteps xAxis = iota
	byEpochs
	byTime
)

func axisNames() []string { return []string{"step", "epoch", "time"} }

func (a xAxis) String() string { return axisNames()[a] }

// Fit fits the axes to what the runs have now, also those out of view: the history of an axis must
// not depend on what is in view. The page calls it after every key and every new event.
func (w *Board) Fit() { w.FitThese(slices.Collect(maps.Keys(w.quantities))) }

// FitThese is Fit for some quantities, which a replay calls many times a second. The horizontal
// axis comes first, because a vertical one is fitted to the part in view.
func (w *Board) FitThese(names []string) {
	last, planned := 0.0, 0.0
	for _, t := range w.Tracks {
		switch w.Axis {
		case bySteps:
			last, planned = max(last, float64(t.Step)), max(planned, float64(t.Meta.Steps))
		case byEpochs:
			last = max(last, t.Epochs(float64(t.Step)))
			planned = max(planned, float64(t.Meta.Spec.Epochs))
		case byTime:
			last = max(last, t.Seconds)
		}
	}
	// By time nothing is planned: how long a run will take is a guess, and an axis that follows
	// the guess would never stand still.
	if x := plot.GrowX(planned, last); x != w.X {
		w.X = x
		w.Refit()
	}
	if len(w.Tracks) == 0 {
		return
	}
	for _, q := range names {
		w.fitY(q)
	}
	w.sort()
	// The portrait shows the best point as well, which may lie far off the paths.
	x, y := plot.EmptyRange(), plot.EmptyRange()
	for _, t := range w.Tracks {
		px, py := t.Path.Ranges()
		x, y = x.Add(px.Lo).Add(px.Hi), y.Add(py.Lo).Add(py.Hi)
		if l, h, ok := t.Best(); ok && t.Path.Len() > 0 {
			x, y = x.Add(l), y.Add(h)
		}
	}
	w.phaseX, w.phaseY = w.phaseX.Fit(x, plot.Scale{}), w.phaseY.Fit(y, plot.Scale{})
}

// Refit marks all axes to be fitted again, because the part in view has changed. All code that
// changes what is in view (zoom, axis, hidden runs, seeds) must call it: fitY leaves an axis alone
// where no curve is fresh.
func (w *Board) Refit() {
	for _, t := range w.Tracks {
		for _, c := range t.Curves {
			c.Fresh = true
		}
	}
}

// xAt returns the place of a run's step on the horizontal axis.
func (w *Board) xAt(t *Track, step float64) float64 {
	if f := w.mapX(t); f != nil {
		return f(step)
	}
	return step
}

// mapX returns the map from a run's steps to the horizontal axis; nil is the identity, so that a
// chart by steps calls nothing for each point. The map must not decrease, because charts search in
// it.
func (w *Board) mapX(t *Track) func(float64) float64 {
	switch w.Axis {
	case byEpochs:
		return t.Epochs
	case byTime:
		return t.Elapsed.At
	}
	return nil
}

// NextScale takes the next scale of the curves that a panel shows. The range before is forgotten:
// it was fitted to the other scale.
func (w *Board) NextScale(p int) {
	for _, q := range w.CurrentView(p).Curves {
		w.scales[q].kind = (w.scales[q].kind + 1) % (plot.Symlog + 1)
		w.scales[q].span = plot.Range{}
	}
	w.Refit()
}

// NextAxis takes the next horizontal axis, and shows all of it.
func (w *Board) NextAxis() {
	w.Axis = (w.Axis + 1) % xAxis(len(axisNames()))
	w.newAxis()
}

func (w *Board) newAxis() {
	w.X, w.ZoomX, w.Cross.On = plot.Range{}, plot.Range{}, false
	w.Refit()
}

// scale makes an axis for a quantity that has none. The scale that the user chose for one stays.
func (w *Board) scale(q *measure.Measure) {
	if w.scales[q.Name] == nil {
		w.scales[q.Name] = &yAxis{kind: usualScale(q.Name)}
	}
}

// usualScale returns the scale of a quantity for which the user has chosen none.
func usualScale(q string) plot.ScaleKind {
	if m, ok := measure.FindMeasure(q); ok && m.Scale == dro.Log {
		return plot.Log10
	}
	return plot.Linear
}

func scaleNames() []string { return []string{"linear", "log", "symlog"} }

// stepAt returns the step of a run at x: the inverse of mapX. A film belongs to one run and is
// stored by step, so its axis is turned back into steps instead of mapping every column.
func (w *Board) stepAt(t *Track, x float64) float64 {
	switch w.Axis {
	case byEpochs:
		return x * float64(max(1, t.Meta.StepsPerEpoch))
	case byTime:
		step := t.Elapsed.Inverse(x, t.Elapsed.At)
		switch {
		case !math.IsNaN(step):
			return step
		case x <= 0 || t.Seconds <= 0:
			return 0
		}
		return float64(t.Step) * x / t.Seconds // beyond the run's last step
	}
	return x
}

// fitY fits the axis of a quantity to what the runs have in view now. It does nothing where no
// curve has changed: for forty runs, fitting the axes of all quantities costs as much as a frame.
func (w *Board) fitY(q string) {
	fresh, any := false, false
	for _, t := range w.Tracks {
		c := t.Curves[q]
		fresh, c.Fresh = fresh || c.Fresh, false
		any = any || c.Raw.Len() > 0
	}
	switch y := w.scales[q]; {
	case fresh && any:
		y.span = w.baseChart(q).FitY()
	case fresh: // as before the first frame, where each chart would be laid out for nothing
		y.span = y.span.Fit(plot.EmptyRange(), plot.Scale{Kind: y.kind})
	}
}
