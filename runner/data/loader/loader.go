package loader

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"drolab/runner/data"
)

// A Batch is N samples. It belongs to its loader and is valid until the next call of Next.
type Batch struct {
	X       []float32 // [N][C][H][W], normalised; with Offsets, the memory in which the samples lie
	Offsets []int32   // [N], where in X each sample begins; nil: one after the other
	Next    []int32   // Offsets of the epoch's next batch, if there is one and Offsets is not nil
	Labels  []int     // [N]
	Groups  []int     // [N]
	Index   []int     // [N], the samples' indices in the source
	N       int
	Epoch   uint64 // the pass over the source that it belongs to, from 0
}

// Options configures a loader.
type Options struct {
	Batch     int          // samples a batch, at least 1
	Sampling  Sampling     // how they are chosen; ignored by NewSequential
	Augment   data.Augment // images only; ignored by NewSequential
	Mean, Std []float32    // one value a channel: x = (v − mean)/std; both nil: x = v
	Seed      uint64       // of the run
	Stream    uint64       // tells apart the loaders of one run (x-batches, z-batches)
	// Ahead makes the next batch on a goroutine of the loader while the caller works on the current
	// one. The batches are the same, they take twice the memory, and the loader must be closed.
	Ahead bool
	// RunOnThreads runs f(0) to f(n-1) on the threads of the caller's own work. It returns when all
	// calls are done, and panics if one panics. The loader uses it to copy samples that are numbers
	// already, when the caller asks for them and not ahead: handing such a batch from core to core
	// takes as long as making it. Nil: there are no such threads.
	RunOnThreads func(n int, f func(i int))
	// InPlace leaves samples where they are, at any address, if they lie in memory as they are
	// wanted; see Batch.Offsets.
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
	maker  *maker
	next   place       // of the batch that Next gives
	buffer Batch       // full-size memory of one batch
	batch  Batch       // the part of buffer that is in use
	ahead  *prefetcher // nil: a batch is made when it is asked for

	unannounced place // the first batch that was not announced yet
	announcing  []int // room for the indices of its samples
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
func NewEpochs(src data.Source, o Options) (*Loader, error) {
	if src.Len() < o.Batch {
		return nil, fmt.Errorf(
			"batch is %d but there are %d training samples: lower batch or raise samples",
			o.Batch, src.Len())
	}
	return newLoader(src, epochs, o)
}

// NewDraws gives a loader whose samples are independent draws with replacement, uniform over the
// samples or as o.Sampling says.
func NewDraws(src data.Source, o Options) (*Loader, error) { return newLoader(src, draws, o) }

// NewSequential gives a loader for evaluation: src in order, no augmentation, the incomplete last
// batch included; then from the start again.
func NewSequential(src data.Source, o Options) (*Loader, error) {
	o.Augment = data.Augment{}
	return newLoader(src, sequential, o)
}

func newLoader(src data.Source, k kind, o Options) (*Loader, error) {
	if o.Batch < 1 {
		return nil, fmt.Errorf("batch is %d: give at least 1", o.Batch)
	}
	if src.Len() < 1 || uint64(src.Len()) > 1<<32 {
		return nil, fmt.Errorf("a loader takes 1 to 2³² samples, not %d", src.Len())
	}
	if o.IndexOnly {
		o.Ahead, o.RunOnThreads, o.InPlace = false, nil, false
		o.Mean, o.Std, o.Augment = nil, nil, data.Augment{}
	}
	norm, err := newNormaliser(src, o)
	if err != nil {
		return nil, err
	}
	l := &Loader{maker: newMaker(src, k, o, norm)}
	l.buffer = l.maker.newBuffer()
	if o.Announce != nil {
		l.announcing = make([]int, l.buffer.N)
	}
	if o.Ahead && !l.maker.shared() && l.maker.inPlace.x == nil {
		l.ahead = &prefetcher{maker: l.maker, spare: l.maker.newBuffer(),
			orders: make(chan place, 1),
			made:   make(chan madeBatch, 1)}
		go l.ahead.work()
	}
	return l, nil
}

// StepsPerEpoch returns the number of batches in one pass over the source, at least 1. For draws, a
// pass is as many samples as the source has.
func (l *Loader) StepsPerEpoch() int { return l.maker.stepsPerEpoch() }

// Next gives the next batch. It does not allocate.
func (l *Loader) Next() *Batch {
	if l.ahead != nil {
		l.batch = l.ahead.next(l.next, &l.buffer)
	} else {
		l.batch = l.maker.make(&l.buffer, l.next)
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
				"resume with the data and settings that it was saved with", s, want)
	}
	if s.Step >= uint64(l.StepsPerEpoch()) {
		return fmt.Errorf(
			"the loader's state is at step %d of an epoch of %d steps: the checkpoint is damaged",
			s.Step, l.StepsPerEpoch())
	}
	l.next = place{s.Epoch, s.Step}
	l.unannounced = l.next
	return nil
}

// Sampling is the way in which training batches choose their samples.
type Sampling string

// These are the ways to sample. A group without samples takes part in none of them.
const (
	// BySample goes through the source in a random order, each sample once an epoch; draws are
	// uniform over samples. The zero value is the same.
	BySample Sampling = "samples"
	// ByGroup draws a group for every place of a batch, each equally likely, and then one of its
	// samples, with replacement. An epoch is as many draws as the source has samples.
	ByGroup Sampling = "groups"
	// Replacement draws every place of a batch independently, each sample equally likely. An epoch
	// is as many draws as the source has samples. The paper's Algorithm 1 samples so.
	Replacement Sampling = "replacement"
	// Subsample cuts every group to the size of the smallest and goes through the remaining samples
	// in a random order; then it cuts the groups anew. An epoch keeps its length, so it takes
	// several such passes and part of another.
	Subsample Sampling = "subsample"
)

// Samplings lists the ways of sampling that a user can choose, the customary one first.
func Samplings() []string {
	return []string{string(BySample), string(ByGroup), string(Replacement)}
}

// groups holds the samples of a source by group, for the ways of sampling that need them.
type groups struct {
	members  [][]uint32 // only of groups that have samples
	smallest int        // the number of samples of the smallest group
	cut      []uint32   // room for one pass through the cut groups
	swaps    []int      // room to undo the swaps that cut a group
}

// newGroups lists the samples of each group. The result is empty if the sampling needs no groups.
func newGroups(src data.Source, by Sampling) (g groups) {
	if by != ByGroup && by != Subsample {
		return g
	}
	at := map[int]int{} // the place of each group in members
	for i := range src.Len() {
		k := src.Group(i)
		if _, known := at[k]; !known {
			at[k] = len(g.members)
			g.members = append(g.members, nil)
		}
		g.members[at[k]] = append(g.members[at[k]], uint32(i))
	}
	g.smallest = src.Len()
	for _, list := range g.members {
		g.smallest = min(g.smallest, len(list))
	}
	if by == Subsample {
		g.cut = make([]uint32, len(g.members)*g.smallest)
		g.swaps = make([]int, g.smallest)
	}
	return g
}

// anyOfGroup draws a group and then a sample of it.
func (m *maker) anyOfGroup() uint32 {
	list := m.groups.members[m.rng.Uint64N(uint64(len(m.groups.members)))]
	return list[m.rng.Uint64N(uint64(len(list)))]
}

// cutGroups draws one pass through groups that are cut to the smallest. It shuffles the first
// places of a group's list and then restores them, since a pass must not depend on earlier passes.
// A copy of the list would take time in proportion to the largest group.
func (m *maker) cutGroups() {
	g := &m.groups
	for k, list := range g.members {
		for i := range g.swaps {
			j := i + int(m.rng.Uint64N(uint64(len(list)-i)))
			list[i], list[j] = list[j], list[i]
			g.swaps[i] = j
		}
		copy(g.cut[k*g.smallest:], list[:g.smallest])
		for i := len(g.swaps) - 1; i >= 0; i-- {
			j := g.swaps[i]
			list[i], list[j] = list[j], list[i]
		}
	}
	for i := len(g.cut) - 1; i > 0; i-- {
		j := m.rng.Uint64N(uint64(i) + 1)
		g.cut[i], g.cut[j] = g.cut[j], g.cut[i]
	}
}

// maker makes the batch of any place, a pure function of the source, the options and the place. It
// is for one goroutine.
type maker struct {
	src  data.Source
	kind kind
	opt  Options
	norm *normaliser
	rng  *rand.Rand
	pcg  *rand.PCG

	orders [2]order // epochs only: of an epoch or, if orders are made ahead, of two in sequence

	inPlace samplePlaces
	groups  groups // the samples of each group, if the sampling needs them

	block int       // samples a task, where threads share a batch
	work  Batch     // the batch that copy works on
	copy  func(int) // copyBlock, bound once
}

// blockBytes is the number of bytes that a task copies, a few microseconds of work.
const blockBytes = 32 << 10

func newMaker(src data.Source, k kind, o Options, norm *normaliser) *maker {
	pcg := rand.NewPCG(0, 0)
	m := &maker{src: src, kind: k, opt: o, norm: norm, pcg: pcg, rng: rand.New(pcg)}
	if k != sequential {
		m.groups = newGroups(src, o.Sampling)
	}
	m.copy = m.copyBlock
	m.block = max(1, blockBytes/max(1, 4*src.Shape().Len()))
	if o.InPlace && norm.img == nil && norm.scale == nil {
		m.inPlace.x, m.inPlace.at = samplesInMemory(src)
		if m.inPlace.x != nil && k != sequential {
			m.inPlace.list(src)
		}
	}
	if k == epochs {
		m.orders[0].list = make([]uint32, src.Len())
		if o.Announce != nil || o.RunOnThreads != nil && m.inPlace.x != nil {
			m.orders[1].list = make([]uint32, src.Len())
		}
	}
	return m
}

// newBuffer gives memory for the largest batch.
func (m *maker) newBuffer() Batch {
	n := min(m.opt.Batch, m.src.Len())
	if m.kind == draws {
		n = m.opt.Batch
	}
	b := Batch{Labels: make([]int, n), Groups: make([]int, n), Index: make([]int, n), N: n}
	if m.inPlace.x != nil {
		b.Offsets = make([]int32, n)
	} else if !m.opt.IndexOnly {
		b.X = make([]float32, n*m.src.Shape().Len())
	}
	return b
}

func (m *maker) stepsPerEpoch() int {
	n, b := m.src.Len(), m.opt.Batch
	if m.kind == sequential {
		return (n-1)/b + 1
	}
	return max(1, n/b)
}

// after gives the place that follows p.
func (m *maker) after(p place) place {
	p.step++
	if p.step == uint64(m.stepsPerEpoch()) {
		return place{p.epoch + 1, 0}
	}
	return p
}

func (p place) before(q place) bool {
	return p.epoch < q.epoch || p.epoch == q.epoch && p.step < q.step
}

// make makes the batch of place p in room and returns the part of room that the batch takes.
func (m *maker) make(buffer *Batch, p place) Batch {
	n := m.count(p)
	b := Batch{X: m.inPlace.x, Labels: buffer.Labels[:n], Groups: buffer.Groups[:n],
		Index: buffer.Index[:n], N: n}
	if m.inPlace.x != nil {
		b.Offsets = buffer.Offsets[:n]
		m.locate(&b, p)
		return b
	}
	m.draw(b.Index, p)
	if m.opt.IndexOnly {
		for j, i := range b.Index {
			b.Labels[j], b.Groups[j] = m.src.Label(i), m.src.Group(i)
		}
		return b
	}
	b.X = buffer.X[:n*m.src.Shape().Len()]
	if !m.shared() {
		m.samples(b, 0, n)
		return b
	}
	m.work = b
	m.opt.RunOnThreads((n-1)/m.block+1, m.copy)
	return b
}

// shared reports whether many threads make a batch together. They never do for images, whose
// augmentation draws random numbers.
func (m *maker) shared() bool { return m.opt.RunOnThreads != nil && m.norm.img == nil }

// samples fills in the samples [from, to) of a batch, with their labels and groups.
func (m *maker) samples(b Batch, from, to int) {
	size := m.src.Shape().Len()
	for j := from; j < to; j++ {
		i := b.Index[j]
		b.Labels[j], b.Groups[j] = m.src.Label(i), m.src.Group(i)
		m.norm.sampleTo(b.X[j*size:(j+1)*size], i, m.rng)
	}
}

func (m *maker) copyBlock(i int) { m.samples(m.work, i*m.block, min((i+1)*m.block, m.work.N)) }

// count returns the number of samples in the batch of place p.
func (m *maker) count(p place) int {
	if m.kind == sequential {
		return min(m.opt.Batch, m.src.Len()-int(p.step)*m.opt.Batch)
	}
	return m.opt.Batch
}

// reseed starts the random stream of one purpose at one place.
func (m *maker) reseed(purpose, epoch, step uint64) {
	m.pcg.Seed(data.Mix(purpose, m.opt.Seed, m.opt.Stream), data.Mix(epoch, step))
}

// order is the order of the samples in an epoch.
type order struct {
	list []uint32
	next uint64 // the epoch behind its own; 0: it is of none yet
}

// order returns the order of an epoch.
func (m *maker) order(epoch uint64) []uint32 {
	o := &m.orders[0]
	if m.orders[1].list != nil {
		o = &m.orders[epoch%2]
	}
	if o.next != epoch+1 {
		m.permute(o.list, epoch)
		o.next = epoch + 1
	}
	return o.list
}

// permute writes the order of an epoch. It is a permutation of all samples unless batches are drawn
// by group or, in passes, from groups that are cut to the smallest.
func (m *maker) permute(order []uint32, epoch uint64) {
	m.reseed(data.PurposeShuffle, epoch, 0)
	switch m.opt.Sampling {
	case ByGroup:
		for i := range order {
			order[i] = m.anyOfGroup()
		}
	case Subsample:
		for len(order) > 0 {
			m.cutGroups()
			order = order[copy(order, m.groups.cut):]
		}
	default:
		for i := range order { // Fisher-Yates, inside out
			j := m.rng.Uint64N(uint64(i) + 1)
			order[i] = order[j]
			order[j] = uint32(i)
		}
	}
}

// draw starts the random numbers of the batch of place p and writes its indices.
func (m *maker) draw(index []int, p place) {
	if m.kind == epochs {
		order := m.order(p.epoch)
		if m.inPlace.x != nil {
			m.follow(p.epoch, order)
		}
	}
	m.reseed(data.PurposeBatch, p.epoch, p.step)
	m.pick(index, p)
}

// pick writes the indices of the batch of place p.
func (m *maker) pick(index []int, p place) {
	first := int(p.step) * m.opt.Batch
	switch m.kind {
	case epochs:
		for j, i := range m.order(p.epoch)[first:][:len(index)] {
			index[j] = int(i)
		}
	case draws:
		for j := range index {
			if m.groups.members != nil {
				index[j] = int(m.anyOfGroup())
			} else {
				index[j] = int(m.rng.Uint64N(uint64(m.src.Len())))
			}
		}
	case sequential:
		for j := range index {
			index[j] = first + j
		}
	}
}

// prefetcher makes batches on its own goroutine, each one before the caller asks for it.
//
//	next(p): the batch of p, if it is the one ordered (else it is ordered now)
//	         -> swap memory -> order the one after p
//	worker:  order -> make -> made
//
// The caller owns every field except maker and spare. The worker owns these two from the moment a
// batch is ordered until it is taken.
type prefetcher struct {
	maker   *maker
	spare   Batch // the worker's memory for a batch; the caller has its own
	orders  chan place
	made    chan madeBatch
	pending bool
	ordered place // the place of the pending batch, if pending is set
}

// madeBatch is a batch, or the value with which the source panicked.
type madeBatch struct {
	batch Batch
	panic any
}

// work runs on the worker's goroutine and ends as soon as orders is closed: neither channel ever
// holds more than one item, so no send blocks.
func (a *prefetcher) work() {
	defer close(a.made)
	debug.SetPanicOnFault(true) // try passes the panic on to the caller
	for p := range a.orders {
		a.made <- a.try(p)
	}
}

func (a *prefetcher) try(p place) (m madeBatch) {
	defer func() { m.panic = recover() }()
	return madeBatch{batch: a.maker.make(&a.spare, p)}
}

// next returns the batch of place p, which lies in the memory that was spare, and orders the batch
// after it. The caller's room, which is free now, becomes the spare memory.
func (a *prefetcher) next(p place, buffer *Batch) Batch {
	if a.pending && a.ordered != p { // after a Restore
		<-a.made
		a.pending = false
	}
	if !a.pending {
		a.order(p)
	}
	m := <-a.made
	a.pending = false
	if m.panic != nil {
		panic(m.panic) // on the goroutine that asked for the batch
	}
	*buffer, a.spare = a.spare, *buffer
	a.order(a.maker.after(p))
	return m.batch
}

func (a *prefetcher) order(p place) {
	a.orders <- p
	a.ordered, a.pending = p, true
}

// stop ends the worker and returns when it has let go of the source.
func (a *prefetcher) stop() {
	close(a.orders)
	for range a.made { // closed when the worker has ended
	}
}
