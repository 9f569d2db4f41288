package train

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// meter holds the measures of the step under way, and their extremes since the last step event, so
// that a peak between two events is seen. current and the window have the same names in the same
// order, which Window.Add relies on.
type meter struct {
	current    measure.Values                      // of the step under way
	setCurrent func(measure string, value float64) // sets a measure in current
	window     runner.Window
	last       *runner.StepEvent
	user       measure.Values // the latest values of the program's own
	news       bool           // the program has logged values since the last event
}

// newMeter makes room for the measures of a method's steps.
func newMeter(method dro.Algorithm) (m meter) {
	m.window = runner.NewWindow(measure.StepNames(method))
	now := slices.Clone(m.window.Min)
	m.current, m.setCurrent = now, func(name string, value float64) {
		now.Set(name, measure.Num(value))
	}
	return m
}

// measure sets the measures of a step; the norm of a step that was not taken does not apply. It
// returns the first value that is not finite, or nil.
func (m *meter) measure(loss float64, norm measure.Number, t dro.Trainer) (broken *measure.Value) {
	for i := range m.current {
		m.current[i].Number = measure.Number{}
	}
	m.setCurrent("loss", loss)
	m.current.Set("grad_norm", norm)
	t.Report(m.setCurrent)
	for i, v := range m.current {
		if v.Applies() && !v.Finite() {
			return &m.current[i]
		}
	}
	return nil
}

// event closes the window with the event that reports it.
func (m *meter) event(h runner.Head, epoch float64, speed measure.Number) *runner.StepEvent {
	if m.window.Steps == 0 { // a second event of the same step
		m.window.Add(m.current)
		speed = m.last.ImagesPerSecond
	}
	for _, v := range m.user { // a value that was not logged again keeps its last number
		m.window.AddValue(v.Name, v.Number)
	}
	m.last = &runner.StepEvent{Head: h, Epoch: epoch, Values: slices.Concat(m.current, m.user),
		Min: m.window.Min, Max: m.window.Max, ImagesPerSecond: speed}
	m.window, m.news = runner.NewWindow(m.names()), false
	return m.last
}

// names returns the names of an event's measures, in the order of the event.
func (m *meter) names() []string { return append(m.current.Names(), m.user.Names()...) }

// Logger is implemented by a Network whose program logs values of its own.
type Logger interface {
	// Logged puts the values that the program has logged since the last call.
	Logged(put func(name string, value float64) error) error
}

// Log records a value of the program's own under the name that the program gives it. Step events
// have it from then on. A value that is not finite does not apply. The error is about an empty name
// or one name too many.
func (m *meter) Log(name string, value float64) error {
	name, err := measure.UserName(name)
	if err != nil {
		return err
	}
	if !m.user.Has(name) && len(m.user) == measure.MostUser {
		return fmt.Errorf("it logs more than %d values of its own", measure.MostUser)
	}
	n := measure.NumIf(spec.AllFinite(value), value)
	m.user.Set(name, n)
	m.window.AddValue(name, n)
	m.news = true
	return nil
}

// readLogged records the values that the network's program has logged.
func (r *Run) readLogged() error {
	if l, ok := r.Net.(Logger); ok {
		return l.Logged(r.Log)
	}
	return nil
}

// reportLogged writes a second event of the last step to the log if the program has logged values
// since the first. Otherwise these values would wait for the next event, and be lost at the end.
func (r *Run) reportLogged() error {
	err := r.readLogged()
	if !r.news || !r.current.Named("loss").Applies() { // or no step was taken since the start
		return err
	}
	return errors.Join(err, r.append(r.event(r.Head(), r.epoch(), r.speed())))
}

// The limits beyond which losses and ratios count as wild: far from any loss that a network trains
// with, and far from 1, the mean ratio at the best z. They only choose between two cures, so their
// exact size matters little.
const (
	wildLoss  = 1e6
	wildRatio = 1e3
)

// cure returns advice that keeps the numbers finite: shorter steps of z or of the weights. It names
// only settings that this run reads, so that the advice can be followed.
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

// brokenByZ reports whether the ratios were wild before the losses were.
func (r *Run) brokenByZ() bool {
	wild := func(v measure.Values) bool { return v.Named("mean_ratio").Float() > wildRatio }
	if wild(r.window.Max) || r.last != nil && wild(r.last.Max) { // at steps before
		return true
	}
	own := !r.Method.Fresh() || measure.Mean(r.drawn) <= wildLoss
	return measure.Mean(r.losses) <= wildLoss && (own || wild(r.current))
}

// BrokenError is the error of a run whose numbers are no longer finite. It fails the run, since
// further steps cannot make them finite again.
type BrokenError struct {
	Step  int64
	What  string  // the title of the measure
	Value float64 // a NaN or an infinity
	Cure  string  // settings to change, for a new run
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("step %d: %s is %v: %s", e.Step, e.What, e.Value, e.Cure)
}

// stopwatch counts the images trained on, and the time that they took, since the last step event.
// It stands still while the run evaluates, saves or is paused. No computation depends on it: speed
// is the one measure that differs between equal runs.
type stopwatch struct {
	since   time.Time
	elapsed time.Duration
	images  int
	total   struct { // the sums over this process's part of the run
		elapsed time.Duration
		images  int
	}
}

// pause stops the watch until start is called.
func (w *stopwatch) pause() (start func()) {
	w.elapsed += time.Since(w.since)
	return func() { w.since = time.Now() }
}

// speed returns the images a second since the last call.
func (w *stopwatch) speed() measure.Number {
	defer w.pause()()
	n := perSecond(w.images, w.elapsed)
	w.total.elapsed, w.total.images = w.total.elapsed+w.elapsed, w.total.images+w.images
	w.elapsed, w.images = 0, 0
	return n
}

// perSecond returns images per second. It does not apply if no time has passed, as in a run without
// a step.
func perSecond(images int, in time.Duration) measure.Number {
	return measure.NumIf(in > 0, float64(images)/in.Seconds())
}
