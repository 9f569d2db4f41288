package train

import (
	"errors"
	"fmt"
	"slices"

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

// newMeter returns a meter for the measures of a method's steps.
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
	// Logged returns the values that the program has logged since the last call. They are valid
	// until the network is asked for something else.
	Logged() measure.Values
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
	l, ok := r.Net.(Logger)
	if !ok {
		return nil
	}
	for _, v := range l.Logged() {
		if err := r.Log(v.Name, v.Float()); err != nil {
			return err
		}
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
