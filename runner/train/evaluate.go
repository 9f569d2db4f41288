package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/internal/memory"
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
	now.Warn(&r.spec, r.warnOnce)
	return r.append(e)
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

// Evaluation returns an evaluation of this moment that has not looked at any split yet. Its Spec is
// the Meta's, without knobs, so that the measures keep their meaning for the whole run.
func (r *Run) Evaluation() *measure.Evaluation {
	return &measure.Evaluation{
		Spec: &r.Meta.Spec, Problem: r.Method.Problem,
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
	return &w, err
}

// certifyDue reports whether this evaluation includes the full gradient: every certify_every epochs
// and at the end. The full gradient costs as much as an epoch of training, and is therefore rare.
func (r *Run) certifyDue() bool {
	every := int64(r.Meta.Spec.CertifyEvery)
	return r.atEnd() || every > 0 && (r.step/r.Meta.StepsPerEpoch)%every == 0
}

// Pass runs the network over a split, in evaluation mode. If sure is set, it also records the
// confidence of each prediction, which costs some time. The error is a *BrokenError if a loss is
// not finite.
func (r *Run) Pass(split string, sure bool) (*measure.Pass, error) {
	each := sure && r.scores(Source(r.Data, split).Len())
	p, err := r.Predict(split, sure, each, nil)
	// the last steps broke the network, each at a finite loss
	if err == nil && !spec.AllFinite(p.Losses...) {
		wild := func(l float64) bool { return !spec.AllFinite(l) }
		first := p.Losses[slices.IndexFunc(p.Losses, wild)]
		err = &BrokenError{r.step, "the loss of a sample", first, r.cure()}
	}
	return p, err
}

// Predict is Pass, but lets losses be anything. With each, it records the probability of every
// class. It calls progress, unless that is nil, after each batch with the number of samples that
// are done, and the number of all. An error from progress ends it.
func (r *Run) Predict(
	split string, sure, each bool, progress func(done, of int) error,
) (*measure.Pass, error) {
	n, kinds := Source(r.Data, split).Len(), len(r.Data.Classes)
	p := &measure.Pass{
		Losses: make([]float64, n), Correct: make([]bool, n),
		Labels: make([]int, n), Groups: make([]int, n),
	}
	in := r.Data.MeasuredIn(Source(r.Data, split))
	if sure {
		p.Confidences, p.Predictions = make([]float64, n), make([]int, n)
	}
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
			if r.Data.Members != nil {
				p.Members = append(p.Members, slices.Clone(in(from+i)))
			}
		}
		if err := r.Net.Err(); err != nil || progress == nil {
			return err
		}
		return progress(from+b.N, n)
	})
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
	loader, err := loader.NewSequential(src, r.LoaderOptions(split, nn.Evaluate, 0, len(r.losses)))
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
	if err == nil {
		err = r.Net.Err()
	}
	return norm, err
}

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

// output measures the x that the method's output rule has chosen, by putting its weights in place
// of the last ones; it returns nil if there is none. At the end of the run it also evaluates that x
// on the test split.
func (r *Run) output() (*measure.Output, error) {
	now := r.Method.Picked()
	if now == nil {
		return nil, nil
	}
	r.Net.Swap()
	defer r.Net.Swap()
	o, err := r.Stationarity(r.Method.Picker.Picked().Z)
	if err != nil || !r.atEnd() {
		return o, err
	}
	r.iterate = now
	return o, r.testIterate()
}

// Stationarity measures the present network with the dual variables z, on the training split. It
// returns both parts of the paper's test, F(x; z) − R_ρ(x) and ‖∇_x F(x; z)‖. Both are 0 if x is
// stationary for R_ρ and z is the best one there.
func (r *Run) Stationarity(z dro.Z) (*measure.Output, error) {
	train, err := r.Pass(runner.SplitTrain, false)
	if err != nil {
		return nil, err
	}
	worst, err := dro.WorstCase(r.Method.Problem.Set, nil, train.Losses, r.Method.Problem.Rho)
	if err != nil {
		return nil, fmt.Errorf("step %d: the paper's iterate: training %w", r.step, err)
	}
	weights := make([]float64, len(train.Losses))
	f := r.Method.Problem.Evaluate(weights, train.Losses, z).Value
	norm, err := r.GradNorm(weights)
	return &measure.Output{DualGap: f - worst.Risk, GradNorm: norm}, err
}

// testIterate evaluates the present network on the test split.
func (r *Run) testIterate() error {
	test, err := r.Pass(runner.SplitTest, false)
	if err != nil {
		return err
	}
	e, to := r.Evaluation(), r.iterate
	e.Test = test
	to.TestLoss, to.TestAccuracy = test.Loss(), test.Accuracy()
	to.WorstClassAccuracy = e.LeastAccuracy(measure.PerClass)
	to.WorstGroupAccuracy = e.LeastAccuracy(measure.PerGroup)
	return nil
}

// mostOptimum is the bound on the work of one step of the search for the optimum, in multiply-adds.
// It keeps the whole search to some seconds.
const mostOptimum = 1e8

// FindOptimum finds the optimum of s on d, min over x of R_ρ(x), if s asks for it, and returns nil
// if it does not. The optimum is exact to the gap that it returns, which is why only a convex model
// can have it. The error is a *spec.KeyError if the model is not convex or the data are too many.
func FindOptimum(s *spec.Spec, d *data.Dataset, p *dro.Problem) (*measure.Optimum, error) {
	if !s.Optimum {
		return nil, nil
	}
	size := float64((d.Shape.Len() + 1) * len(d.Classes))
	switch {
	case !nn.Convex(s.Model) || s.Loss == nn.ErrorProbability:
		return nil, &spec.KeyError{Key: "optimum", Value: "true", Want: "losses that are convex " +
			"in the weights: model: linear, loss: cross-entropy or squared"}
	case float64(d.Train.Len())*size*size > mostOptimum:
		return nil, &spec.KeyError{Key: "optimum", Value: "true", Want: fmt.Sprintf(
			"less to solve: %d samples and %.0f weights are too many", d.Train.Len(), size)}
	}
	table, err := Table(s, d)
	if err != nil {
		return nil, err
	}
	o, err := table.Least(p.Set, p.Rho)
	if err != nil {
		return nil, fmt.Errorf("optimum: %w", err)
	}
	z := p.Shift(o.Z)
	return &measure.Optimum{Risk: o.Risk, Gap: max(0, o.Gap()), Lambda: z.Lambda, Eta: z.Eta}, nil
}

// Table returns the training split as evaluations see it, normalised and unaugmented. It is in
// float64, since the search ends when its two bounds are 1e-9 apart, which is below float32's
// rounding.
func Table(s *spec.Spec, d *data.Dataset) (*dro.Regression, error) {
	o := loaderOptions(s, d)
	o.Batch = min(s.Batch, d.Train.Len())
	loader, err := loader.NewSequential(d.Train, o)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	t := &dro.Regression{Classes: len(d.Classes), Squared: s.Loss == nn.Squared}
	size := d.Shape.Len()
	for len(t.X) < d.Train.Len() {
		b := loader.Next()
		for i := range b.N {
			t.X = append(t.X, widen(b.X[i*size:][:size]))
			t.Labels = append(t.Labels, b.Labels[i])
		}
	}
	return t, nil
}

// refit fits the last layer again if the method does that and has not done it yet. The run calls it
// at its end, before its last evaluation and checkpoint. A run that is interrupted during the refit
// continues from an earlier checkpoint, and begins the refit again.
func (r *Run) refit() (done bool, err error) {
	m, ok := r.Method.Trainer.(dro.Refitter)
	if !ok || m.Refitted() {
		return false, nil
	}
	defer r.pause()()
	old, err := r.Layer()
	if err != nil {
		return false, err
	}
	layer, how, err := m.Refit(old, r.Features, r.Meta.Spec.Seed)
	if err != nil {
		return false, r.atStep(err)
	}
	r.Net.(LastLayer).SetLayer(layer)
	note := fmt.Sprintf("the last layer was fitted again to the %d samples of the split %s: %s",
		Source(r.Data, m.RefitsOn().Split).Len(), m.RefitsOn().Split, how)
	r.warnOnce(note, note)
	return true, r.Net.Err()
}

// lastLayer returns the network as a LastLayer, or an error if it is none.
func (r *Run) lastLayer() (LastLayer, error) {
	if net, ok := r.Net.(LastLayer); ok && net.Width() > 0 {
		return net, nil
	}
	return nil, errors.New("the program does not show its last layer: set self.head to it")
}

// Layer returns the network's last layer.
func (r *Run) Layer() (l dro.Layer, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return l, err
	}
	return net.Layer(), r.Net.Err()
}

// Features runs the network over a split, in evaluation mode, up to its last layer.
func (r *Run) Features(split string) (h dro.Held, err error) {
	net, err := r.lastLayer()
	if err != nil {
		return h, err
	}
	width := net.Width()
	bytes := float64(Source(r.Data, split).Len()) * float64(4*width+48)
	if err := memory.Ask(bytes, "the features of the samples"); err != nil {
		return h, err
	}
	h.Keys = data.KeysOf(Source(r.Data, split))
	losses := make([]float64, len(r.losses))
	err = r.EachBatch(split, func(b Batch, _ int) error {
		r.Net.Losses(losses, b, nil)
		rows := make([][]float32, b.N)
		for i := range rows {
			rows[i] = make([]float32, width)
		}
		net.Features(rows)
		h.Features = append(h.Features, rows...)
		h.Labels, h.Groups = append(h.Labels, b.Labels...), append(h.Groups, b.Groups...)
		return r.Net.Err()
	})
	return h, err
}

// noteRefit warns that the refit takes the validation split, and which measures that costs, or
// that it has to do without this split.
func (r *Run) noteRefit() {
	if m, ok := r.Method.Trainer.(dro.Refitter); ok && m.RefitsOn().Instead {
		r.warnOnce(runner.SplitVal, fmt.Sprintf("no validation split has samples of every %s, so "+
			"the last layer is fitted to training samples at the end", r.Meta.Part()))
	}
	if r.Meta.Refitted == nil {
		return
	}
	text := fmt.Sprintf("the last layer is fitted to the %d validation samples at the end, so "+
		"no val_ measure applies", data.Sum(r.Meta.Refitted))
	if r.Meta.Spec.Select != "" && r.Meta.Spec.Select != "last" {
		text += ", and no step is selected"
	}
	if r.Meta.Spec.Threshold.ByVal() {
		text += ", nor do measures that need the threshold of val_f1"
	}
	r.warnOnce(runner.SplitVal, text)
}
