package data

import (
	"fmt"
	"math/rand/v2"
)

// A Batch is N samples. It belongs to its loader and is valid until the next call of Next.
type Batch struct {
	X      []float32 // [N][C][H][W], normalised
	Labels []int     // [N]
	Groups []int     // [N]
	Index  []int     // [N], the samples' indices in the source
	N      int
}

// LoaderOptions configures a loader.
type LoaderOptions struct {
	Batch     int       // samples a batch, at least 1
	Augment   Augment   // images only; ignored by NewSequential
	Mean, Std []float32 // one value a channel: x = (v − mean)/std; both nil: x = v
	Seed      uint64    // of the run
	Stream    uint64    // tells apart the loaders of one run (x-batches, z-batches)
}

// A Loader makes batches from a source. It is for one goroutine; loaders may share a source.
//
// Order, draws and augmentation of a batch depend on (seed, stream, epoch, step) and on nothing that went before.
type Loader struct {
	src  Source
	kind kind
	opt  LoaderOptions
	norm *normaliser
	rng  *rand.Rand
	pcg  *rand.PCG

	epoch, step uint64   // of the next batch
	order       []uint32 // epochs only: the permutation of orderOf
	orderOf     uint64   // epoch+1 that order holds; 0: none yet
	batch       Batch
	room        Batch // full-size backing of batch
}

// kind says how a loader picks the samples of a batch.
type kind string

const (
	epochs     kind = "epochs"
	draws      kind = "draws"
	sequential kind = "sequential"
)

// NewEpochs gives a loader that goes through src in a fresh random order every epoch, without replacement. The last
// batch of an epoch, if incomplete, is dropped. It keeps 4 bytes a sample for the order, drawn once an epoch in
// O(Len); a batch costs the same at every Len.
func NewEpochs(src Source, o LoaderOptions) (*Loader, error) {
	if src.Len() < o.Batch {
		return nil, fmt.Errorf("batch is %d but there are %d training samples: lower batch or raise samples", o.Batch, src.Len())
	}
	return newLoader(src, epochs, o)
}

// NewDraws gives a loader whose samples are independent uniform draws with replacement.
func NewDraws(src Source, o LoaderOptions) (*Loader, error) { return newLoader(src, draws, o) }

// NewSequential gives a loader for evaluation: src in order, no augmentation, the incomplete last batch included;
// then from the start again.
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
	norm, err := newNormaliser(src, o)
	if err != nil {
		return nil, err
	}
	pcg := rand.NewPCG(0, 0)
	l := &Loader{src: src, kind: k, opt: o, norm: norm, pcg: pcg, rng: rand.New(pcg)}
	n := min(o.Batch, src.Len())
	if k == draws {
		n = o.Batch
	}
	l.room = Batch{X: make([]float32, n*src.Shape().Len()), Labels: make([]int, n), Groups: make([]int, n), Index: make([]int, n)}
	if k == epochs {
		l.order = make([]uint32, src.Len())
	}
	return l, nil
}

// StepsPerEpoch is the number of batches that go through the source once (for draws: that hold as many samples as it
// does), at least 1.
func (l *Loader) StepsPerEpoch() int {
	n, b := l.src.Len(), l.opt.Batch
	if l.kind == sequential {
		return (n-1)/b + 1
	}
	return max(1, n/b)
}

// Next gives the next batch. It does not allocate.
func (l *Loader) Next() *Batch {
	b := l.resize(l.count())
	l.reseed(purposeBatch, l.epoch, l.step)
	l.pick(b.Index)
	size := l.src.Shape().Len()
	for j, i := range b.Index {
		b.Labels[j], b.Groups[j] = l.src.Label(i), l.src.Group(i)
		l.norm.sampleTo(b.X[j*size:(j+1)*size], i, l.rng)
	}
	if l.step++; l.step == uint64(l.StepsPerEpoch()) {
		l.epoch, l.step = l.epoch+1, 0
	}
	return b
}

// count is the number of samples of the next batch.
func (l *Loader) count() int {
	if l.kind == sequential {
		return min(l.opt.Batch, l.src.Len()-int(l.step)*l.opt.Batch)
	}
	return l.opt.Batch
}

func (l *Loader) resize(n int) *Batch {
	r := &l.room
	l.batch = Batch{r.X[:n*l.src.Shape().Len()], r.Labels[:n], r.Groups[:n], r.Index[:n], n}
	return &l.batch
}

// reseed starts the random stream of one purpose at one place.
func (l *Loader) reseed(purpose, epoch, step uint64) {
	l.pcg.Seed(mix(purpose, l.opt.Seed, l.opt.Stream), mix(epoch, step))
}

// pick writes the indices of the next batch.
func (l *Loader) pick(index []int) {
	first := int(l.step) * l.opt.Batch
	switch l.kind {
	case epochs:
		l.shuffle()
		for j := range index {
			index[j] = int(l.order[first+j])
		}
	case draws:
		for j := range index {
			index[j] = int(l.rng.Uint64N(uint64(l.src.Len())))
		}
	case sequential:
		for j := range index {
			index[j] = first + j
		}
	}
}

// shuffle makes order the permutation of the current epoch, and leaves the generator at the start of the batch.
func (l *Loader) shuffle() {
	if l.orderOf == l.epoch+1 {
		return
	}
	l.reseed(purposeShuffle, l.epoch, 0)
	for i := range l.order { // Fisher-Yates, inside out
		j := l.rng.Uint64N(uint64(i) + 1)
		l.order[i] = l.order[j]
		l.order[j] = uint32(i)
	}
	l.orderOf = l.epoch + 1
	l.reseed(purposeBatch, l.epoch, l.step)
}

// State is a loader's place, enough to go on exactly from there with the same source and options. It marshals as JSON.
type State struct {
	Kind    string `json:"kind"`
	Samples int    `json:"samples"`
	Batch   int    `json:"batch"`
	Seed    uint64 `json:"seed"`
	Stream  uint64 `json:"stream"`
	Epoch   uint64 `json:"epoch"` // of the next batch
	Step    uint64 `json:"step"`  // of the next batch, within the epoch
}

// State gives the place of the next batch.
func (l *Loader) State() State {
	return State{string(l.kind), l.src.Len(), l.opt.Batch, l.opt.Seed, l.opt.Stream, l.epoch, l.step}
}

// Restore goes to a place that State gave. It refuses the state of another kind of loader, source size, batch size,
// seed or stream, since the batches would differ.
func (l *Loader) Restore(s State) error {
	want := l.State()
	want.Epoch, want.Step = s.Epoch, s.Step
	if s != want {
		return fmt.Errorf("the loader's state is of %+v, not %+v: resume with the data and settings that it was saved with", s, want)
	}
	if s.Step >= uint64(l.StepsPerEpoch()) {
		return fmt.Errorf("the loader's state is at step %d of an epoch of %d steps: the checkpoint is damaged", s.Step, l.StepsPerEpoch())
	}
	l.epoch, l.step = s.Epoch, s.Step
	return nil
}
