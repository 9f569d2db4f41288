package train

import (
	"cmp"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/measure"
	"drolab/runner/spec"
)

// evaluated reports whether the current step has its evaluation, possibly from a checkpoint.
func (r *Run) evaluated() bool { return r.eval != nil && r.eval.Step == r.step }

// evaluate computes the measures of EvalMeasures and writes the event to the log. It selects first,
// for two reasons: the event says whether it is the selection, and where patience ends the run, the
// selection decides what is measured at its end.
func (r *Run) evaluate() error {
	defer r.pause()()
	now, err := r.look()
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
	if err := r.hear(); err != nil {
		return err
	}
	e.Values = append(e.Values, r.user...)
	r.selects(e)
	if err := r.loses(); err != nil {
		return err
	}
	if r.leader == nil && r.certifyDue() {
		if err := r.certify(now); err != nil {
			return err
		}
		e.Fill(r.Meta, now)
	}
	r.eval = e
	now.Warn(&r.spec, r.warnOnce)
	return r.append(e)
}

// look passes over the splits and finds the exact worst cases (math.md §3). Losses that are not
// finite have no worst case: the run is broken then, and look returns an error.
func (r *Run) look() (e *measure.Evaluation, err error) {
	e = r.Evaluation()
	if e.Train, err = r.Pass(runner.SplitTrain, false); err != nil {
		return nil, err
	}
	if err = r.solve(e); err != nil {
		return nil, err
	}
	if e.Test, err = r.held(runner.SplitTest); err != nil {
		return nil, err
	}
	if r.Data.Val != nil && r.Meta.Refitted == nil {
		if e.Val, err = r.held(runner.SplitVal); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// solve finds the exact worst cases of the training losses: at ρ and, for a method that keeps λ
// fixed, at its λ.
func (r *Run) solve(e *measure.Evaluation) (err error) {
	p := r.Method.Problem
	e.Ratios = make([]float64, len(e.Train.Losses))
	e.Train.Worst, err = p.Set.WorstCase(e.Ratios, e.Train.Losses, p.Rho)
	if err == nil {
		e.Penalised, err = r.penalised(e)
	}
	if err != nil {
		return fmt.Errorf("step %d: training %w", r.step, err)
	}
	return nil
}

// certify computes the measures that take a full gradient: the second part of the paper's test at
// the last iterate, and both parts at the method's own output.
func (r *Run) certify(e *measure.Evaluation) error {
	norm, err := r.fullGradNorm(e.Train)
	if err != nil {
		return err
	}
	e.GradNorm = measure.Num(norm)
	e.Output, err = r.output()
	return err
}

// Evaluation returns an evaluation of this moment that has not looked at any split yet. Its Spec is
// the Meta's, without knobs, so that the measures keep their meaning for the whole run.
func (r *Run) Evaluation() *measure.Evaluation {
	return &measure.Evaluation{
		Spec: &r.Meta.Spec, Problem: r.Method.Problem,
		Classes: len(r.Data.Classes), Groups: len(r.Meta.Groups),
		Optimum: r.Meta.Optimum, Z: r.Method.Dual(),
	}
}

// held passes over the test or the validation split, and finds its worst cases.
func (r *Run) held(split string) (*measure.Pass, error) {
	p, err := r.Pass(split, true)
	if err != nil {
		return nil, err
	}
	return p, r.solveHeld(split, p)
}

// solveHeld finds the worst cases of the test or the validation split.
func (r *Run) solveHeld(split string, p *measure.Pass) error {
	if err := p.Solve(nil, r.Method.Problem, r.Meta.Spec.RiskRadii); err != nil {
		return fmt.Errorf("step %d: %s %w", r.step, split, err)
	}
	return nil
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
	return &w, err
}

// certifyDue reports whether this evaluation includes the full gradient: every certify_every epochs
// and at the end. The full gradient costs as much as an epoch of training, and is therefore rare.
func (r *Run) certifyDue() bool {
	every := int64(r.Meta.Spec.CertifyEvery)
	return r.over() || every > 0 && (r.step/r.Meta.StepsPerEpoch)%every == 0
}

// Pass runs the network over a split, in evaluation mode. If sure is set, it also records the
// confidence of each prediction, which costs some time. The error is a *BrokenError if a loss is
// not finite.
func (r *Run) Pass(split string, sure bool) (*measure.Pass, error) {
	n := Source(r.Data, split).Len()
	p := &measure.Pass{
		Losses: make([]float64, n), Correct: make([]bool, n),
		Labels: make([]int, n), Groups: make([]int, n),
	}
	if sure {
		p.Confidences, p.Predictions = make([]float64, n), make([]int, n)
	}
	kinds, each := len(r.Data.Classes), sure && r.scores(n)
	if each {
		p.Probabilities = make([]float32, n*kinds)
	}
	classes := make([]int, len(r.losses))
	err := r.EachBatch(split, func(b Batch, from int) error {
		r.Net.Losses(p.Losses[from:], b, nil)
		o := Outputs{Classes: classes}
		if sure {
			o.Confidences, o.Classes = p.Confidences[from:], p.Predictions[from:]
		}
		if each {
			o.Probabilities = p.Probabilities[from*kinds:][:b.N*kinds]
		}
		r.Net.Outputs(o)
		for i := range b.N {
			p.Correct[from+i] = o.Classes[i] == b.Labels[i]
			p.Labels[from+i], p.Groups[from+i] = b.Labels[i], b.Groups[i]
		}
		return r.Net.Err()
	})
	// the last steps broke the network, each at a finite loss
	if err == nil && !spec.AllFinite(p.Losses) {
		wild := func(l float64) bool { return !spec.AllFinite([]float64{l}) }
		first := p.Losses[slices.IndexFunc(p.Losses, wild)]
		err = &BrokenError{r.step, "the loss of a sample", first, r.cure()}
	}
	return p, err
}

// scores reports whether a pass over so many samples keeps the probability of every class. With two
// classes the confidence has them already. A program would have to compute and send them at each
// evaluation, so they are requested from it only if the run selects by a measure that needs them.
func (r *Run) scores(samples int) bool {
	by, _ := r.Meta.Selector()
	kinds := len(r.Data.Classes)
	few := samples*kinds <= measure.MostScores && r.Meta.Program == nil
	return kinds > 2 && (few || by.Scores())
}

// Source returns the samples of a split of d; nil if d has no such split.
func Source(d *data.Dataset, split string) data.Source {
	switch split {
	case runner.SplitTest:
		return d.Test
	case runner.SplitVal:
		return d.Val
	}
	return d.Train
}

// EachBatch calls f with every batch of a split, in order and in evaluation mode, and with the
// index of the batch's first sample. An error of f ends it. The last batch may be shorter: unlike
// in an epoch of training, no sample is dropped. The batch is valid until f returns.
func (r *Run) EachBatch(split string, f func(b Batch, from int) error) error {
	src := Source(r.Data, split)
	loader, err := data.NewSequential(src, r.LoaderOptions(split, nn.Evaluate, 0, len(r.losses)))
	if err != nil {
		return err
	}
	defer loader.Close()
	for from := 0; from < src.Len(); {
		b := Batch{split, nn.Evaluate, loader.Next()}
		if err := f(b, from); err != nil {
			return err
		}
		from += b.N
	}
	return nil
}

// fullGradNorm returns the norm of the gradient of the method's own objective over the training
// split; for ERM, of the mean loss. train is a pass over that split.
func (r *Run) fullGradNorm(train *measure.Pass) (float64, error) {
	weights := make([]float64, len(train.Losses))
	r.Method.Weights(weights, train.Batch())
	return r.GradNorm(weights)
}

// GradNorm returns ‖mean w_i ∇ℓ_i‖ over the training split, with one weight per sample in the order
// of the split. It changes weights in place, and leaves that gradient in the network: a second
// array of that size for every run would be a tenth of all the memory.
func (r *Run) GradNorm(weights []float64) (float64, error) {
	n := len(weights)
	losses := make([]float64, len(r.losses))
	err := r.EachBatch(runner.SplitTrain, func(b Batch, from int) error {
		r.Net.Losses(losses, b, nil)
		part := weights[from:][:b.N]
		for i := range part {
			part[i] *= float64(b.N) / float64(n) // the batch's part of the mean
		}
		r.Net.Gradient(part, from > 0)
		return r.Net.Err()
	})
	norm := r.Net.GradNorm()
	return norm, cmp.Or(err, r.Net.Err())
}

// selects makes e the run's selection if it is better than the selection so far. The first of equal
// evaluations stays, and a NaN is never better.
func (r *Run) selects(e *runner.EvalEvent) {
	by, ok := r.Meta.Selector()
	if m, refits := r.Method.Trainer.(dro.Refitter); !ok || refits && !m.Refitted() {
		return // until the last layer is fitted again, ERM's network is evaluated
	}
	if e.Of("val_accuracy").Applies() && !e.Of(by.Name).Applies() {
		why := fmt.Sprintf("does not apply to an evaluation, with min_group = %d",
			r.Meta.Spec.MinGroup)
		if by.Scores() && r.Meta.Program != nil {
			why = "needs probabilities, and an evaluation has none"
		}
		r.warnOnce("select", fmt.Sprintf("select: %s %s: it is not selected", by.Name, why))
	}
	now := e.Of(by.Name).Float()
	if r.selected != nil {
		best := r.selected.Of(by.Name).Float()
		e.Selected = now < best
		if by.Better == dro.Higher {
			e.Selected = now > best
		}
	} else {
		e.Selected = now == now
	}
	r.waited++
	if e.Selected {
		r.selected, r.waited = e, 0
	}
}

// loses logs a warning if the run has lost its patience, and then the event of its last step.
// Otherwise only the planned last step is sure to have an event.
func (r *Run) loses() error {
	s := &r.Meta.Spec
	if r.step == r.Meta.Steps || !r.over() {
		return nil
	}
	since := "there was one"
	if r.selected != nil {
		since = fmt.Sprintf("epoch %.4g", r.selected.Epoch)
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
