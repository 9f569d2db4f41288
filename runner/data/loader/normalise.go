package loader

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"drolab/runner/data"
)

// normaliser turns one sample of a source into normalised, maybe augmented float32.
type normaliser struct {
	src    data.Source
	img    data.ImageSource // nil for tables
	shape  data.Shape       //
	aug    data.Augment     //
	table  [][256]float32   // images: per channel, byte to value
	scale  []float32        // tables: per channel, x = v·scale + shift; nil: x = v
	shift  []float32
	pixels []byte // room for sources that draw on demand
	row    []byte // room for a row between aug.Pad pixels on either side, which stay black
}

func newNormaliser(src data.Source, o Options) (*normaliser, error) {
	sh := src.Shape()
	if len(o.Mean) != len(o.Std) || o.Mean != nil && len(o.Mean) != sh.C {
		return nil, fmt.Errorf(
			"mean has %d and std %d values for %d channels: give one of each per channel",
			len(o.Mean), len(o.Std), sh.C)
	}
	for c, s := range o.Std {
		if !(s > 0) {
			return nil, fmt.Errorf("std of channel %d is %v: give a number above 0", c, s)
		}
	}
	n := &normaliser{src: src, shape: sh, aug: o.Augment}
	n.img, _ = src.(data.ImageSource)
	if n.img != nil {
		if p, side := o.Augment.Pad, min(sh.H, sh.W); p < 0 || p >= side {
			return nil, fmt.Errorf(
				"a crop with %d pixels of padding does not suit %d×%d images: give 0 to %d",
				p, sh.H, sh.W, side-1)
		}
		if o.Augment.Mean && o.Mean == nil {
			return nil, errors.New(
				"padding with the mean colour wants mean and std: set them, or pad with black")
		}
		n.pixels = make([]byte, sh.Len())
		n.row = make([]byte, sh.W+2*o.Augment.Pad)
		n.table = tables(sh.C, o.Mean, o.Std)
		return n, nil
	}
	if o.Mean != nil {
		n.scale, n.shift = make([]float32, sh.C), make([]float32, sh.C)
		for c := range n.scale {
			n.scale[c] = 1 / o.Std[c]
			n.shift[c] = -o.Mean[c] / o.Std[c]
		}
	}
	return n, nil
}

// tables returns, for each channel, the value (byte/255 − mean)/std of every byte, computed in
// float64.
func tables(channels int, mean, std []float32) [][256]float32 {
	t := make([][256]float32, channels)
	for c := range t {
		m, s := 0.0, 1.0
		if mean != nil {
			m, s = float64(mean[c]), float64(std[c])
		}
		for v := range t[c] {
			t[c][v] = float32((float64(v)/255 - m) / s)
		}
	}
	return t
}

// sampleTo puts sample i into dst, [C][H][W]. Draws from rng depend on the augmentation alone.
func (n *normaliser) sampleTo(dst []float32, i int, rng *rand.Rand) {
	if n.img == nil {
		n.src.Read(dst, i)
		n.affine(dst)
		return
	}
	dx, dy, flip := 0, 0, false
	if p := n.aug.Pad; p > 0 {
		dx = int(rng.Uint32N(uint32(2*p+1))) - p
		dy = int(rng.Uint32N(uint32(2*p+1))) - p
	}
	if n.aug.Flip {
		flip = rng.Uint64()>>63 == 1
	}
	n.cropTo(dst, n.img.Pixels(n.pixels, i), dx, dy, flip)
}

// cropTo writes the image through the tables, shifted by (dx, dy), and mirrored if flip is set. The
// area outside the image is black or has the mean colour.
func (n *normaliser) cropTo(dst []float32, pixels []byte, dx, dy int, flip bool) {
	h, w, pad := n.shape.H, n.shape.W, n.aug.Pad
	for c := range n.shape.C {
		table := &n.table[c]
		outside := table[0]
		if n.aug.Mean {
			outside = 0
		}
		for y := range h {
			out := dst[(c*h+y)*w:][:w]
			sy := y + dy
			if sy < 0 || sy >= h {
				for x := range out {
					out[x] = outside
				}
				continue
			}
			copy(n.row[pad:], pixels[(c*h+sy)*w:][:w])
			if row := n.row[pad+dx:][:w]; flip {
				lookUpReversed(out, row, table)
			} else {
				lookUp(out, row, table)
			}
			if n.aug.Mean { // the row's ends are black
				left, right := max(-dx, 0), max(dx, 0)
				if flip {
					left, right = right, left
				}
				clear(out[:left])
				clear(out[w-right:])
			}
		}
	}
}

// lookUp sets dst to the table's values for src, which is as long as dst. It handles four values at
// a time with the bounds checks of one.
func lookUp(dst []float32, src []byte, table *[256]float32) {
	i := 0
	for ; i+4 <= len(src); i += 4 {
		d, s := (*[4]float32)(dst[i:i+4:i+4]), (*[4]byte)(src[i:i+4:i+4])
		d[0], d[1], d[2], d[3] = table[s[0]], table[s[1]], table[s[2]], table[s[3]]
	}
	for ; i < len(src); i++ {
		dst[i] = table[src[i]]
	}
}

// lookUpReversed is lookUp from the end of src.
func lookUpReversed(dst []float32, src []byte, table *[256]float32) {
	i, j := 0, len(src)
	for ; j >= 4; i, j = i+4, j-4 {
		d, s := (*[4]float32)(dst[i:i+4:i+4]), (*[4]byte)(src[j-4:j:j])
		d[0], d[1], d[2], d[3] = table[s[3]], table[s[2]], table[s[1]], table[s[0]]
	}
	for ; j > 0; i, j = i+1, j-1 {
		dst[i] = table[src[j-1]]
	}
}

// affine applies x = v·scale + shift per channel.
func (n *normaliser) affine(x []float32) {
	if n.scale == nil {
		return
	}
	per := n.shape.H * n.shape.W
	if per == 1 { // a table
		for c, scale := range n.scale {
			x[c] = float32(x[c]*scale) + n.shift[c]
		}
		return
	}
	for c, scale := range n.scale {
		shift, plane := n.shift[c], x[c*per:(c+1)*per]
		for i, v := range plane {
			plane[i] = float32(v*scale) + shift // not fused: the same bits on every machine
		}
	}
}

// samplePlaces holds the places in memory of a source's samples, which are used where they lie.
type samplePlaces struct {
	x       []float32         // the source's memory; nil: its samples must be copied
	at      func(i int) int32 // where in x sample i begins
	samples []samplePlace     // all samples; nil for a sequential loader

	// These are the places, labels and groups of an epoch's samples in the order of the epoch. If
	// each batch looked them up, between reads of rows, it would take ten times as long.
	epoch          uint64
	order          []uint32 // nil: of no epoch yet
	places         []int32
	labels, groups []int
	lookUpTask     func(task int) // maker.lookUp, bound once
}

// samplePlace is the place where a sample begins in memory, with its label and group.
type samplePlace struct {
	at           int32
	label, group uint32
}

// list fills samples, so that the source is asked only once. Where the source is a part of another,
// each sample takes several calls, and an epoch of a small model takes no longer than these calls.
func (l *samplePlaces) list(src data.Source) {
	l.samples = make([]samplePlace, src.Len())
	for i := range l.samples {
		l.samples[i] = samplePlace{l.at(i), uint32(src.Label(i)), uint32(src.Group(i))}
	}
}

// samplesInMemory returns the memory in which a source's samples lie and the place of each sample
// in it. x is nil unless they lie in memory as Read gives them.
func samplesInMemory(src data.Source) (x []float32, at func(i int) int32) {
	switch s := src.(type) {
	case *data.Features:
		size := s.Dims.Len()
		x = s.Floats()
		if len(x) > math.MaxInt32 {
			return nil, nil
		}
		return x, func(i int) int32 { return int32(i * size) }
	case *data.Subset:
		x, at := samplesInMemory(s.Source)
		return x, func(i int) int32 { return at(int(s.Index[i])) }
	case *data.Relabelled:
		return samplesInMemory(s.Source)
	}
	return nil, nil
}

// followBlock is the number of samples of an epoch that a task looks up.
const followBlock = 1 << 12

// follow looks up the samples of an epoch, once. If there are several threads, one of them makes
// the order of the next epoch meanwhile.
func (m *maker) follow(epoch uint64, order []uint32) {
	l, n := &m.inPlace, len(order)
	if l.order != nil && l.epoch == epoch {
		return
	}
	l.epoch, l.order = epoch, order
	if l.places == nil {
		l.places, l.labels, l.groups = make([]int32, n), make([]int, n), make([]int, n)
		l.lookUpTask = m.lookUp
	}
	tasks := (n-1)/followBlock + 1
	if m.opt.RunOnThreads == nil {
		for i := range tasks {
			m.lookUpBlock(i)
		}
		return
	}
	m.opt.RunOnThreads(1+tasks, l.lookUpTask)
}

// lookUp runs one task of follow: task 0 makes the order of the next epoch, every other task looks
// up a block of samples.
func (m *maker) lookUp(task int) {
	if task == 0 {
		m.order(m.inPlace.epoch + 1)
		return
	}
	m.lookUpBlock(task - 1)
}

func (m *maker) lookUpBlock(i int) {
	l := &m.inPlace
	for j := i * followBlock; j < min((i+1)*followBlock, len(l.order)); j++ {
		s := l.samples[l.order[j]]
		l.places[j], l.labels[j], l.groups[j] = s.at, int(s.label), int(s.group)
	}
}

// locate sets the samples of the batch of place p, their labels and groups, and where they lie.
func (m *maker) locate(b *Batch, p place) {
	m.draw(b.Index, p)
	l, first := &m.inPlace, int(p.step)*b.N
	switch m.kind {
	case epochs:
		end := first + b.N
		b.Offsets, b.Next = l.places[first:end], l.places[end:min(end+b.N, len(l.places))]
		b.Labels, b.Groups = l.labels[first:end], l.groups[first:end]
	case draws:
		for j, i := range b.Index {
			s := l.samples[i]
			b.Offsets[j], b.Labels[j], b.Groups[j] = s.at, int(s.label), int(s.group)
		}
	case sequential:
		for j, i := range b.Index {
			b.Offsets[j], b.Labels[j], b.Groups[j] = l.at(i), m.src.Label(i), m.src.Group(i)
		}
	}
}

// announce announces the two batches after the one that was just given, but no batch twice and, for
// a sequential loader, none of the next pass.
func (l *Loader) announce() {
	m, p := l.maker, l.next
	for range 2 {
		if m.kind == sequential && p.epoch > l.batch.Epoch {
			return
		}
		if !p.before(l.unannounced) {
			index := l.announcing[:m.count(p)]
			m.draw(index, p)
			l.unannounced = m.after(p)
			m.opt.Announce(p.epoch, index)
		}
		p = m.after(p)
	}
}
