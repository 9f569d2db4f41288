package train

import (
	"cmp"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/spec"
)

// Streams of random numbers of one run, beside the network's initialisation. They are
// part of what a run's numbers depend on: another value makes every digest another one.
const (
	streamBatches = 1
	streamDraws   = 2
)

// input is the batches of a run, and room for what a step computes of them: made
// once, so that a step allocates nothing.
type input struct {
	batches         Sampler    // x-batches: permutations of the training split
	draws           Sampler    // batches of the method's own: independent draws
	losses, weights []float64  // of the x-batch
	drawn           []float64  // losses of the method's own batch
	part            data.Batch // the piece of the method's own batch under way
}

// Sampler gives batches, and their place among them for checkpoints: a data.Loader, or a script.
type Sampler interface {
	Next() *data.Batch
	State() data.State
	Restore(data.State) error
	Close()
}

// close ends the loaders' goroutines. It is for a run that was half built, too.
func (i *input) close() {
	for _, l := range []Sampler{i.batches, i.draws} {
		if l != nil {
			l.Close()
		}
	}
}

// addLoaders makes the loaders of x-batches and of the method's own. Both are there
// for every method, since a checkpoint has the place of both: a fork may go on with a
// method that draws. The augmentation is of both, so that z sees losses as x does.
func (r *Run) addLoaders() (err error) {
	if r.leader != nil {
		r.batches, r.draws = r.leader.Batches(), r.leader.Draws()
		return nil
	}
	o := r.LoaderOptions(runner.SplitTrain, nn.Train, streamBatches, r.Meta.Spec.Batch)
	r.vary(&o)
	batches, err := data.NewEpochs(r.Data.Train, o)
	if err != nil {
		return err
	}
	r.batches = batches
	z := cmp.Or(r.Meta.Spec.BatchZ, r.Meta.Spec.Batch)
	o = r.LoaderOptions(runner.SplitTrain, nn.Probe, streamDraws, z)
	r.vary(&o)
	r.drawn = make([]float64, o.Batch)
	o.Ahead = o.Ahead && r.Method.Fresh() // for the others it is a place and no more
	draws, err := data.NewDraws(r.Data.Train, o)
	if err == nil { // an interface that holds a nil pointer is not nil
		r.draws = draws
	}
	return err
}

// vary makes training batches random, as the spec, the method and the data say.
func (r *Run) vary(o *data.LoaderOptions) {
	o.Sampling = r.Method.sampling
	if r.Meta.Spec.Augment {
		o.Augment = r.Data.Augment
		o.Augment.Mean = r.Meta.Spec.Pad == "mean"
	}
}

// LoaderOptions returns the options of a loader for a split, which the network looks at
// in a mode: normalised as the run does it, by the run's seed, and read as its network
// wants them. They augment nothing.
func (r *Run) LoaderOptions(
	split string, mode nn.Mode, stream uint64, batch int,
) data.LoaderOptions {
	o := loaderOptions(&r.Meta.Spec, r.Data)
	o.Batch, o.Stream = batch, stream
	r.Net.Feed(split, mode, &o)
	return o
}

// loaderOptions says how samples are normalised, and where chance begins. A mean that
// the spec states goes before the dataset's customary one.
func loaderOptions(s *spec.Spec, d *data.Dataset) data.LoaderOptions {
	o := data.LoaderOptions{Mean: d.Mean, Std: d.Std, Seed: s.Seed}
	if len(s.Mean) > 0 {
		o.Mean, o.Std = float32s(s.Mean), float32s(s.Std)
	}
	return o
}

func float32s(xs []float64) []float32 {
	ys := make([]float32, len(xs))
	for i, x := range xs {
		ys[i] = float32(x)
	}
	return ys
}
