package runner

import (
	"math"
	"slices"

	"drolab/runner/measure"
)

// Window summarises the steps between two step events by the least and the greatest value of each
// measure.
type Window struct {
	Steps int            `json:"steps"`
	Min   measure.Values `json:"min"`
	Max   measure.Values `json:"max"`
}

// NewWindow returns an empty window of the named measures.
func NewWindow(names []string) Window {
	w := Window{Min: make(measure.Values, len(names)), Max: make(measure.Values, len(names))}
	for i, name := range names {
		w.Min[i].Name, w.Max[i].Name = name, name
	}
	return w
}

// Add adds the measures of one step, in the window's order.
func (w *Window) Add(now measure.Values) {
	for i, v := range now {
		w.Min[i].Number = extreme(w.Min[i].Number, v.Number, math.Min)
		w.Max[i].Number = extreme(w.Max[i].Number, v.Number, math.Max)
	}
	w.Steps++
}

// AddValue adds one value of a step, for a measure that the window may not have yet.
func (w *Window) AddValue(name string, n measure.Number) {
	w.Min.Set(name, extreme(w.Min.Named(name), n, math.Min))
	w.Max.Set(name, extreme(w.Max.Named(name), n, math.Max))
}

// extreme returns the number of the two that pick chooses. If one does not apply, it returns the
// other. A NaN stays once it is in, so that it is seen.
func extreme(a, b measure.Number, pick func(x, y float64) float64) measure.Number {
	switch {
	case !b.Applies():
		return a
	case !a.Applies():
		return b
	}
	return measure.Num(pick(a.Float(), b.Float()))
}

// Cover extends the least and the greatest values of e by those of an earlier event, so that e
// stands for the steps of both.
func (e *StepEvent) Cover(before *StepEvent) {
	e.Min = extremesOf(e.Min, e.Values, before.Min, before.Values, math.Min)
	e.Max = extremesOf(e.Max, e.Values, before.Max, before.Values, math.Max)
}

// extremesOf returns the extremes of two events, whose own values stand in for missing extremes.
func extremesOf(a, aNow, b, bNow measure.Values, pick func(x, y float64) float64) measure.Values {
	if len(a) != len(aNow) {
		a = slices.Clone(aNow)
	}
	for i := range a {
		name := a[i].Name
		own, before := extremeOrValue(a, aNow, i, name), extremeOrValue(b, bNow, i, name)
		a[i].Number = extreme(own, before, pick)
	}
	return a
}

// extremeOrValue returns a measure's extreme or, without one, its value. The measure is mostly at
// the same index i.
func extremeOrValue(extremes, now measure.Values, i int, name string) measure.Number {
	for _, v := range [...]measure.Values{extremes, now} {
		if i < len(v) && v[i].Name == name && v[i].Applies() {
			return v[i].Number
		}
		if n := v.Named(name); n.Applies() {
			return n
		}
	}
	return measure.Number{}
}

// Clone returns a copy that shares nothing.
func (w *Window) Clone() Window {
	return Window{w.Steps, slices.Clone(w.Min), slices.Clone(w.Max)}
}

// Like returns w with exactly the named measures, in their order.
func (w *Window) Like(names []string) Window {
	o := NewWindow(names)
	o.Steps = w.Steps
	for i, name := range names {
		o.Min[i].Number, o.Max[i].Number = w.Min.Named(name), w.Max.Named(name)
	}
	return o
}
