package data

import (
	"math/rand/v2"

	"drolab/runner/data/internal/dataset"
)

// maker makes the batch of any place, a pure function of the source, the options and the place. It
// is for one goroutine.
type maker struct {
	src  Source
	kind kind
	opt  LoaderOptions
	norm *normaliser
	rng  *rand.Rand
	pcg  *rand.PCG

	order   []uint32 // epochs only: the permutation of the epoch in orderOf
	orderOf uint64   // the epoch of order, plus 1; 0: none yet
	next    []uint32 // the order of another epoch, made ahead, or nil
	nextOf  uint64

	lie    inPlace
	groups groups // the samples of each group, if the sampling needs them

	block int       // samples a task, where threads share a batch
	work  Batch     // the batch that copy works on
	copy  func(int) // copyBlock, bound once
}

// blockBytes is the number of bytes that a task copies, a few microseconds of work.
const blockBytes = 32 << 10

func newMaker(src Source, k kind, o LoaderOptions, norm *normaliser) *maker {
	pcg := rand.NewPCG(0, 0)
	m := &maker{src: src, kind: k, opt: o, norm: norm, pcg: pcg, rng: rand.New(pcg)}
	if k != sequential {
		m.groups = newGroups(src, o.Sampling)
	}
	m.copy, m.block = m.copyBlock, max(1, blockBytes/max(1, 4*src.Shape().Len()))
	if o.InPlace && norm.img == nil && norm.scale == nil {
		if m.lie.x, m.lie.at = lying(src); m.lie.x != nil && k != sequential {
			m.lie.list(src)
		}
	}
	if k == epochs {
		m.order = make([]uint32, src.Len())
	}
	return m
}

// newRoom gives memory for the largest batch.
func (m *maker) newRoom() Batch {
	n := min(m.opt.Batch, m.src.Len())
	if m.kind == draws {
		n = m.opt.Batch
	}
	b := Batch{Labels: make([]int, n), Groups: make([]int, n), Index: make([]int, n), N: n}
	if m.lie.x != nil {
		b.At = make([]int32, n)
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
	if p.step++; p.step == uint64(m.stepsPerEpoch()) {
		return place{p.epoch + 1, 0}
	}
	return p
}

// make makes the batch of place p in room and returns the part of room that the batch takes.
func (m *maker) make(room *Batch, p place) Batch {
	n := m.count(p)
	b := Batch{X: m.lie.x, Labels: room.Labels[:n], Groups: room.Groups[:n], Index: room.Index[:n],
		N: n}
	if m.lie.x != nil {
		b.At = room.At[:n]
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
	b.X = room.X[:n*m.src.Shape().Len()]
	if !m.shared() {
		m.samples(b, 0, n)
		return b
	}
	m.work = b
	m.opt.Each((n-1)/m.block+1, m.copy)
	return b
}

// shared reports whether many threads make a batch together. They never do for images, whose
// augmentation draws random numbers.
func (m *maker) shared() bool { return m.opt.Each != nil && m.norm.img == nil }

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
	m.pcg.Seed(dataset.Mix(purpose, m.opt.Seed, m.opt.Stream), dataset.Mix(epoch, step))
}

// shuffle sets order, if the loader has one, to the permutation of an epoch.
func (m *maker) shuffle(epoch uint64) {
	if m.order == nil || m.orderOf == epoch+1 {
		return
	}
	if m.nextOf == epoch+1 {
		m.order, m.next, m.nextOf = m.next, m.order, 0
	} else {
		m.permute(m.order, epoch)
	}
	m.orderOf = epoch + 1
	if m.lie.x != nil {
		m.follow(epoch)
	}
}

// permute writes the order of an epoch. It is a permutation of all samples unless batches are drawn
// by group.
func (m *maker) permute(order []uint32, epoch uint64) {
	m.reseed(dataset.PurposeShuffle, epoch, 0)
	switch m.opt.Sampling {
	case ByGroup:
		for i := range order {
			order[i] = m.anyOfGroup()
		}
	case Subsample:
		m.cutPasses(order)
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
	m.shuffle(p.epoch)
	m.reseed(dataset.PurposeBatch, p.epoch, p.step)
	m.pick(index, p)
}

// pick writes the indices of the batch of place p.
func (m *maker) pick(index []int, p place) {
	first := int(p.step) * m.opt.Batch
	switch m.kind {
	case epochs:
		for j, i := range m.order[first : first+len(index)] {
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
