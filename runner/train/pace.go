package train

import (
	"math"
	"time"

	"drolab/dro"
	"drolab/runner/spec"
)

// ForwardShare is the usual cost of a forward pass, relative to a training step of ERM on the same
// number of samples. The multiplications alone would make it 1/3, since a backward pass has twice
// the multiplications of a forward pass.
const ForwardShare = 0.353

// StepCost returns the usual cost of a method's step, relative to a step of ERM; 1 for an unknown
// method.
func StepCost(a dro.Algorithm) float64 {
	m, err := dro.Find(a)
	if err != nil {
		return 1
	}
	return m.StepCost()
}

// Pace is the speed at which a machine processes samples. All fields but Images are relative to a
// training step of ERM, so that figures of one machine serve for another.
type Pace struct {
	Images  float64                       // samples a second, in training steps of ERM
	Forward float64                       // cost of a forward pass, relative to such a step
	Step    func(a dro.Algorithm) float64 // cost of a step, likewise
}

// UsualPace returns the pace of a machine of which only the number of samples a second in training
// with ERM is known.
func UsualPace(images float64) Pace { return Pace{images, ForwardShare, StepCost} }

// Seconds estimates the time of all runs of the specs one after another, with their evaluations and
// full gradients. train is the number of training samples without the samples held out, test the
// number of test samples. The estimate excludes writing to the disk and opening the data.
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

// gradientEvery returns the number of epochs between full gradients, which are part of an
// evaluation; 0 means only at the end. It is exact if one of the two settings divides the other.
func gradientEvery(s *spec.Spec) int {
	if s.EvalEvery == 0 || s.CertifyEvery == 0 {
		return 0
	}
	return max(s.EvalEvery, s.CertifyEvery)
}

// occasions returns the number of times that something happens which is due every so many epochs
// and at the end; if every is 0, only at the end.
func occasions(epochs, every int) float64 {
	if every <= 0 {
		return 1
	}
	return math.Ceil(float64(epochs) / float64(every))
}

// Pace returns the measured pace, for batches of the given size.
func (t *StepTimes) Pace(batch int) Pace {
	relative := func(d time.Duration) float64 { return d.Seconds() / t.Train.Seconds() }
	step := func(a dro.Algorithm) float64 {
		if d, ok := t.Steps[a]; ok {
			return relative(d)
		}
		return StepCost(a)
	}
	images := float64(batch) / (t.Train.Seconds() * max(1, t.Stretch))
	return Pace{images, relative(t.Forward), step}
}
