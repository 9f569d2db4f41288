package data

import (
	"math"

	"drolab/runner/data/internal/dataset"
)

// inPlace holds the places in memory of a source's samples, which are used where they lie.
type inPlace struct {
	x       []float32         // the source's memory; nil: its samples must be copied
	at      func(i int) int32 // where in x sample i begins
	samples []sample          // all samples; nil for a sequential loader

	// These are the places, labels and groups of an epoch's samples in the order of the epoch. If
	// each batch looked them up, between reads of rows, it would take ten times as long.
	places         []int32
	labels, groups []int
	look           func(task int) // maker.lookUp, bound once
}

// sample is the place where a sample begins in memory, with its label and group.
type sample struct {
	at           int32
	label, group uint32
}

// list fills samples, so that the source is asked only once. Where the source is a part of another,
// each sample takes several calls, and an epoch of a small model takes no longer than these calls.
func (l *inPlace) list(src Source) {
	l.samples = make([]sample, src.Len())
	for i := range l.samples {
		l.samples[i] = sample{l.at(i), uint32(src.Label(i)), uint32(src.Group(i))}
	}
}

// lying returns the memory in which a source's samples lie and the place of each sample in it. x is
// nil unless they lie in memory as Read gives them.
func lying(src Source) (x []float32, at func(i int) int32) {
	switch s := src.(type) {
	case *dataset.Features:
		size := s.Dims.Len()
		if x = s.Floats(); len(x) > math.MaxInt32 {
			return nil, nil
		}
		return x, func(i int) int32 { return int32(i * size) }
	case *dataset.Subset:
		x, at := lying(s.Source)
		return x, func(i int) int32 { return at(int(s.Index[i])) }
	case *dataset.Relabelled:
		return lying(s.Source)
	}
	return nil, nil
}

// followBlock is the number of samples of an epoch that a task looks up.
const followBlock = 1 << 12

// follow looks up the samples of an epoch. If there are several threads, one of them makes the
// order of the next epoch meanwhile.
func (m *maker) follow(epoch uint64) {
	l, n := &m.lie, len(m.order)
	if l.places == nil {
		l.places, l.labels, l.groups = make([]int32, n), make([]int, n), make([]int, n)
		l.look = m.lookUp
	}
	tasks := (n-1)/followBlock + 1
	if m.opt.Each == nil {
		for i := range tasks {
			m.lookUpBlock(i)
		}
		return
	}
	if m.next == nil {
		m.next = make([]uint32, n)
	}
	m.nextOf = epoch + 2
	m.opt.Each(1+tasks, l.look)
}

// lookUp runs one task of follow: task 0 makes the order of the next epoch, every other task looks
// up a block of samples.
func (m *maker) lookUp(task int) {
	if task == 0 {
		m.permute(m.next, m.nextOf-1)
		return
	}
	m.lookUpBlock(task - 1)
}

func (m *maker) lookUpBlock(i int) {
	l := &m.lie
	for j := i * followBlock; j < min((i+1)*followBlock, len(m.order)); j++ {
		s := l.samples[m.order[j]]
		l.places[j], l.labels[j], l.groups[j] = s.at, int(s.label), int(s.group)
	}
}

// locate sets the samples of the batch of place p, their labels and groups, and where they lie.
func (m *maker) locate(b *Batch, p place) {
	m.draw(b.Index, p)
	l, first := &m.lie, int(p.step)*b.N
	switch m.kind {
	case epochs:
		end := first + b.N
		b.At, b.Next = l.places[first:end], l.places[end:min(end+b.N, len(l.places))]
		b.Labels, b.Groups = l.labels[first:end], l.groups[first:end]
	case draws:
		for j, i := range b.Index {
			s := l.samples[i]
			b.At[j], b.Labels[j], b.Groups[j] = s.at, int(s.label), int(s.group)
		}
	case sequential:
		for j, i := range b.Index {
			b.At[j], b.Labels[j], b.Groups[j] = l.at(i), m.src.Label(i), m.src.Group(i)
		}
	}
}
