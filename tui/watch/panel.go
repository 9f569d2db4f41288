package watch

import (
	"maps"
	"slices"

	"drolab/tui/plot"
)

// shows is what a panel shows now.
func (w *Page) shows(p int) *view {
	v := w.chosen(p)
	if w.val && v.val != nil {
		return v.val
	}
	return v
}

// chosen is the view of a panel, whatever the split.
func (w *Page) chosen(p int) *view { return &w.panels[p].views[w.panels[p].view] }

// fit moves the axes on to what the runs have now, also of what is out of view: how an axis came to be shall
// not depend on that.
func (w *Page) fit() { w.fitThese(slices.Collect(maps.Keys(w.quantities))) }

// fitInView does so for what is shown alone, as a replay wants it many times a second.
func (w *Page) fitInView() {
	var names []string
	for i, r := range w.layout().panels {
		names = append(names, w.shows(w.first()+i).drawn(w.room(r))...)
	}
	w.fitThese(names)
}

func (w *Page) fitThese(names []string) {
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

// epochs turns steps into epochs.
func (t *track) epochs(step float64) float64 {
	return step / float64(max(1, t.meta.StepsPerEpoch))
}

// mapX maps a run's steps to the horizontal axis.
func (w *Page) mapX(t *track) func(float64) float64 {
	switch w.axis {
	case byEpochs:
		return t.epochs
	case byTime:
		return t.elapsed.At
	}
	return nil
}

// hasDual tells whether the run has a λ and an η.
func (t *track) hasDual() bool {
	return t.Last == nil || t.Last.Of("eta").Applies()
}
