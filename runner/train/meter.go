package train

import (
	"errors"
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
	user   measure.Values // of the program's own, as it last gave them
	news   bool           // it gave some since the last event
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
	if m.window.Steps == 0 { // it follows another one of the same step
		m.window.Add(m.now)
		speed = m.last.ImagesPerSecond
	}
	for _, v := range m.user { // one that was not given again has kept its value
		m.window.Put(v.Name, v.Number)
	}
	m.last = &runner.StepEvent{Head: h, Epoch: epoch, Values: slices.Concat(m.now, m.user),
		Min: m.window.Min, Max: m.window.Max, ImagesPerSecond: speed}
	m.window, m.news = runner.NewWindow(m.names()), false
	return m.last
}

// names are those of an event's measures, in its order.
func (m *meter) names() []string { return append(m.now.Names(), m.user.Names()...) }

// Logger is implemented by a Network whose program has values of its own.
type Logger interface {
	// Logged gives those that came since it was called last.
	Logged(put func(name string, value float64) error) error
}

// Log records a value of the program's own, which it calls so: step events have it from
// now on. One that is not finite is none. The error is of one name too many.
func (m *meter) Log(name string, value float64) error {
	name, err := measure.UserName(name)
	if err != nil {
		return err
	}
	if !m.user.Has(name) && len(m.user) == measure.MostUser {
		return fmt.Errorf("it logs more than %d values of its own", measure.MostUser)
	}
	n := measure.NumIf(!math.IsNaN(value) && !math.IsInf(value, 0), value)
	m.user.Set(name, n)
	m.window.Put(name, n)
	m.news = true
	return nil
}

// hear takes what the network logs.
func (r *Run) hear() error {
	if l, ok := r.Net.(Logger); ok {
		return l.Logged(r.Log)
	}
	return nil
}

// tell puts what was logged behind the last step event into the log with another one of
// its step: else it would wait for the next, and at the end for ever.
func (r *Run) tell() error {
	err := r.hear()
	if !r.news || !r.now.Of("loss").Applies() { // without a step since the start
		return err
	}
	return errors.Join(err, r.append(r.event(r.Head(), r.epoch(), r.speed())))
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
