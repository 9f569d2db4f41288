package runner

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// train is one training step, the same verbs for every method: package dro
// decides what the weights are and how the method's own state moves.
func (r *Run) train() error {
	x, alpha := r.batches.Next(), r.rate()
	batch := batchOf(x, r.losses)
	r.net.Losses(r.losses, Batch{SplitTrain, *x}, r.samplewise)
	r.method.Before(batch)
	r.method.Weights(r.weights, batch)
	r.net.Gradient(r.weights, false)
	norm := r.net.Step(r.rule(alpha))
	r.step++
	r.images += x.N
	r.method.After(r.ownBatch(batch), dro.Step{T: r.step, Rate: alpha, GradNorm: norm})
	r.keepPicked()
	return r.note(norm)
}

// batchOf is what a method sees of a batch.
func batchOf(b *data.Batch, losses []float64) dro.Batch {
	return dro.Batch{Losses: losses[:b.N], Labels: b.Labels, Groups: b.Groups, Index: b.Index}
}

// rule is the x-step at the step size α: SGD's, or that of a method which says
// how far to go.
func (r *Run) rule(alpha float64) Rule {
	s := &r.spec
	return Rule{Advance: r.advance,
		SGD: nn.SGD{LR: alpha, Momentum: s.Momentum, WeightDecay: s.WeightDecay, Clip: r.clip}}
}

// ownBatch returns the batch that the method's state moves on: an independent
// draw at the new x where the method asks for one, else the x-batch.
func (r *Run) ownBatch(x dro.Batch) dro.Batch {
	if !r.method.Fresh() {
		return x
	}
	z := r.draws.Next()
	r.net.SetMode(nn.Probe)
	for from := 0; from < z.N; from += len(r.losses) {
		to := min(from+len(r.losses), z.N)
		r.net.Losses(r.drawn[from:to], Batch{SplitTrain, *z}.Part(from, to), nil)
	}
	r.net.SetMode(nn.Train)
	return batchOf(z, r.drawn)
}

// rate returns the step size α of the current epoch.
func (r *Run) rate() float64 {
	s := &r.spec
	if s.LRDropEpoch > 0 && r.step >= int64(s.LRDropEpoch)*r.meta.StepsPerEpoch {
		return s.LR * s.LRDrop
	}
	return s.LR
}

// keepPicked copies x when the method's output rule has chosen the step that was
// just taken.
func (r *Run) keepPicked() {
	if r.picker != nil && r.picker.Picked().Step == int(r.step) {
		r.net.Pick()
	}
}

// note takes the step into the window and, every log_every steps, into the
// log. It fails when a value that training depends on is not finite.
func (r *Run) note(norm float64) error {
	for i := range r.now {
		r.now[i].Number = Number{}
	}
	r.put("loss", Mean(r.losses))
	r.put("grad_norm", norm)
	r.method.Report(r.put)
	cause := r.broken()
	r.window.Add(r.now)
	if w, ok := r.method.(dro.Warner); ok && cause == nil {
		if text := w.Warning(); text != "" {
			r.warnOnce(text, text)
		}
	}
	if cause == nil && r.step%int64(r.meta.Spec.LogEvery) != 0 && r.step != r.meta.Steps {
		return nil
	}
	e := &StepEvent{Head: r.Head(), Epoch: r.epoch(), Values: slices.Clone(r.now),
		Min: r.window.Min, Max: r.window.Max, ImagesPerSecond: r.speed()}
	r.window = NewWindow(r.now.Names())
	r.last = e
	return errors.Join(r.append(e), cause)
}

// broken says which measure is not finite.
func (r *Run) broken() error {
	for _, v := range r.now {
		if x := v.Float(); v.Applies() && (math.IsNaN(x) || math.IsInf(x, 0)) {
			m, _ := FindMeasure(v.Name) // it is one of StepMeasures
			return &BrokenError{Step: r.step, What: m.Title, Value: x, Cure: r.cure()}
		}
	}
	return nil
}

// What is far from any loss that a network trains with, and from 1, the mean ratio
// at the best z.
const (
	wildLoss  = 1e6
	wildRatio = 1e3
)

// cure says what keeps the numbers finite: the steps of z or those of the weights.
func (r *Run) cure() string {
	if _, ok := r.method.(dro.Dual); !ok || !r.brokenByZ() {
		return "lower lr, or check the data"
	}
	reads := func(key string) bool {
		t, ok := FindSetting(key)
		return ok && t.ReadIn(&r.spec)
	}
	switch {
	case reads("c"):
		return "raise c, take sfk-auto, or narrow the box (lambda_max, eta_min, eta_max)"
	case reads("lr_z"):
		return "lower lr_z, start from a larger lambda, or narrow the box (lambda0, eta_min, eta_max)"
	}
	return "start from a larger lambda, or lower lr"
}

// brokenByZ tells whether the ratios were wild before the losses were.
func (r *Run) brokenByZ() bool {
	wild := func(v Values) bool { return v.Of("mean_ratio").Float() > wildRatio }
	if wild(r.window.Max) || r.last != nil && wild(r.last.Max) { // at steps before
		return true
	}
	own := !r.method.Fresh() || Mean(r.drawn) <= wildLoss
	return Mean(r.losses) <= wildLoss && (own || wild(r.now))
}

// BrokenError says that a run's numbers stopped being finite.
type BrokenError struct {
	Step  int64
	What  string
	Value float64
	Cure  string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("step %d: %s is %v: %s", e.Step, e.What, e.Value, e.Cure)
}
