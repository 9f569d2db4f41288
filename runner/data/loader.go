package data

import "fmt"

// A Batch is N samples. It belongs to its loader and is valid until the next call of Next.
type Batch struct {
	X      []float32 // [N][C][H][W], normalised; with At, the memory in which the samples lie
	At     []int32   // [N], where in X each sample begins; nil: one after the other
	Next   []int32   // At of the epoch's next batch, if there is one and At is not nil
	Labels []int     // [N]
	Groups []int     // [N]
	Index  []int     // [N], the samples' indices in the source
	N      int
	Epoch  uint64 // the pass over the source that it belongs to, from 0
}

// LoaderOptions configures a loader.
type LoaderOptions struct {
	Batch     int       // samples a batch, at least 1
	Sampling  Sampling  // how they are chosen; ignored by NewSequential
	Augment   Augment   // images only; ignored by NewSequential
	Mean, Std []float32 // one value a channel: x = (v − mean)/std; both nil: x = v
	Seed      uint64    // of the run
	Stream    uint64    // tells apart the loaders of one run (x-batches, z-batches)
	// Ahead makes the next batch on a goroutine of the loader while the caller works on the current
	// one. The batches are the same, they take twice the memory, and the loader must be closed.
	Ahead bool
	// Each runs f(0) to f(n-1) on the threads of the caller's own work. It returns when all calls
	// are done, and panics if one panics. The loader uses it to copy samples that are numbers
	// already, when the caller asks for them and not ahead: handing such a batch from core to core
	// takes as long as making it. Nil: there are no such threads.
	Each func(n int, f func(i int))
	// InPlace leaves samples where they are, at any address, if they lie in memory as they are
	// wanted; see Batch.At.
	InPlace bool
	// IndexOnly makes batches without values, for a trainer that reads the samples itself. The
	// samples are the same as with values.
	IndexOnly bool
	// Announce, if not nil, is told the samples of batches that will be asked for, each batch once
	// and in order. Making a batch announces the two batches after it; a loader of NewSequential
	// announces no batch of the next pass. The indices are valid until Announce returns. It needs
	// IndexOnly.
	Announce func(epoch uint64, index []int)
}

// A Loader makes batches from a source. It is for one goroutine; loaders may share a source.
//
// Order, draws and augmentation of a batch depend on (seed, stream, epoch, step) and on nothing
// that went before.
type Loader struct {
	maker *maker
	next  place  // of the batch that Next gives
	room  Batch  // full-size memory of one batch
	batch Batch  // the part of room that is in use
	ahead *ahead // nil: a batch is made when it is asked for

	coming coming
}

// place is where a batch stands in a loader's sequence.
type place struct{ epoch, step uint64 }

// kind says how a loader picks the samples of a batch.
type kind string

const (
	epochs     kind = "epochs"
	draws      kind = "draws"
	sequential kind = "sequential"
)

// NewEpochs gives a loader that goes through src in a fresh random order every epoch, without
// replacement. The last batch of an epoch, if incomplete, is dropped. It keeps 4 bytes a sample for
// the order, drawn once an epoch in O(Len); a batch costs the same at every Len.
func NewEpochs(src Source, o LoaderOptions) (*Loader, error) {
	if src.Len() < o.Batch {
		return nil, fmt.Errorf(
			"batch is %d but there are %d training samples: lower batch or raise samples",
			o.Batch, src.Len())
	}
	return newLoader(src, epochs, o)
}

// NewDraws gives a loader whose samples are independent uniform draws with replacement.
func NewDraws(src Source, o LoaderOptions) (*Loader, error) { return newLoader(src, draws, o) }

// NewSequential gives a loader for evaluation: src in order, no augmentation, the incomplete last
// batch included; then from the start again.
func NewSequential(src Source, o LoaderOptions) (*Loader, error) {
	o.Augment = Augment{}
	return newLoader(src, sequential, o)
}

func newLoader(src Source, k kind, o LoaderOptions) (*Loader, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("batch is %d: give at least 1", o.Batch)
	}
	if src.Len() < 1 || uint64(src.Len()) > 1<<32 {
		return nil, fmt.Errorf("a loader takes 1 to 2³² samples, not %d", src.Len())
	}
	if o.IndexOnly {
		o.Ahead, o.Each, o.InPlace = false, nil, false
		o.Mean, o.Std, o.Augment = nil, nil, Augment{}
	}
	norm, err := newNormaliser(src, o)
	if err != nil {
		return nil, err
	}
	l := &Loader{maker: newMaker(src, k, o, norm)}
	l.room = l.maker.newRoom()
	if o.Ahead && !l.maker.shared() && l.maker.lie.x == nil {
		l.ahead = startAhead(l.maker)
	}
	return l, nil
}

// StepsPerEpoch returns the number of batches in one pass over the source, at least 1. For draws, a
// pass is as many samples as the source has.
func (l *Loader) StepsPerEpoch() int { return l.maker.stepsPerEpoch() }

// Next gives the next batch. It does not allocate.
func (l *Loader) Next() *Batch {
	if l.ahead != nil {
		l.batch = l.ahead.take(l.next, &l.room)
	} else {
		l.batch = l.maker.make(&l.room, l.next)
	}
	l.batch.Epoch = l.next.epoch
	l.next = l.maker.after(l.next)
	if l.maker.opt.Announce != nil {
		l.announce()
	}
	return &l.batch
}

// Close ends the goroutine of a loader that works ahead. The loader then makes batches when they
// are asked for.
func (l *Loader) Close() {
	if l.ahead != nil {
		l.ahead.stop()
		l.ahead = nil
	}
}

// State is a loader's place, enough to go on exactly from there with the same source and options.
// It marshals as JSON.
type State struct {
	Kind    string `json:"kind"`
	Samples int    `json:"samples"`
	Batch   int    `json:"batch"`
	Seed    uint64 `json:"seed"`
	Stream  uint64 `json:"stream"`
	Epoch   uint64 `json:"epoch"` // of the next batch
	Step    uint64 `json:"step"`  // of the next batch, within the epoch
}

// State gives the place of the next batch, the one that Next will give: a batch made ahead does not
// count.
func (l *Loader) State() State {
	m := l.maker
	return State{string(m.kind), m.src.Len(), m.opt.Batch, m.opt.Seed, m.opt.Stream, l.next.epoch,
		l.next.step}
}

// Restore goes to a place that State gave. It refuses the state of another kind of loader, source
// size, batch size, seed or stream, since the batches would differ.
func (l *Loader) Restore(s State) error {
	want := l.State()
	want.Epoch, want.Step = s.Epoch, s.Step
	if s != want {
		return fmt.Errorf(
			"the loader's state is of %+v, not %+v: "+
				"resume with the data and settings that it was saved with",
			s, want)
	}
	if s.Step >= uint64(l.StepsPerEpoch()) {
		return fmt.Errorf(
			"the loader's state is at step %d of an epoch of %d steps: the checkpoint is damaged",
			s.Step, l.StepsPerEpoch())
	}
	l.next, l.coming.to = place{s.Epoch, s.Step}, nil
	return nil
}
