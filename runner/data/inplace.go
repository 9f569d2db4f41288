package data

import (
	"math"
	"unsafe"
)

// inPlace is a source's samples where they lie.
type inPlace struct {
	x  []float32         // the source's memory; nil: its samples must be copied
	at func(i int) int32 // where in x sample i begins

	// The same of an epoch's samples in its order, and their marks. Looked up for one batch each time, between
	// reads of rows, they would take ten times as long.
	places         []int32
	labels, groups []uint32
	look           func(task int) // maker.lookUp, bound once
}

// lying finds where a source's samples lie, if that is in memory as Read gives them.
func lying(src Source) (x []float32, at func(i int) int32) {
	switch s := src.(type) {
	case *features:
		size := s.shape.Len()
		if x = s.floats(); len(x) > math.MaxInt32 {
			return nil, nil
		}
		return x, func(i int) int32 { return int32(i * size) }
	case *subset:
		x, at := lying(s.Source)
		return x, func(i int) int32 { return at(int(s.index[i])) }
	case *relabelled:
		return lying(s.Source)
	}
	return nil, nil
}

// floats gives the samples as they lie, or nil where those are no float32s of this machine's. They may begin
// at any address (an array in an archive does): for assembly, not for processors that trap.
func (f *features) floats() []float32 {
	if f.size != 4 || !littleEndian || len(f.data) == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(f.data))), len(f.data)/4)
}

// followBlock is how many samples of an epoch a task looks up.
const followBlock = 1 << 12

// follow looks up the samples of an epoch.
func (m *maker) follow() {
	l, n := &m.lie, len(m.order)
	if l.places == nil {
		l.places, l.labels, l.groups = make([]int32, n), make([]uint32, n), make([]uint32, n)
		l.look = m.lookUp
	}
	tasks := (n-1)/followBlock + 1
	if m.opt.Each != nil {
		m.opt.Each(tasks, l.look)
		return
	}
	for i := range tasks {
		l.look(i)
	}
}

func (m *maker) lookUp(task int) {
	l := &m.lie
	for j := task * followBlock; j < min((task+1)*followBlock, len(m.order)); j++ {
		i := int(m.order[j])
		l.places[j], l.labels[j], l.groups[j] = l.at(i), uint32(m.src.Label(i)), uint32(m.src.Group(i))
	}
}

// locate says which samples the batch of place p has, and where they lie.
func (m *maker) locate(b *Batch, p place) {
	m.draw(b.Index, p)
	if m.kind != epochs {
		for j, i := range b.Index {
			b.At[j], b.Labels[j], b.Groups[j] = m.lie.at(i), m.src.Label(i), m.src.Group(i)
		}
		return
	}
	l, first := &m.lie, int(p.step)*b.N
	b.At = l.places[first : first+b.N]
	for j := range b.N {
		b.Labels[j], b.Groups[j] = int(l.labels[first+j]), int(l.groups[first+j])
	}
}
