package runner

import (
	"fmt"
	"math"

	"drolab/dro"
	"drolab/dro/nn"
)

// train is one training step, the same verbs for every algorithm: package dro
// decides what the ratios are and how z moves.
func (r *run) train() error {
	x := r.batches.Next()
	r.net.Losses(r.losses, x.X, x.Labels)
	at := r.dual.Ratios(r.ratios, r.losses)
	r.net.Gradient(r.ratios)
	norm := r.net.Update(r.sgd())
	before := r.dual.Z()
	move := r.dual.Step(r.zLosses(), r.rate())
	r.step++
	r.images += r.meta.Spec.Batch
	r.keepIterate(before, norm, move.Gap)
	return r.note(at, norm, move)
}

// zLosses returns the losses that the z-step looks at: those of an independent
// draw at the new x where the algorithm asks for one, else the x-batch's own.
func (r *run) zLosses() []float64 {
	if !r.dual.FreshBatch() {
		return r.losses
	}
	z := r.draws.Next()
	size := len(z.X) / z.N
	for from := 0; from < z.N; from += r.net.Batch {
		to := min(from+r.net.Batch, z.N)
		r.net.Losses(r.drawn[from:to], z.X[from*size:to*size], z.Labels[from:to])
	}
	return r.drawn
}

// rate returns the step size α of the current epoch.
func (r *run) rate() float64 {
	s := &r.spec
	if s.LRDropEpoch > 0 && r.step >= int64(s.LRDropEpoch)*r.meta.StepsPerEpoch {
		return s.LR * s.LRDrop
	}
	return s.LR
}

func (r *run) sgd() nn.SGD {
	return nn.SGD{LR: r.rate(), Momentum: r.meta.Spec.Momentum, WeightDecay: r.meta.Spec.WeightDecay}
}

// keepIterate remembers (x_{t+1}, z_t) when step t is the best so far by the
// paper's rule. Only Frank-Wolfe has a gap and so an output rule.
func (r *run) keepIterate(z dro.Z, norm, gap float64) {
	if !r.applies[theGap] || !r.rule.Observe(int(r.step), norm, gap) {
		return
	}
	r.iterate = &PaperIterate{Step: r.step, Lambda: Num(z.Lambda), Eta: Num(z.Eta), GradNorm: Num(norm), Gap: Num(gap)}
	for i, p := range r.net.Parameters() {
		copy(r.kept[i].Data, p.Data)
	}
}

// note takes the step into the window and, every log_every steps, into the
// log. It fails when a value that training depends on is not finite.
func (r *run) note(at dro.Eval, norm float64, move dro.Move) error {
	z := r.dual.Z()
	s := sample{theLoss: mean(r.losses), theObjective: at.Value, theLambda: z.Lambda, theEta: z.Eta, theGap: move.Gap,
		theGamma: move.Gamma, theGradNorm: norm, theMeanRatio: at.MeanRatio, theDivergence: at.Divergence}
	r.window.add(&s, &r.applies)
	cause := r.broken(&s)
	if cause == nil && r.step%int64(r.meta.Spec.LogEvery) != 0 && r.step != r.meta.Steps {
		return nil
	}
	now := s.numbers(&r.applies)
	e := &StepEvent{Head: r.head(), Epoch: r.epoch(), Measures: measuresOf(&now),
		Min: measuresOf(&r.window.Min), Max: measuresOf(&r.window.Max), ImagesPerSecond: r.speed()}
	r.window = Window{}
	r.last = e
	if err := r.append(e); err != nil {
		return err
	}
	if cause == nil && r.applies[theLambda] && s[theMeanRatio] == 0 {
		r.warnOnce("every likelihood ratio of a batch is 0, so the network got no gradient: raise c or lower eta")
	}
	return cause
}

// broken says which measure is not finite.
func (r *run) broken(s *sample) error {
	names := [measures]string{"loss", "dual objective", "lambda", "eta", "Frank-Wolfe gap", "gamma", "gradient norm", "mean ratio", "divergence"}
	for i, x := range s {
		if r.applies[i] && (math.IsNaN(x) || math.IsInf(x, 0)) {
			return &BrokenError{Step: r.step, What: names[i], Value: x}
		}
	}
	return nil
}

// BrokenError says that a run's numbers stopped being finite.
type BrokenError struct {
	Step  int64
	What  string
	Value float64
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("step %d: %s is %v: lower lr, or check the data", e.Step, e.What, e.Value)
}

func mean(xs []float64) float64 {
	var sum float64
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs))
}
