package train

import (
	"math"
	"time"

	"drolab/dro"
	"drolab/runner/spec"
)

// ForwardShare is the usual cost of a forward pass, relative to that of a
// training step of ERM on as many samples. The multiplications alone
// would make it 1/3: a backward pass has twice those of a forward one.
const ForwardShare = 0.353

// StepCost is the usual cost of a method's step, relative to ERM's; 1 for a method
// that is not known.
func StepCost(a dro.Algorithm) float64 {
	m, err := dro.Find(a)
	if err != nil {
		return 1
	}
	return m.StepCost()
}

// Pace is how fast a machine goes through samples. All but Images is relative to a
// training step of ERM, so that figures of one machine serve for another.
type Pace struct {
	Images  float64                       // a second, in training steps of ERM
	Forward float64                       // cost of a forward pass, relative to such a step
	Step    func(a dro.Algorithm) float64 // cost of a step, likewise
}

// UsualPace is the pace of a machine of which no more is known than how many
// samples a second it trains on with ERM.
func UsualPace(images float64) Pace { return Pace{images, ForwardShare, StepCost} }

// Pace returns the pace that was measured, in batches of the given size.
func (t *StepTimes) Pace(batch int) Pace {
	relative := func(d time.Duration) float64 { return d.Seconds() / t.Train.Seconds() }
	step := func(a dro.Algorithm) float64 {
		if d, ok := t.Steps[a]; ok {
			return relative(d)
		}
		return StepCost(a)
	}
	return Pace{float64(batch) / t.Train.Seconds(), relative(t.Forward), step}
}

// Seconds estimates the time of all runs of the specs one after another, with
// their evaluations and full gradients, from the samples of the training split,
// what is held out apart, and of the test split. Both are in samples. What is written
// to the disk is not in it, nor is the opening of data.
func (p Pace) Seconds(specs []spec.Spec, train, test float64) float64 {
	work := 0.0
	for i := range specs {
		s := &specs[i]
		batch := float64(s.Batch)
		all := train/(1-s.ValFraction) + test
		work += float64(s.Epochs) * math.Floor(train/batch) * batch * p.Step(s.Algorithm())
		work += occasions(s.Epochs, s.EvalEvery) * all * p.Forward
		work += occasions(s.Epochs, gradientEvery(s)) * train
	}
	return work / p.Images
}

// gradientEvery is the number of epochs between full gradients, which are part
// of an evaluation; 0 is only at the end. It is exact where one of the two
// settings divides the other.
func gradientEvery(s *spec.Spec) int {
	if s.EvalEvery == 0 || s.CertifyEvery == 0 {
		return 0
	}
	return max(s.EvalEvery, s.CertifyEvery)
}

// occasions is how often something comes that is due every so many epochs, 0
// being never, and at the end.
func occasions(epochs, every int) float64 {
	if every <= 0 {
		return 1
	}
	return math.Ceil(float64(epochs) / float64(every))
}
