package spec

import (
	"math"

	"drolab/dro/nn"
)

// stepSchedule is the first of the schedules.
const stepSchedule = "step"

// schedules lists how lr may change: step multiplies it by lr_drop once lr_drop_epoch epochs are
// done, cosine and linear take it to 0 at the end of the run, constant leaves it.
func schedules() []string { return []string{stepSchedule, "cosine", "linear", "constant"} }

// Rate returns the step size α of the next step, given the number of steps taken, per epoch and in
// all. In the W steps of warmup it is lr (step+1)/W; cosine and linear fall over the remaining
// steps (math.md §5).
func (s *Spec) Rate(step, perEpoch, steps int64) float64 {
	warm := int64(s.Warmup) * perEpoch
	if step < warm {
		return s.LR * float64(step+1) / float64(warm)
	}
	done := min(1, float64(step-warm)/float64(steps-warm)) // a script may take more steps
	switch {
	case s.Schedule == "cosine":
		return s.LR * (1 + math.Cos(math.Pi*done)) / 2
	case s.Schedule == "linear":
		return s.LR * (1 - done)
	case s.Drops() && step >= int64(s.LRDropEpoch)*perEpoch:
		return s.LR * s.LRDrop
	}
	return s.LR
}

// Drops reports whether lr is to be multiplied by lr_drop at some time.
func (s *Spec) Drops() bool { return s.Schedule == stepSchedule && s.LRDropEpoch > 0 }

// Adam returns the settings of AdamW if that is the optimizer of s, else nil.
func (s *Spec) Adam() *nn.AdamW {
	if s.Optimizer != nn.AdamWName {
		return nil
	}
	return &nn.AdamW{Beta1: s.Beta1, Beta2: s.Beta2, Eps: s.AdamEps}
}
