package train

import (
	"errors"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
)

// train is one training step, the same verbs for every method: package dro decides what the weights
// are and how the method's own state moves. The order is the order of the paper's Algorithm 1.
// First x moves by the weights at the old z; then z moves, by losses at the new x if the method
// draws a batch for it. Changing the order changes every digest.
func (r *Run) train() error {
	if r.stepper != nil {
		if f := r.Method.Form(r.numbers[:0]); r.stepper.Steps(f.Kind) {
			r.numbers = f.Numbers
			return r.trainByForm(f)
		}
	}
	x, alpha := r.batches.Next(), r.rate()
	batch := batchOf(x, r.losses)
	r.Net.Losses(r.losses, Batch{runner.SplitTrain, nn.Train, x}, r.Method.samplewise)
	if err := r.Net.Err(); err != nil { // no method accepts NaN as a loss
		return r.atStep(err)
	}
	weights := r.Weigh(batch)
	r.Net.Gradient(weights, false)
	norm, taken := r.Net.Step(r.stepRule(alpha))
	if !taken {
		return r.Skipped()
	}
	return r.Stepped(r.ownBatch(batch), alpha, measure.Num(norm))
}

// Weigh has the method turn the losses of a step's batch into weights, which are valid until the
// next step.
//
// It is the first half of a method's part in a step, and Stepped or Skipped is the second. Between
// them x moves: by drolab's own network, or wherever a script moves it.
func (r *Run) Weigh(batch dro.Batch) (weights []float64) {
	n := len(batch.Losses) // in drolab's loop the same for every step
	r.losses, r.weights = batch.Losses, slices.Grow(r.weights[:0], n)[:n]
	r.Method.Before(batch)
	r.Method.Weights(r.weights, batch)
	return r.weights
}

// Stepped moves the method's state by its own batch, once x has moved at the step size α, and
// reports the step. norm is the norm of x's gradient, if it is known.
func (r *Run) Stepped(own dro.Batch, alpha float64, norm measure.Number) error {
	if r.Method.Fresh() {
		r.drawn = own.Losses
	}
	r.countStep()
	r.Method.After(own, dro.Step{T: r.step, Rate: alpha, GradNorm: norm.Float()})
	return r.finishStep(norm)
}

// Skipped reports a step in which x has not moved, so that the method's state does not move either.
func (r *Run) Skipped() error {
	r.countStep()
	return r.finishStep(measure.Number{})
}

// countStep counts the step that was just taken or skipped.
func (r *Run) countStep() {
	r.step++
	r.images += len(r.losses)
}

// finishStep hears what the network has to say of a step, and measures it. A script has no network
// here: it says by itself what fails and what it logs, and it keeps no second x.
func (r *Run) finishStep(norm measure.Number) error {
	if r.Net != nil {
		r.keepPicked()
		if err := r.Net.Err(); err != nil {
			return r.atStep(err)
		}
		if err := r.readLogged(); err != nil {
			return r.atStep(err)
		}
	}
	return r.reportStep(norm)
}

// atStep adds the step at which the network failed to its error.
func (r *Run) atStep(err error) error { return fmt.Errorf("step %d: %w", r.step, err) }

// batchOf returns what a method sees of a batch: no values of samples, and losses that are valid
// until the next step.
func batchOf(b *loader.Batch, losses []float64) dro.Batch {
	return dro.Batch{Losses: losses[:b.N], Labels: b.Labels, Groups: b.Groups, Index: b.Index}
}

// stepRule returns the rule of the x-step at the step size α: the optimizer's rule, or the rule of
// a method that chooses its own step length.
func (r *Run) stepRule(alpha float64) Rule {
	s := &r.spec
	sgd := nn.SGD{LR: alpha, Momentum: s.Momentum, WeightDecay: s.WeightDecay, Clip: r.Method.clip}
	return Rule{SGD: sgd, Adam: r.Method.adam, Advance: r.Method.advance}
}

// ownBatch returns the batch by which the method's state moves: an independent draw at the new x if
// the method asks for one, else the x-batch.
func (r *Run) ownBatch(x dro.Batch) dro.Batch {
	if !r.Method.Fresh() {
		return x
	}
	z := r.draws.Next()
	probe := Batch{runner.SplitTrain, nn.Probe, z}
	for from := 0; from < z.N; from += len(r.losses) {
		to := min(from+len(r.losses), z.N)
		r.Net.Losses(r.drawn[from:to], probe.Part(&r.piece, from, to), nil)
	}
	return batchOf(z, r.drawn)
}

// rate returns the step size α of the next step. It reads the spec with knobs, so a change of lr
// acts on the next step.
func (r *Run) rate() float64 { return r.spec.Rate(r.step, r.Meta.StepsPerEpoch, r.Meta.Steps) }

// keepPicked copies x if the method's output rule has chosen the step that was just taken.
func (r *Run) keepPicked() {
	if r.Method.Picker != nil && r.Method.Picker.Picked().Step == int(r.step) {
		r.Net.Pick()
	}
}

// reportStep measures the step and, every log_every steps, reports it. It returns an error if a
// value that training depends on is not finite.
func (r *Run) reportStep(norm measure.Number) error {
	broken := r.measure(measure.Mean(r.losses), norm, r.Method)
	var cause error
	if broken != nil {
		m, _ := measure.FindMeasure(broken.Name) // it is one of StepMeasures
		cause = &BrokenError{r.step, m.Title, broken.Float(), r.cure()}
	}
	r.window.Add(r.current)
	if w, ok := r.Method.Trainer.(dro.Warner); ok && broken == nil {
		if text := w.Warning(); text != "" {
			r.warnOnce(text, text)
		}
	}
	if broken == nil && r.step%int64(r.Meta.Spec.LogEvery) != 0 && r.step != r.Meta.Steps {
		return nil
	}
	return errors.Join(r.append(r.event(r.Head(), r.epoch(), r.speed())), cause)
}
