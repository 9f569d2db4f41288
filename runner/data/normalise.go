package data

import (
	"fmt"
	"math/rand/v2"
)

// normaliser turns one sample of a source into normalised, maybe augmented float32.
type normaliser struct {
	src    Source
	img    ImageSource    // nil for tables
	shape  Shape          //
	aug    Augment        //
	table  [][256]float32 // images: per channel, byte to value
	scale  []float32      // tables: per channel, x = v·scale + shift; nil: x = v
	shift  []float32
	pixels []byte // room for sources that draw on demand
}

func newNormaliser(src Source, o LoaderOptions) (*normaliser, error) {
	sh := src.Shape()
	if len(o.Mean) != len(o.Std) || o.Mean != nil && len(o.Mean) != sh.C {
		return nil, fmt.Errorf("mean has %d and std %d values for %d channels: give one each a channel", len(o.Mean), len(o.Std), sh.C)
	}
	for c, s := range o.Std {
		if !(s > 0) {
			return nil, fmt.Errorf("std of channel %d is %v: give a number above 0", c, s)
		}
	}
	n := &normaliser{src: src, shape: sh, aug: o.Augment}
	var ok bool
	if n.img, ok = src.(ImageSource); ok {
		if p := o.Augment.Pad; p < 0 || p >= min(sh.H, sh.W) {
			return nil, fmt.Errorf("a crop with %d pixels of padding does not suit %d×%d images: give 0 to %d", p, sh.H, sh.W, min(sh.H, sh.W)-1)
		}
		n.pixels = make([]byte, sh.Len())
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

// tables gives, per channel, (byte/255 − mean)/std, computed in float64.
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

// cropTo writes the image shifted by (dx, dy), black outside, mirrored if flip, through the tables.
func (n *normaliser) cropTo(dst []float32, pixels []byte, dx, dy int, flip bool) {
	h, w := n.shape.H, n.shape.W
	lo, hi := max(0, -dx), min(w, w-dx) // output columns with a source pixel
	for c := range n.shape.C {
		table := &n.table[c]
		for y := range h {
			out := dst[(c*h+y)*w:][:w]
			sy := y + dy
			if sy < 0 || sy >= h {
				fill(out, table[0])
				continue
			}
			row := pixels[(c*h+sy)*w:][:w]
			if flip {
				lookUpReversed(out[w-hi:w-lo], row[lo+dx:hi+dx], table)
				fill(out[:w-hi], table[0])
				fill(out[w-lo:], table[0])
				continue
			}
			lookUp(out[lo:hi], row[lo+dx:hi+dx], table)
			fill(out[:lo], table[0])
			fill(out[hi:], table[0])
		}
	}
}

func lookUp(dst []float32, src []byte, table *[256]float32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = table[v]
	}
}

func lookUpReversed(dst []float32, src []byte, table *[256]float32) {
	dst = dst[:len(src)]
	for i := range dst {
		dst[i] = table[src[len(src)-1-i]]
	}
}

func fill(dst []float32, v float32) {
	for i := range dst {
		dst[i] = v
	}
}

// affine applies x = v·scale + shift per channel.
func (n *normaliser) affine(x []float32) {
	if n.scale == nil {
		return
	}
	per := n.shape.H * n.shape.W
	for i := range x {
		c := i / per
		x[i] = float32(x[i]*n.scale[c]) + n.shift[c] // not fused: the same bits on every machine
	}
}
