package data

import "math/rand/v2"

// maker makes the batch of any place, a pure function of the source, the options and the place. It is for one
// goroutine.
type maker struct {
	src  Source
	kind kind
	opt  LoaderOptions
	norm *normaliser
	far  fetcher // the source, where samples lie far apart in memory; nil else
	rng  *rand.Rand
	pcg  *rand.PCG

	order   []uint32 // epochs only: the permutation of orderOf
	orderOf uint64   // epoch+1 that order holds; 0: none yet

	fetched byte // so that fetching is not for nothing
}

// fetchAhead is how many samples before its turn one is fetched.
const fetchAhead = 4

func newMaker(src Source, k kind, o LoaderOptions, norm *normaliser) *maker {
	pcg := rand.NewPCG(0, 0)
	m := &maker{src: src, far: fetcherOf(src), kind: k, opt: o, norm: norm, pcg: pcg, rng: rand.New(pcg)}
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
	return Batch{X: make([]float32, n*m.src.Shape().Len()), Labels: make([]int, n), Groups: make([]int, n),
		Index: make([]int, n), N: n}
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

// make makes the batch of place p in room and gives the part of it that it takes.
func (m *maker) make(room *Batch, p place) Batch {
	n := m.count(p)
	size := m.src.Shape().Len()
	b := Batch{room.X[:n*size], room.Labels[:n], room.Groups[:n], room.Index[:n], n}
	m.shuffle(p.epoch)
	m.reseed(purposeBatch, p.epoch, p.step)
	m.pick(b.Index, p)
	for j, i := range b.Index {
		b.Labels[j], b.Groups[j] = m.src.Label(i), m.src.Group(i)
	}
	for j, i := range b.Index {
		if next := j + fetchAhead; m.far != nil && next < n {
			m.fetched += m.far.fetch(b.Index[next])
		}
		m.norm.sampleTo(b.X[j*size:(j+1)*size], i, m.rng)
	}
	return b
}

// count is the number of samples of the batch of place p.
func (m *maker) count(p place) int {
	if m.kind == sequential {
		return min(m.opt.Batch, m.src.Len()-int(p.step)*m.opt.Batch)
	}
	return m.opt.Batch
}

// reseed starts the random stream of one purpose at one place.
func (m *maker) reseed(purpose, epoch, step uint64) {
	m.pcg.Seed(mix(purpose, m.opt.Seed, m.opt.Stream), mix(epoch, step))
}

// shuffle makes order, where there is one, the permutation of an epoch.
func (m *maker) shuffle(epoch uint64) {
	if m.order == nil || m.orderOf == epoch+1 {
		return
	}
	m.reseed(purposeShuffle, epoch, 0)
	for i := range m.order { // Fisher-Yates, inside out
		j := m.rng.Uint64N(uint64(i) + 1)
		m.order[i] = m.order[j]
		m.order[j] = uint32(i)
	}
	m.orderOf = epoch + 1
}

// pick writes the indices of the batch of place p.
func (m *maker) pick(index []int, p place) {
	first := int(p.step) * m.opt.Batch
	for j := range index {
		switch m.kind {
		case epochs:
			index[j] = int(m.order[first+j])
		case draws:
			index[j] = int(m.rng.Uint64N(uint64(m.src.Len())))
		case sequential:
			index[j] = first + j
		}
	}
}
