package foreign

import (
	"math"
	"slices"

	"drolab/runner"
	"drolab/runner/measure"
)

// writer writes points as events of a run. Points of one step are one event of steps and one
// evaluation.
type writer struct {
	to   runner.Recorder
	meta *runner.Meta
	t    *targets

	at    int64 // the step of what is not written yet
	epoch float64
	step  measure.Values
	eval  runner.EvalEvent // of this step, whether or not it is written
	fresh bool             // the evaluation has what is not written
	// stepTime and evalTime are the seconds up to the last number of each; empty: not known.
	stepTime, evalTime measure.Number

	elapsed  measure.Number // the greatest
	reached  int64          // the greatest step
	epochs   float64
	lastStep runner.StepEvent // the latest of each value
	lastEval runner.EvalEvent
	refused  map[string]bool // shares that are none
	written  int64           // events
}

func newWriter(to runner.Recorder, m *runner.Meta, t *targets) *writer {
	return &writer{to: to, meta: m, t: t, at: -1, refused: map[string]bool{}}
}

// begin writes that the run begins, with the notes of the log that are known by then.
func (w *writer) begin(notes []string) error {
	e := runner.NewStatus(runner.Head{}, runner.Running, nil)
	e.Foreign = true
	if err := w.to.Append(e); err != nil {
		return err
	}
	for _, note := range notes {
		if err := w.warn(0, note); err != nil {
			return err
		}
	}
	return nil
}

// later returns the greater of two times, of which either may be empty.
func later(a, b measure.Number) measure.Number {
	if !a.Applies() || b.Float() > a.Float() {
		return b
	}
	return a
}

// add adds a point. It writes what came before, if that is of another step.
func (w *writer) add(p Point) error {
	t := w.t.of(p)
	if t.of == leftOut {
		return nil
	}
	x := p.Value
	if t.percent {
		x /= 100
	}
	if t.share && (x < 0 || x > 1) {
		return w.refuse(p, &t)
	}
	again := t.of != ofEval && t.of != ofGroups && w.step.Has(t.measure)
	if p.Step != w.at || again {
		if err := w.flush(); err != nil {
			return err
		}
		if p.Step != w.at {
			w.at, w.epoch, w.eval, w.fresh = p.Step, 0, runner.EvalEvent{}, false
			w.evalTime = measure.Number{}
		}
	}
	w.epoch = max(w.epoch, p.Epoch)
	if w.epoch == 0 && w.meta.StepsPerEpoch > 1 {
		w.epoch = float64(p.Step) / float64(w.meta.StepsPerEpoch)
	}
	w.reached, w.epochs = max(w.reached, p.Step), max(w.epochs, w.epoch)
	w.elapsed = later(w.elapsed, p.Elapsed)
	number := measure.Num(x)
	switch t.of {
	case ofEval:
		w.evalTime = later(w.evalTime, p.Elapsed)
		w.eval.Values.Set(t.measure, number)
		w.lastEval.Values.Set(t.measure, number)
		w.fresh = true
	case ofGroups:
		group := t.group
		if group < 0 {
			group = p.Group
		}
		w.evalTime = later(w.evalTime, p.Elapsed)
		w.setGroup(&w.eval, t.measure, group, number)
		w.setGroup(&w.lastEval, t.measure, group, number)
		w.fresh = true
	default:
		w.stepTime = later(w.stepTime, p.Elapsed)
		w.step.Set(t.measure, number)
		w.lastStep.Set(t.measure, number)
	}
	return nil
}

// refuse passes over a number that its measure cannot have, with one warning for each name.
func (w *writer) refuse(p Point, t *target) error {
	if w.refused[p.Name] {
		return nil
	}
	w.refused[p.Name] = true
	return w.warn(p.Step, shareAdvice(p.Name, p.Value, t.measure))
}

func (w *writer) warn(step int64, text string) error {
	return w.to.Append(&runner.WarningEvent{Head: runner.Head{Step: step}, Message: text})
}

func (w *writer) setGroup(e *runner.EvalEvent, name string, group int, x measure.Number) {
	if group >= len(w.meta.Groups) {
		return
	}
	list := slices.Clone(e.ByGroup.Named(name))
	if list == nil {
		list = make([]measure.Number, len(w.meta.Groups))
	}
	list[group] = x
	e.ByGroup.Set(name, list)
}

// flush writes what is known of the step. An evaluation that got more is written once more: of two
// at one step, the later stands.
func (w *writer) flush() error {
	if len(w.step) > 0 {
		e := &runner.StepEvent{Head: runner.Head{Step: w.at, Elapsed: w.stepTime}, Epoch: w.epoch,
			Values: w.step, Min: w.step, Max: w.step}
		w.step, w.stepTime = nil, measure.Number{}
		w.written++
		if err := w.to.Append(e); err != nil {
			return err
		}
	}
	if !w.fresh {
		return nil
	}
	w.fresh = false
	w.derive(&w.eval)
	e := w.eval
	e.Head, e.Epoch = runner.Head{Step: w.at, Elapsed: w.evalTime}, w.epoch
	e.Values = slices.Clone(e.Values)
	w.written++
	return w.to.Append(&e)
}

// derive computes what follows from the accuracies of the groups: the least one, and the mean by
// the groups' shares of the training samples.
func (w *writer) derive(e *runner.EvalEvent) {
	for _, prefix := range []string{"", "val_"} {
		accuracies := e.ByGroup.Named(prefix + "group_accuracy")
		if accuracies == nil {
			continue
		}
		counts := w.meta.GroupCounts.Test
		if prefix != "" {
			counts = w.meta.GroupCounts.Val
		}
		worst, least := measure.Number{}, math.Inf(1)
		var sum, all float64
		for g, x := range accuracies {
			if !x.Applies() {
				continue
			}
			if g < len(counts) && counts[g] >= w.meta.Spec.MinGroup && x.Float() < least {
				worst, least = x, x.Float()
			}
			if train := w.meta.GroupCounts.Train; g < len(train) {
				sum += float64(train[g]) * x.Float()
				all += float64(train[g])
			}
		}
		if !e.Values.Named(prefix + "worst_group_accuracy").Applies() {
			e.Values.Set(prefix+"worst_group_accuracy", worst)
			w.lastEval.Values.Set(prefix+"worst_group_accuracy", worst)
		}
		if all > 0 {
			adjusted := measure.Num(sum / all)
			e.Values.Set(prefix+"adjusted_accuracy", adjusted)
			w.lastEval.Values.Set(prefix+"adjusted_accuracy", adjusted)
		}
	}
}

// back records that the log goes on from an earlier step.
func (w *writer) back(from int64) error {
	if err := w.flush(); err != nil || w.reached < from {
		return err
	}
	w.at, w.eval = -1, runner.EvalEvent{}
	w.reached = max(0, from-1)
	return w.to.Append(&runner.ResumeEvent{Head: runner.Head{Step: from - 1}})
}

// finish writes how the run ended, and its summary: the latest of each value.
func (w *writer) finish(status runner.Status, cause string) error {
	if err := w.flush(); err != nil {
		return err
	}
	e := runner.NewStatus(runner.Head{Step: w.reached, Elapsed: w.elapsed}, status, nil)
	e.Cause = cause
	if err := w.to.Append(e); err != nil {
		return err
	}
	s := runner.Summarize(w.meta, status, w.reached, &w.lastEval, &w.lastStep)
	s.Cause, s.Epochs = cause, w.epochs
	return w.to.Finish(s)
}
