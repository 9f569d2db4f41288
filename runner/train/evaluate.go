package train

import (
	"fmt"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/measure"
)

// evaluationState holds the results of evaluations. It is part of every checkpoint, since a run
// that is resumed at its very end only writes its summary.
type evaluationState struct {
	eval *runner.EvalEvent // the last evaluation
	// selected is the evaluation that the validation split finds best, if any.
	selected *runner.EvalEvent
	waited   int                  // evaluations without a better one, see patience
	tied     int                  // see runner.State
	iterate  *runner.PaperIterate // the choice of the method's output rule, measured at the end
}

// evaluated reports whether the current step has its evaluation, possibly from a checkpoint.
func (r *Run) evaluated() bool { return r.eval != nil && r.eval.Step == r.step }

// evaluate computes the measures of EvalMeasures and writes the event to the log. It selects first,
// for two reasons: the event says whether it is the selection, and where patience ends the run, the
// selection decides what is measured at its end.
func (r *Run) evaluate() error {
	defer r.pause()()
	now, err := r.passSplits()
	if err != nil {
		return err
	}
	return r.report(now)
}

// report writes the event of an evaluation to the log.
func (r *Run) report(now *measure.Evaluation) error {
	e := &runner.EvalEvent{Head: r.Head(), Epoch: r.epoch()}
	e.Fill(r.Meta, now)
	if p := now.Train; now.Ratios != nil {
		e.Heaviest = runner.Heaviest(p.Losses, now.Ratios, p.Labels, p.Groups)
	}
	if err := r.readLogged(); err != nil {
		return err
	}
	e.Values = append(e.Values, r.user...)
	r.selectIfBetter(e)
	if err := r.reportPatience(); err != nil {
		return err
	}
	if r.leader == nil && r.certifyDue() {
		if err := r.certify(now); err != nil {
			return err
		}
		e.Fill(r.Meta, now)
	}
	r.eval = e
	now.Warn(r.spec.MeasureSettings(), r.warnOnce)
	if err := r.append(e); err != nil {
		return err
	}
	r.watchWorst(e)
	return nil
}

// passSplits passes over the splits and finds the exact worst cases (math.md §3). Losses that are
// not finite have no worst case: the run is broken then, and passSplits returns an error.
func (r *Run) passSplits() (e *measure.Evaluation, err error) {
	e = r.Evaluation()
	if e.Train, err = r.Pass(runner.SplitTrain, false); err != nil {
		return nil, err
	}
	if e.Test, err = r.Pass(runner.SplitTest, true); err != nil {
		return nil, err
	}
	if r.Data.Val != nil && r.Meta.Refitted == nil {
		if e.Val, err = r.Pass(runner.SplitVal, true); err != nil {
			return nil, err
		}
	}
	return e, r.solve(e)
}

// solve finds the exact worst cases of an evaluation's losses, as far as there are any. Those of
// the training split are at ρ and, for a method that keeps λ fixed, at its λ.
func (r *Run) solve(e *measure.Evaluation) (err error) {
	p := r.Method.Problem
	if losses := e.Train.Losses; losses != nil {
		e.Ratios = make([]float64, len(losses))
		e.Train.Worst, err = dro.WorstCase(p.Set, e.Ratios, losses, p.Rho)
		if err == nil {
			e.Penalised, err = r.penalised(e)
		}
		if err != nil {
			return fmt.Errorf("step %d: training %w", r.step, err)
		}
	}
	for split, held := range map[string]*measure.Pass{runner.SplitTest: e.Test,
		runner.SplitVal: e.Val} {
		if held == nil {
			continue
		}
		if err := held.Solve(nil, p, r.Meta.Spec.RiskRadii); err != nil {
			return fmt.Errorf("step %d: %s %w", r.step, split, err)
		}
	}
	return nil
}

// certify computes the measures that take a full gradient: the second part of the paper's test at
// the last iterate, and both parts at the method's own output.
func (r *Run) certify(e *measure.Evaluation) error {
	weights := make([]float64, len(e.Train.Losses))
	r.Method.Weights(weights, e.Train.Batch())
	norm, err := r.GradNorm(weights)
	if err != nil {
		return err
	}
	e.GradNorm = measure.Num(norm)
	e.Output, err = r.output()
	return err
}

// Evaluation returns an evaluation of this moment that has not looked at any split yet. Its
// Settings are the Meta's, without knobs, so that the measures keep their meaning for the whole
// run.
func (r *Run) Evaluation() *measure.Evaluation {
	return &measure.Evaluation{
		Settings: r.Meta.Spec.MeasureSettings(), Problem: r.Method.Problem,
		Classes: len(r.Data.Classes), Groups: len(r.Meta.Groups),
		Shares:  r.Meta.GroupCounts.Train,
		Optimum: r.Meta.Optimum, Z: r.Method.Dual(),
	}
}

// penalised solves the problem of a method that keeps λ fixed, inf over η of F at this λ; it
// returns nil for other methods. The dual gap of such a method never reaches 0, since it does not
// choose λ, so it needs a second measure that can.
func (r *Run) penalised(e *measure.Evaluation) (*dro.Worst, error) {
	m, err := dro.Find(r.spec.Algorithm())
	if err != nil || !m.Penalised || e.Z == nil {
		return nil, err
	}
	w, err := dro.Penalised(r.Method.Problem.Set, nil, e.Train.Losses, e.Z.Lambda)
	if err != nil {
		return nil, err
	}
	return &w, nil
}

// certifyDue reports whether this evaluation includes the full gradient: every certify_every epochs
// and at the end. The full gradient costs as much as an epoch of training, and is therefore rare.
func (r *Run) certifyDue() bool {
	every := int64(r.Meta.Spec.CertifyEvery)
	return r.atEnd() || every > 0 && (r.step/r.Meta.StepsPerEpoch)%every == 0
}
