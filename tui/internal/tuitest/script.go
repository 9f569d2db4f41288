package tuitest

import (
	"math"
	"slices"
	"testing"
	"time"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/eventlog"
	"drolab/runner/measure"
	"drolab/runner/record"
	"drolab/runner/spec"
	"drolab/tui/lab"
)

// Script is a Source of real run directories with made-up logs: a log returns the events up to the
// time Now of the script.
type Script struct {
	lab.Folder
	Logs map[string][]runner.Event
	Now  time.Time
}

func (s *Script) Open(r *record.Run) eventlog.Log {
	return &scriptLog{s: s,
		events: s.Logs[r.Meta.ID]}
}

type scriptLog struct {
	s      *Script
	events []runner.Event
	at     int
}

func (l *scriptLog) Skipped() int   { return 0 }
func (l *scriptLog) Share() float64 { return 1 }

func (l *scriptLog) Read() ([]runner.Event, error) {
	from := l.at
	for l.at < len(l.events) && !l.events[l.at].Header().Time.After(l.s.Now) {
		l.at++
	}
	return l.events[from:l.at], nil
}

// Epoch0 returns the time at which the scripted runs start.
func Epoch0() time.Time { return time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC) }

// The shape of the scripted runs: steps of an epoch, epochs, and seconds of a step.
const (
	Steps  = 40
	Epochs = 8
	Pace   = 0.05
)

// NewScript makes a folder with one run of each method of the paper, and their script.
func NewScript(t testing.TB) *Script {
	t.Helper()
	return script(t, dro.PaperMethods(), nil)
}

// script returns a script of runs of these methods. Unless nil, change alters each run and its log.
func script(
	t testing.TB, methods []dro.Algorithm, change func(*runner.Meta, []runner.Event),
) *Script {
	t.Helper()
	dir := t.TempDir()
	s := &Script{Folder: lab.Folder(dir), Logs: map[string][]runner.Event{}, Now: Epoch0()}
	for i, a := range methods {
		m, log := Meta(a, Epoch0().Add(time.Duration(i)*time.Second)), Training(a, i, Steps, Epochs)
		if change != nil {
			change(m, log)
		}
		begin(t, dir, m)
		s.Logs[m.ID] = log
	}
	return s
}

func Meta(a dro.Algorithm, at time.Time) *runner.Meta {
	spec := spec.Defaults()
	spec.Algorithms, spec.Epochs = []dro.Algorithm{a}, Epochs
	m := &runner.Meta{Preset: "shapes",
		Created: at, Spec: spec, StepsPerEpoch: Steps, Steps: Steps * Epochs,
		Box: dro.Box{Lambda: [2]float64{0.1, 10}, Eta: [2]float64{-10, 10}}}
	for i, name := range []string{"circle", "hexagon", "star", "cross", "hexagram", "rhombus",
		"square", "crescent", "ring", "triangle"} {
		m.Classes = append(m.Classes, name)
		m.ClassCounts.Train = append(m.ClassCounts.Train, 200+61*i%500)
		m.ClassCounts.Test = append(m.ClassCounts.Test, 200)
	}
	return m
}

// Training returns the log of a made-up run: the losses fall, λ and η settle.
func Training(a dro.Algorithm, i, epochSteps, epochs int) []runner.Event {
	var events []runner.Event
	seed := uint32(i + 1)
	noise := func() float64 {
		seed = seed*1664525 + 1013904223
		return float64(seed>>8)/(1<<24) - 0.5
	}
	head := func(step int) runner.Head {
		after := time.Duration(float64(step) * Pace * float64(time.Second) * (1 + 0.1*float64(i)))
		return runner.Head{Seq: int64(len(events) + 1), Step: int64(step),
			Time: Epoch0().Add(after + time.Millisecond)}
	}
	events = append(events, &runner.StatusEvent{Head: head(0), Status: runner.Running})
	dual := a != dro.ERM
	for step := 10; step <= epochSteps*epochs; step += 10 {
		u := float64(step) / float64(epochSteps*epochs)
		loss := 2.3*math.Exp(-3*u) + 0.1*float64(i) + 0.15*noise()*math.Exp(-u)
		e := &runner.StepEvent{Head: head(step), Epoch: float64(step) / float64(epochSteps),
			ImagesPerSecond: measure.Num(math.Round(2500 + 300*noise()))}
		e.Values = measure.Values{{Name: "loss", Number: measure.Num(loss)},
			{Name: "lambda", Number: measure.NumIf(dual, 1+4*math.Exp(-4*u)+float64(i))},
			{Name: "eta", Number: measure.NumIf(dual, -2+2*u*float64(i+1))},
			{Name: "gap", Number: measure.NumIf(a == dro.SFK, 3*math.Exp(-5*u))},
			{Name: "gamma", Number: measure.NumIf(a == dro.SFK, 0.003*math.Exp(-5*u))}}
		e.Min, e.Max = slices.Clone(e.Values), slices.Clone(e.Values)
		e.Min.Set("loss", measure.Num(loss*0.9))
		e.Max.Set("loss", measure.Num(loss*1.2))
		events = append(events, e)
		if step%epochSteps == 0 {
			events = append(events, Evaluation(head(step), epochSteps, i, u, dual))
		}
		if step == epochSteps*3 && a == dro.PGD {
			events = append(events, &runner.WarningEvent{Head: head(step),
				Message: "12 training losses are above eta_max = 10"})
		}
	}
	return append(events,
		&runner.StatusEvent{Head: head(epochSteps * epochs), Status: runner.Done})
}

func Evaluation(h runner.Head, epochSteps, i int, u float64, dual bool) *runner.EvalEvent {
	e := &runner.EvalEvent{Head: h, Epoch: float64(h.Step) / float64(epochSteps),
		Values: measure.Values{
			{Name: "train_loss", Number: measure.Num(2.2 * math.Exp(-3*u))},
			{Name: "test_loss", Number: measure.Num(2.2*math.Exp(-2*u) + 0.05*float64(i))},
			{Name: "test_accuracy", Number: measure.Num(0.1 + 0.8*u)},
			{Name: "robust_risk", Number: measure.Num(3 * math.Exp(-1.5*u))},
			{Name: "dual_gap", Number: measure.NumIf(dual, 0.5*math.Exp(-3*u)*float64(i+1))}}}
	var accuracy, loss, weight []measure.Number
	for c := range 10 {
		accuracy = append(accuracy, measure.Num(u*float64(90-5*((c*7+i)%10))/100))
		loss = append(loss, measure.Num(2.2*math.Exp(-2*u)+0.1*float64((c*7+i)%10)))
		weight = append(weight, measure.Num(0.5+0.15*float64((c*7+i)%10)))
	}
	e.ByGroup = measure.Lists{{Name: "class_accuracy", Numbers: accuracy},
		{Name: "class_loss", Numbers: loss}, {Name: "class_weight", Numbers: weight}}
	e.Set("worst_class_accuracy", measure.Least(accuracy))
	return e
}
