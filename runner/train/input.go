package train

import (
	"cmp"

	"drolab/dro/nn"
	"drolab/runner"
	"drolab/runner/data"
	"drolab/runner/data/loader"
	"drolab/runner/spec"
)

// The streams of random numbers of a run, besides the stream of the network's initialisation. The
// numbers of a run depend on these values: changing one changes every digest.
const (
	streamBatches = 1
	streamDraws   = 2
)

// input holds the batches of a run, and buffers for the losses and weights that a step computes of
// them. The buffers are made once, so that a step allocates nothing.
type input struct {
	batches         *loader.Loader // x-batches: permutations of the training split, or draws
	draws           *loader.Loader // batches of the method's own: independent draws
	losses, weights []float64      // of the x-batch
	drawn           []float64      // losses of the method's own batch
	piece           loader.Batch   // the piece of the method's own batch under way
}

// close ends the loaders' goroutines. It also serves a run that was only partly built.
func (i *input) close() {
	for _, l := range []*loader.Loader{i.batches, i.draws} {
		if l != nil {
			l.Close()
		}
	}
}

// addLoaders makes the loader of x-batches and the loader of the method's own batches. Every method
// has both, since a checkpoint holds the position of both: a fork may continue with a method that
// draws. Both augment, so that z sees losses as x does.
func (r *Run) addLoaders() (err error) {
	o := r.LoaderOptions(runner.SplitTrain, nn.Train, streamBatches, r.Meta.Spec.Batch)
	r.setSampling(&o)
	newLoader := loader.NewEpochs
	if o.Sampling == loader.Replacement {
		newLoader = loader.NewDraws
	}
	if r.batches, err = newLoader(r.Data.Train, o); err != nil {
		return err
	}
	z := cmp.Or(r.Meta.Spec.BatchZ, r.Meta.Spec.Batch)
	o = r.LoaderOptions(runner.SplitTrain, nn.Probe, streamDraws, z)
	r.setSampling(&o)
	r.drawn = make([]float64, o.Batch)
	o.Ahead = o.Ahead && r.Method.Fresh() // the other methods need its position only
	r.draws, err = loader.NewDraws(r.Data.Train, o)
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
