package train

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/measure"
	"drolab/runner/spec"
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
	r.losses, r.weights = resized(r.losses, x.N), resized(r.weights, x.N)
	batch := batchOf(x, r.losses)
	r.Net.Losses(r.losses, Batch{runner.SplitTrain, nn.Train, x}, r.Method.samplewise)
	if err := r.Net.Err(); err != nil { // no method accepts NaN as a loss
		return r.atStep(err)
	}
	r.Method.Before(batch)
	r.Method.Weights(r.weights, batch)
	r.Net.Gradient(r.weights, false)
	norm, taken := r.Net.Step(r.stepRule(alpha))
	measured := taken
	if r.leader != nil {
		var err error
		if alpha, measured, err = r.leader.LastStep(); err != nil {
			return err
		}
	}
	r.step++
	r.images += x.N
	if taken {
		r.after(r.ownBatch(batch), alpha, norm)
	}
	return r.finishStep(measure.NumIf(measured, norm))
}

// after moves the method's state by its batch, once x has moved.
func (r *Run) after(own dro.Batch, alpha, norm float64) {
	r.Method.After(own, dro.Step{T: r.step, Rate: alpha, GradNorm: norm})
	r.keepPicked()
}

// finishStep hears what the network has to say of a step, and measures it.
func (r *Run) finishStep(norm measure.Number) error {
	if err := r.Net.Err(); err != nil {
		return r.atStep(err)
	}
	if err := r.readLogged(); err != nil {
		return r.atStep(err)
	}
	return r.reportStep(norm)
}

// resized returns memory for n numbers: x, if its capacity allows. Only a script's batches differ
// in size.
func resized(x []float64, n int) []float64 { return slices.Grow(x[:0], n)[:n] }

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
	r.drawn = resized(r.drawn, z.N)
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

// The streams of random numbers of a run, besides the stream of the network's initialisation. The
// numbers of a run depend on these values: changing one changes every digest.
const (
	streamBatches = 1
	streamDraws   = 2
)

// input holds the batches of a run, and buffers for the losses and weights that a step computes of
// them. The buffers are made once, so that a step allocates nothing.
type input struct {
	batches         Sampler      // x-batches: permutations of the training split, or draws
	draws           Sampler      // batches of the method's own: independent draws
	losses, weights []float64    // of the x-batch
	drawn           []float64    // losses of the method's own batch
	piece           loader.Batch // the piece of the method's own batch under way
}

// Sampler is a source of batches with a position for checkpoints: a loader.Loader, or a script.
type Sampler interface {
	Next() *loader.Batch
	State() loader.State
	Restore(loader.State) error
	Close()
}

// close ends the loaders' goroutines. It also serves a run that was only partly built.
func (i *input) close() {
	for _, l := range []Sampler{i.batches, i.draws} {
		if l != nil {
			l.Close()
		}
	}
}

// addLoaders makes the loader of x-batches and the loader of the method's own batches. Every method
// has both, since a checkpoint holds the position of both: a fork may continue with a method that
// draws. Both augment, so that z sees losses as x does.
func (r *Run) addLoaders() (err error) {
	if r.leader != nil {
		r.batches, r.draws = r.leader.Batches(), r.leader.Draws()
		return nil
	}
	o := r.LoaderOptions(runner.SplitTrain, nn.Train, streamBatches, r.Meta.Spec.Batch)
	r.setSampling(&o)
	newLoader := loader.NewEpochs
	if o.Sampling == loader.Replacement {
		newLoader = loader.NewDraws
	}
	batches, err := newLoader(r.Data.Train, o)
	if err != nil {
		return err
	}
	r.batches = batches
	z := cmp.Or(r.Meta.Spec.BatchZ, r.Meta.Spec.Batch)
	o = r.LoaderOptions(runner.SplitTrain, nn.Probe, streamDraws, z)
	r.setSampling(&o)
	r.drawn = make([]float64, o.Batch)
	o.Ahead = o.Ahead && r.Method.Fresh() // the other methods need its position only
	draws, err := loader.NewDraws(r.Data.Train, o)
	if err == nil { // an interface that holds a nil pointer is not nil
		r.draws = draws
	}
	return err
}

// setSampling sets the sampling and the augmentation of training batches, as the spec, the method
// and the data ask for.
func (r *Run) setSampling(o *loader.Options) {
	o.Sampling = r.Method.sampling
	if r.Meta.Spec.Augment {
		o.Augment = r.Data.Augment
		o.Augment.Mean = r.Meta.Spec.Pad == "mean"
	}
}

// LoaderOptions returns the options of a loader for a split whose batches the network reads in the
// given mode. The samples are normalised as in the run, drawn by the run's seed, and read as the
// network wants them. The options do not augment.
func (r *Run) LoaderOptions(
	split string, mode nn.Mode, stream uint64, batch int,
) loader.Options {
	o := loaderOptions(&r.Meta.Spec, r.Data)
	o.Batch, o.Stream = batch, stream
	r.Net.Feed(split, mode, &o)
	return o
}

// loaderOptions returns options with the normalisation and the seed.
func loaderOptions(s *spec.Spec, d *data.Dataset) loader.Options {
	mean, std := s.Normalisation(d.Mean, d.Std)
	return loader.Options{Mean: mean, Std: std, Seed: s.Seed}
}

// Turn implements Waiting: it changes a setting on request. The event is in the log before the
// run uses the new value, so that a resume knows the settings of every step.
func (r *Run) Turn(key, value string) error {
	next := r.spec
	e, err := ChangeKnob(&next, key, value, r.Head())
	if err != nil {
		return err
	}
	if err := r.append(e); err != nil {
		return err
	}
	r.Knobs = slices.DeleteFunc(r.Knobs, func(lost runner.KnobEvent) bool {
		return lost.Key == key && lost.Step > r.step
	})
	return r.useSpec(next)
}

// replay repeats earlier changes of knobs, at the steps up to this one. It writes no event: the log
// has the events of the lost part, and they count again.
func (r *Run) replay(step int64) error {
	for len(r.Knobs) > 0 && r.Knobs[0].Step <= step {
		k := r.Knobs[0]
		r.Knobs = r.Knobs[1:]
		next := r.spec
		if err := k.Apply(&next); err != nil {
			return fmt.Errorf("step %d: repeating a change of a setting: %w", k.Step, err)
		}
		if err := r.useSpec(next); err != nil {
			return err
		}
	}
	return nil
}

// useSpec makes s the run's spec. The method's state stays, but a z outside the new box is moved
// into it. After an error the run is unchanged.
func (r *Run) useSpec(s spec.Spec) error {
	m, err := newMethod(&s, &r.Meta.Parts, data.KeysOf(r.Data.Train))
	if err != nil {
		return err
	}
	if err := m.Restore(r.Method.State()); err != nil {
		return err
	}
	if d, ok := m.Trainer.(dro.Dual); ok && !m.Problem.Box.Contains(d.Z()) {
		d.Confine()
	}
	r.Method, r.spec = m, s
	return nil
}

// noteEmpty warns of classes and groups without training or test samples: the worst class or group
// is then the worst of the others. It reads the run's own counts, which imbalance, hold-out and the
// setting samples have reduced already. Where no training sample has a known group, nothing is
// known of the training samples of a group, and a group that has some stands for a missing value.
func (r *Run) noteEmpty() {
	p := &r.Meta.Parts
	warn := func(counts []int, names []string, text string, missing func(part int) bool) {
		var list []string
		for i, name := range names {
			if i < len(counts) && counts[i] == 0 && !missing(i) {
				list = append(list, fmt.Sprintf(text, name))
			}
		}
		for _, message := range spec.FirstFew(list) {
			r.warnOnce(text+message, message)
		}
	}
	for _, of := range []struct {
		kind   string
		names  []string
		counts measure.Counts
	}{{"class", p.Classes, p.ClassCounts}, {"group", p.Groups, p.GroupCounts}} {
		ungrouped := of.kind == "group" && p.Ungrouped
		warn(of.counts.Train, of.names,
			of.kind+" %s has no training samples: nothing is learned of it",
			func(int) bool { return ungrouped })
		warn(of.counts.Test, of.names,
			of.kind+" %s has no test samples: its accuracy does not apply, and the worst "+
				of.kind+" is the worst of the others",
			func(part int) bool { return ungrouped && of.counts.Train[part] > 0 })
	}
}

// noteDrop warns if lr is to drop only after the end of the run. It stays silent for the default
// lr_drop_epoch, which nobody asked for and which suits long runs.
func (r *Run) noteDrop() {
	s := &r.Meta.Spec
	usual := spec.Defaults().LRDropEpoch
	if s.Drops() && s.LRDropEpoch >= s.Epochs && s.LRDropEpoch != usual {
		epochs := spec.Plural(s.Epochs, "epoch")
		r.warnOnce("lr_drop_epoch", fmt.Sprintf(
			"lr_drop_epoch is %d and the run has %s: lr never drops", s.LRDropEpoch, epochs))
	}
}
