package kern

import (
	"math"
	"slices"
)

// axisStep is one kernel tap seen along one axis: tap k multiplies the source index base+d.
type axisStep struct{ k, d int }

// axis is one spatial axis of a convolution seen from its destination, with the padding taken out:
// destination index o reads source index base[o]+d through tap k, for each step in steps[class[o]].
// Indices that see the same taps share a class; edges have classes of their own.
type axis struct {
	base  []int
	class []int
	steps [][]axisStep
}

// axisMaker returns the axis of a direction: it is convAxis or transposedAxis.
type axisMaker func(out, in, kernel, stride, pad int) axis

// convAxis returns the axis of the forward direction: output o reads input o·stride − pad + k.
func convAxis(out, in, kernel, stride, pad int) axis {
	return newAxis(out, func(o int) (base int, steps []axisStep) {
		base = o*stride - pad
		for k := range kernel {
			if i := base + k; i >= 0 && i < in {
				steps = append(steps, axisStep{k, k})
			}
		}
		return base, steps
	})
}

// transposedAxis returns the axis of the backward direction: input i is read by the outputs o with
// o·stride − pad + k = i.
func transposedAxis(out, in, kernel, stride, pad int) axis {
	return newAxis(in, func(i int) (base int, steps []axisStep) {
		base = (i + pad) / stride
		for k := range kernel {
			if o := (i + pad - k) / stride; i+pad-k >= 0 && (i+pad-k)%stride == 0 && o < out {
				steps = append(steps, axisStep{k, o - base})
			}
		}
		return base, steps
	})
}

func newAxis(n int, lookUp func(int) (int, []axisStep)) axis {
	a := axis{base: make([]int, n), class: make([]int, n)}
	for i := range n {
		base, steps := lookUp(i)
		same := func(s []axisStep) bool { return slices.Equal(s, steps) }
		class := slices.IndexFunc(a.steps, same)
		if class < 0 { // a new one
			class = len(a.steps)
			a.steps = append(a.steps, steps)
		}
		a.base[i], a.class[i] = base, class
	}
	return a
}

// plane is the pair of axes of a map. It tells for each destination position where its source lies
// and which taps are inside the source.
type plane struct {
	rows, cols axis
	width      int     // of the source map, in positions
	taps       [][]tap // by row class, then column class
}

// newPlane joins two axes. A source position is depth values long; the weights of successive taps
// of a kernel, whose rows have kernelWidth taps, are so far apart.
func newPlane(rows, cols axis, width, kernelWidth, depth, apart int) plane {
	p := plane{rows: rows, cols: cols, width: width}
	for _, rs := range rows.steps {
		for _, cs := range cols.steps {
			taps := []tap{}
			for _, r := range rs {
				for _, c := range cs {
					x, w := (r.d*width+c.d)*depth, (r.k*kernelWidth+c.k)*apart
					taps = append(taps, tap{int32(x), int32(w)})
				}
			}
			p.taps = append(p.taps, taps)
		}
	}
	return p
}

// throughChannels returns p with lists of taps that go through the channels of the source, all taps
// of one after the other. They are xStep values of the source and wStep weights apart.
func (p *plane) throughChannels(channels, xStep, wStep int) plane {
	all := *p
	all.taps = nil
	for _, taps := range p.taps {
		list := []tap{}
		for o := range channels {
			for _, t := range taps {
				list = append(list, tap{t.x + int32(o*xStep), t.w + int32(o*wStep)})
			}
		}
		all.taps = append(all.taps, list)
	}
	return all
}

// lookUp returns the source position that destination (row, col) counts its taps from, which may
// lie outside the map, and the taps.
func (p *plane) lookUp(row, col int) (position int, taps []tap) {
	class := p.rows.class[row]*len(p.cols.steps) + p.cols.class[col]
	return p.rows.base[row]*p.width + p.cols.base[col], p.taps[class]
}

// sources returns the range of source indices that the destination indices [from, to) read.
func (a *axis) sources(from, to int) (first, end int) {
	first = math.MaxInt
	for o := from; o < to; o++ {
		for _, s := range a.steps[a.class[o]] {
			first, end = min(first, a.base[o]+s.d), max(end, a.base[o]+s.d+1)
		}
	}
	return min(first, end), end
}

// mostSources returns the most source indices that so many destination indices read.
func (a *axis) mostSources(n int) (most int) {
	for from := 0; from < len(a.base); from += n {
		first, end := a.sources(from, min(from+n, len(a.base)))
		most = max(most, end-first)
	}
	return most
}
