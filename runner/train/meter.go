package train

import (
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// meter has the measures of steps: of the one under way, and their extremes since the
// last step event, so that a peak between two events is seen. now and the window have
// the same names in the same order, which Window.Add relies on.
type meter struct {
	now    measure.Values                      // of the step under way
	put    func(measure string, value float64) // into now
	window runner.Window
	last   *runner.StepEvent
}

// newMeter makes room for the measures of a method's steps.
func newMeter(method dro.Algorithm) (m meter) {
	m.window = runner.NewWindow(measure.StepNames(method))
	now := slices.Clone(m.window.Min)
	m.now, m.put = now, func(name string, value float64) {
		now.Set(name, measure.Num(value))
	}
	return m
}

// measure measures a step; the norm of one that was not taken does not apply. It returns
// the first value that is not finite, if there is one.
func (m *meter) measure(
	loss float64, norm measure.Number, t dro.Trainer,
) (broken *measure.Value) {
	for i := range m.now {
		m.now[i].Number = measure.Number{}
	}
	m.put("loss", loss)
	m.now.Set("grad_norm", norm)
	t.Report(m.put)
	for i, v := range m.now {
		if x := v.Float(); v.Applies() && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return &m.now[i]
		}
	}
	return nil
}

// event closes the window with the event that reports it.
func (m *meter) event(h runner.Head, epoch float64, speed measure.Number) *runner.StepEvent {
	m.last = &runner.StepEvent{Head: h, Epoch: epoch, Values: slices.Clone(m.now),
		Min: m.window.Min, Max: m.window.Max, ImagesPerSecond: speed}
	m.window = runner.NewWindow(m.now.Names())
	return m.last
}

// What is far from any loss that a network trains with, and from 1, the mean ratio
// at the best z. They only choose between two cures, so their exact size matters little.
const (
	wildLoss  = 1e6
	wildRatio = 1e3
)

// cure says what keeps the numbers finite: shorter steps of z or of the weights. It
// names settings that this run reads, so that the advice can be followed.
func (r *Run) cure() string {
	if r.Method.Dual() == nil || !r.brokenByZ() {
		return "lower lr, or check the data"
	}
	reads := func(key string) bool {
		t, ok := spec.FindSetting(key)
		return ok && t.ReadIn(&r.spec)
	}
	switch {
	case reads("c"):
		return "raise c, take sfk-auto, or narrow the box (lambda_max, eta_min, eta_max)"
	case reads("lr_z"):
		return "lower lr_z, start from a larger lambda, " +
			"or narrow the box (lambda0, eta_min, eta_max)"
	}
	return "start from a larger lambda, or lower lr"
}

// brokenByZ tells whether the ratios were wild before the losses were.
func (r *Run) brokenByZ() bool {
	wild := func(v measure.Values) bool { return v.Of("mean_ratio").Float() > wildRatio }
	if wild(r.window.Max) || r.last != nil && wild(r.last.Max) { // at steps before
		return true
	}
	own := !r.Method.Fresh() || measure.Mean(r.drawn) <= wildLoss
	return measure.Mean(r.losses) <= wildLoss && (own || wild(r.now))
}

// BrokenError says that a run's numbers stopped being finite. It fails the run,
// since further steps cannot make them finite again.
type BrokenError struct {
	Step  int64
	What  string  // the title of the measure
	Value float64 // a NaN or an infinity
	Cure  string  // settings to change, for a new run
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("step %d: %s is %v: %s", e.Step, e.What, e.Value, e.Cure)
}
