package panel

import (
	"maps"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner/measure"
	"drolab/tui/plot"
)

// yAxis is the axis of a quantity: one for all panels that show it.
type yAxis struct {
	span plot.Range // the range in view; zero before there was any
	kind plot.ScaleKind
}

// portraitAxes are the axes of the phase portrait.
type portraitAxes struct{ lambda, eta plot.Range }

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
func (b *Board) Fit() { b.FitThese(slices.Collect(maps.Keys(b.quantities))) }

// FitThese is Fit for some quantities, which a replay calls many times a second. The horizontal
// axis comes first, because a vertical one is fitted to the part in view.
func (b *Board) FitThese(names []string) {
	last, planned := 0.0, 0.0
	for _, t := range b.Runs.Tracks {
		switch b.Axis {
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
	if x := plot.GrowX(planned, last); x != b.X {
		b.X = x
		b.Refit()
	}
	if len(b.Runs.Tracks) == 0 {
		return
	}
	for _, q := range names {
		b.fitY(q)
	}
	b.sort()
	// The portrait shows the best point as well, which may lie far off the paths.
	x, y := plot.EmptyRange(), plot.EmptyRange()
	for _, t := range b.Runs.Tracks {
		px, py := t.Path.Ranges()
		x, y = x.Add(px.Lo).Add(px.Hi), y.Add(py.Lo).Add(py.Hi)
		if l, h, ok := t.Best(); ok && t.Path.Len() > 0 {
			x, y = x.Add(l), y.Add(h)
		}
	}
	b.portrait.lambda = b.portrait.lambda.Fit(x, plot.Scale{})
	b.portrait.eta = b.portrait.eta.Fit(y, plot.Scale{})
}

// Refit marks all axes to be fitted again, because the part in view has changed. All code that
// changes what is in view (zoom, axis, hidden runs, seeds) must call it: fitY leaves an axis alone
// where no curve is fresh.
func (b *Board) Refit() {
	for _, t := range b.Runs.Tracks {
		for _, c := range t.Curves {
			c.Fresh = true
		}
	}
}

// xAt returns the place of a run's step on the horizontal axis.
func (b *Board) xAt(t *Track, step float64) float64 {
	if f := b.mapX(t); f != nil {
		return f(step)
	}
	return step
}

// mapX returns the map from a run's steps to the horizontal axis; nil is the identity, so that a
// chart by steps calls nothing for each point. The map must not decrease, because charts search in
// it.
func (b *Board) mapX(t *Track) func(float64) float64 {
	switch b.Axis {
	case byEpochs:
		return t.Epochs
	case byTime:
		if !t.Timed() {
			return func(float64) float64 { return math.Inf(1) } // nowhere on the axis
		}
		return t.Elapsed.At
	}
	return nil
}

// NextScale takes the next scale of the curves that a panel shows. The range before is forgotten:
// it was fitted to the other scale.
func (b *Board) NextScale(p int) {
	for _, q := range b.CurrentView(p).Curves {
		b.scales[q].kind = (b.scales[q].kind + 1) % (plot.Symlog + 1)
		b.scales[q].span = plot.Range{}
	}
	b.Refit()
}

// NextAxis takes the next horizontal axis, and shows all of it. It returns the runs that have no
// place on the axis of time, if that is next. Where none has a place, it passes that axis over.
func (b *Board) NextAxis() (untimed []string) {
	b.Axis = (b.Axis + 1) % xAxis(len(axisNames()))
	for _, t := range b.Runs.Tracks {
		if b.Axis == byTime && !t.Timed() {
			untimed = append(untimed, t.Label)
		}
	}
	if len(untimed) > 0 && len(untimed) == len(b.Runs.Tracks) {
		b.Axis = bySteps
	}
	b.newAxis()
	return untimed
}

func (b *Board) newAxis() {
	b.X, b.ZoomX, b.Cross.On = plot.Range{}, plot.Range{}, false
	b.Refit()
}

// scale makes an axis for a quantity that has none. The scale that the user chose for one stays.
func (b *Board) scale(q *measure.Measure) {
	if b.scales[q.Name] == nil {
		b.scales[q.Name] = &yAxis{kind: usualScale(q.Name)}
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
func (b *Board) stepAt(t *Track, x float64) float64 {
	switch b.Axis {
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
func (b *Board) fitY(q string) {
	fresh, any := false, false
	for _, t := range b.Runs.Tracks {
		c := t.Curves[q]
		fresh, c.Fresh = fresh || c.Fresh, false
		any = any || c.Raw.Len() > 0
	}
	switch y := b.scales[q]; {
	case fresh && any:
		y.span = b.baseChart(q).FitY()
	case fresh: // as before the first frame, where each chart would be laid out for nothing
		y.span = y.span.Fit(plot.EmptyRange(), plot.Scale{Kind: y.kind})
	}
}
