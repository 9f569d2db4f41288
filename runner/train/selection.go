package train

import (
	"fmt"
	"math"

	"drolab/dro"
	"drolab/runner"
)

// selectIfBetter makes e the run's selection if it is better than the selection so far, or equal to
// it and preferred by the run's rule for ties. A NaN is never better. Only a better evaluation is
// an improvement for patience: a measure that stays the same must not keep a run from its end.
func (r *Run) selectIfBetter(e *runner.EvalEvent) {
	by, ok := r.Meta.Selector()
	if m, refits := r.Method.Trainer.(dro.Refitter); !ok || refits && !m.Refitted() {
		return // until the last layer is fitted again, ERM's network is evaluated
	}
	if e.Named("val_accuracy").Applies() && !e.Named(by.Name).Applies() {
		why := fmt.Sprintf("does not apply to an evaluation, with min_group = %d",
			r.Meta.Spec.MinGroup)
		if by.Scores() && r.Meta.Program != nil {
			why = "needs probabilities, and an evaluation has none"
		}
		r.warnOnce("select", fmt.Sprintf("select: %s %s: it is not selected", by.Name, why))
	}
	now := e.Named(by.Name).Float()
	first := r.selected == nil
	better, equal := first && !math.IsNaN(now), false
	if !first {
		best := r.selected.Named(by.Name).Float()
		better, equal = now < best, now == best
		if by.Better == dro.Higher {
			better = now > best
		}
	}
	switch {
	case better && first:
		r.tied = 1
	case equal && r.tied > 0:
		r.tied++
	case !math.IsNaN(now):
		r.tied = 0
	}
	r.waited++
	if better {
		r.waited = 0
	}
	e.Selected = better || equal && r.Meta.Ties.TakesLater(r.selected, e)
	if e.Selected {
		r.selected = e
	}
}

// warnOfTies warns at the end of a run if all of its evaluations are equal by the measure of the
// selection, which then says nothing of the selected step.
func (r *Run) warnOfTies() {
	if r.tied < 2 {
		return
	}
	by, _ := r.Meta.Selector()
	r.warnOnce("ties", fmt.Sprintf("select: all %d evaluations tie at %s = %.4g: epoch %.4g %s "+
		"and is selected; another measure in select may tell them apart", r.tied, by.Name,
		r.selected.Named(by.Name).Float(), r.selected.Epoch, r.Meta.Ties.Reason()))
}

// reportPatience logs a warning if the run has lost its patience, and then the event of its last
// step. Otherwise only the planned last step is sure to have an event.
func (r *Run) reportPatience() error {
	s := &r.Meta.Spec
	if r.step == r.Meta.Steps || !r.outOfPatience() {
		return nil
	}
	since := "there was one"
	if r.selected != nil {
		since = fmt.Sprintf("epoch %.4g", r.epoch()-float64(r.waited*s.EvalEvery))
	}
	message := fmt.Sprintf("patience is %d: no better %s since %s, so the run ends after epoch "+
		"%.4g of %d", s.Patience, s.Select, since, r.epoch(), s.Epochs)
	r.warnOnce("patience", message)
	if r.last != nil && r.last.Step == r.step {
		return nil
	}
	return r.append(r.event(r.Head(), r.epoch(), r.speed()))
}

// justSelected reports whether the present step is the selected one and so needs a checkpoint.
func (r *Run) justSelected() bool { return r.selected != nil && r.selected.Step == r.step }

// outOfPatience reports whether the setting patience ends the run at this step.
func (r *Run) outOfPatience() bool {
	patience := r.Meta.Spec.Patience
	return patience > 0 && r.waited >= patience
}
