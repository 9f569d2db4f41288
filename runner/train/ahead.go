package train

import (
	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
)

// Stepper is implemented by a Network that can take a whole step by itself, with the weights of a
// form. The calls of a step are Begin, TakeStep, Draw if the method draws, and Results. Only
// Results waits for the network, so the Begin of the next step may come before it.
type Stepper interface {
	// Steps reports whether the network computes the weights of a kind of form.
	Steps(kind string) bool
	// Begin computes the losses of a batch, in mode Train.
	Begin(Batch)
	// TakeStep weighs the losses of the last Begin by a form, and takes the step. If keep is set, a
	// Pick after Results keeps the network as it was after the step, even if the next step has
	// begun.
	TakeStep(f dro.Form, b Batch, r Rule, keep bool)
	// Draw computes the losses of samples of the method's own draw, in mode Probe. They follow
	// those of earlier calls of the same step.
	Draw(Batch)
	// Results writes the losses of the step and of its draw, and returns what Learner.Step does.
	Results(losses, drawn []float64) (norm float64, taken bool)
}

// begunStep holds what a run with a Stepper has begun.
type begunStep struct {
	stepper Stepper         // nil: the weights come from drolab
	begun   bool            // the next step has its batch, and the network has it
	at      int             // which of the two batches is the next step's
	batch   [2]loader.Batch // copies: a sampler uses the memory of its batches again
	numbers []float64       // memory for those of forms
}

// beginStep has the network begin the next step.
func (r *Run) beginStep() {
	x := r.batches.Next()
	r.at = 1 - r.at
	b := &r.batch[r.at]
	*b = loader.Batch{N: x.N, Epoch: x.Epoch, Labels: append(b.Labels[:0], x.Labels...),
		Groups: append(b.Groups[:0], x.Groups...), Index: append(b.Index[:0], x.Index...)}
	r.stepper.Begin(Batch{runner.SplitTrain, nn.Train, b})
	r.begun = true
}

// trainByForm is train for a network that computes the weights itself. The next step begins before
// this one's results are there, so that the network never waits for drolab.
func (r *Run) trainByForm(f dro.Form) error {
	if !r.begun {
		r.beginStep()
	}
	x, alpha := &r.batch[r.at], r.rate()
	keep := r.Method.Picker != nil
	r.stepper.TakeStep(f, Batch{runner.SplitTrain, nn.Train, x}, r.stepRule(alpha), keep)
	batch := batchOf(x, r.losses)
	own, drawn := batch, []float64(nil)
	if r.Method.Fresh() {
		z := r.draws.Next()
		own, drawn = batchOf(z, r.drawn), r.drawn
		probe := Batch{runner.SplitTrain, nn.Probe, z}
		for from := 0; from < z.N; from += x.N {
			r.stepper.Draw(probe.Part(&r.piece, from, min(from+x.N, z.N)))
		}
	}
	r.begun = false
	if r.onlyStepFollows() {
		r.beginStep()
	}
	norm, taken := r.stepper.Results(r.losses, drawn)
	if err := r.Net.Err(); err != nil {
		return r.atStep(err)
	}
	r.Weigh(batch) // for the method's state and measures: the network has its weights already
	if !taken {
		return r.Skipped()
	}
	return r.Stepped(own, alpha, measure.Num(norm))
}

// onlyStepFollows reports whether nothing can come between this step and the next: an evaluation or
// a checkpoint there would see what the next step's forward pass has changed, such as running
// statistics and generators. An order that arrives later waits for one more step.
func (r *Run) onlyStepFollows() bool {
	next := r.step + 1
	return next < r.Meta.Steps && next%r.Meta.StepsPerEpoch != 0 && !r.Meta.SavesAt(next) &&
		next != r.Until && !r.Gate.HasNext()
}
