package data

import (
	"math"
	"unsafe"
)

// inPlace is a source's samples where they lie.
type inPlace struct {
	x  []float32         // the source's memory; nil: its samples must be copied
	at func(i int) int32 // where in x sample i begins

	// The batch that comes next, of loaders that go by epochs: those who read memory gain by knowing it.
	next   place
	index  []int
	places []int32 // nil before the first batch
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

// locate says which samples the batch of place p has, and where they lie.
func (m *maker) locate(b *Batch, p place) {
	if m.kind != epochs {
		m.find(b.Index, b.At, p)
		return
	}
	l := &m.lie
	if l.places == nil || l.next != p { // at the start and after a Restore
		l.index, l.places = make([]int, len(b.Index)), make([]int32, len(b.At))
		m.find(l.index, l.places, p)
	}
	copy(b.Index, l.index)
	copy(b.At, l.places)
	l.next = m.after(p)
	m.find(l.index, l.places, l.next)
	b.Next = l.places
}

func (m *maker) find(index []int, at []int32, p place) {
	m.draw(index, p)
	for j, i := range index {
		at[j] = m.lie.at(i)
	}
}
