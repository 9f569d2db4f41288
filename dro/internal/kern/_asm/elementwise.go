package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sumRows writes the kernel of the bias gradient: the sum of one row of lanes over positions, in
// sixteen interleaved sums.
func (g *generator) sumRows() {
	g.function("sumRow", "func(src *float32, positions int, stride int, lanes int) float32",
		"returns the sum of positions·lanes values: lanes (a multiple of 16) from every stride-th on.")
	src, positions, stride := g.param("src"), g.param("positions"), g.param("stride")
	g.SHLQ(op.U8(2), stride)
	n := 64 / g.bytes
	acc := g.vecs(n)
	for _, v := range acc {
		g.zero(v)
	}
	g.loop(positions, func() {
		p, left := g.GP64(), g.param("lanes")
		g.MOVQ(src, p)
		top := g.label("lanes")
		g.Label(top)
		for i, v := range acc {
			g.VADDPS(at(p, i*g.bytes), v, v)
		}
		g.ADDQ(op.U8(64), p)
		g.SUBQ(op.U8(16), left)
		g.JNZ(op.LabelRef(top))
		g.ADDQ(stride, src)
	})
	sum := acc[0].AsY()
	if g.wide {
		high := g.YMM()
		g.VEXTRACTF64X4(op.U8(1), acc[0], high)
		g.VADDPS(high, sum, sum)
	} else {
		g.VADDPS(acc[1], acc[0], acc[0])
	}
	high := g.XMM()
	g.VEXTRACTF128(op.U8(1), sum, high)
	g.VADDPS(high, acc[0].AsX(), high)
	g.VHADDPS(high, high, high)
	g.VHADDPS(high, high, high)
	g.Store(high, g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}

// vectorLoop loads the pointer parameters and the value count n, and runs body for each 16 values.
func (g *generator) vectorLoop(names []string, body func(p []reg.Register, disp int)) {
	var p []reg.Register
	for _, name := range names {
		p = append(p, g.param(name))
	}
	n := g.param("n")
	g.SHRQ(op.U8(4), n)
	g.loop(n, func() {
		for disp := 0; disp < 64; disp += g.bytes {
			body(p, disp)
		}
		for _, r := range p {
			g.ADDQ(op.U8(64), r)
		}
	})
	g.VZEROUPPER()
	g.RET()
}

func (g *generator) maxOf4() {
	g.function("maxOf4", "func(y, a, b, c, d *float32, n int)",
		"sets y to the largest of four inputs, NaN if one is NaN; n is a positive multiple of 16. "+
			"y may be an input.")
	g.vectorLoop([]string{"y", "a", "b", "c", "d"}, func(p []reg.Register, disp int) {
		var v []vector
		for _, in := range p[1:] {
			x := g.vec()
			g.VMOVUPS(at(in, disp), x)
			v = append(v, x)
		}
		g.maxNaN(v[0], v[1])
		g.maxNaN(v[2], v[3])
		g.maxNaN(v[0], v[2])
		g.VMOVUPS(v[0], at(p[0], disp))
	})
}

const (
	equal     = 0
	unordered = 3
)

// maxNaN sets a to max(a, b), or to NaN if either is NaN. VMAXPS alone returns its second source,
// b, if either is NaN.
func (g *generator) maxNaN(a, b vector) {
	m := g.vec()
	g.VMAXPS(b, a, m)
	if g.wide {
		k := g.K()
		g.VCMPPS(op.U8(unordered), a, a, k)
		g.VBLENDMPS(a, m, k, a)
		return
	}
	k := g.YMM()
	g.VCMPPS(op.U8(unordered), a, a, k)
	g.VBLENDVPS(k, a, m, a)
}

func (g *generator) maxOf4Backward() {
	g.function("maxOf4Backward", "func(da, db, dc, dd, a, b, c, d, y, dy *float32, n int, relu int)",
		"gives dy to the first input that equals y or is NaN; with relu, only where y > 0 or is NaN. "+
			"n is a positive multiple of 16.")
	var in, out []reg.Register
	for _, name := range []string{"a", "b", "c", "d"} {
		in, out = append(in, g.param(name)), append(out, g.param("d"+name))
	}
	y, dy, i := g.param("y"), g.param("dy"), g.GP64()
	g.XORQ(i, i)
	zero := g.vec()
	g.zero(zero)
	top := g.label("vector")
	g.Label(top)
	v, grad := g.vec(), g.vec()
	g.VMOVUPS(by(y, i, 4, 0), v)
	g.VMOVUPS(by(dy, i, 4, 0), grad)
	relu, skip := g.param("relu"), g.label("norelu")
	g.TESTQ(relu, relu)
	g.JZ(op.LabelRef(skip))
	g.keepPositive(grad, v, zero)
	g.Label(skip)
	for k := range in {
		x := g.vec()
		g.PREFETCHT0(by(in[k], i, 4, 2048)) // neither is in a near cache: other layers ran since
		g.PREFETCHT0(by(out[k], i, 4, 2048))
		g.VMOVUPS(by(in[k], i, 4, 0), x)
		g.VMOVUPS(g.takeFirst(x, v, grad), by(out[k], i, 4, 0))
	}
	g.ADDQ(op.U8(g.bytes/4), i)
	g.CMPQ(i, g.param("n"))
	g.JL(op.LabelRef(top))
	g.VZEROUPPER()
	g.RET()
}

// takeFirst returns grad where x equals y or is NaN, 0 elsewhere, and clears
// grad where it was taken. A cleared gradient may be taken again: it is 0.
func (g *generator) takeFirst(x, y, grad vector) vector {
	taken := g.vec()
	if g.wide {
		hit, nan := g.K(), g.K()
		g.VCMPPS(op.U8(equal), y, x, hit)
		g.VCMPPS(op.U8(unordered), x, x, nan)
		g.KORW(nan, hit, hit)
		g.VMOVAPS_Z(grad, hit, taken)
		g.KNOTW(hit, hit)
		g.VMOVAPS_Z(grad, hit, grad)
		return taken
	}
	hit, nan := g.YMM(), g.YMM()
	g.VCMPPS(op.U8(equal), y, x, hit)
	g.VCMPPS(op.U8(unordered), x, x, nan)
	g.VORPS(nan, hit, hit)
	g.VANDPS(grad, hit, taken)
	g.VANDNPS(grad, hit, grad)
	return taken
}

func (g *generator) mask() {
	g.function("mask", "func(dst, dy, y *float32, n int)",
		"sets dst to dy where y > 0 or y is NaN, to 0 elsewhere; n is a positive multiple of 16. dst may be dy.")
	zero := g.vec()
	g.zero(zero)
	g.vectorLoop([]string{"dst", "dy", "y"}, func(p []reg.Register, disp int) {
		v, m := g.vec(), g.vec()
		g.VMOVUPS(at(p[1], disp), v)
		g.VMOVUPS(at(p[2], disp), m)
		g.keepPositive(v, m, zero)
		g.VMOVUPS(v, at(p[0], disp))
	})
}

func (g *generator) add() {
	g.function("add", "func(dst, a, b *float32, n int)",
		"sets dst to a + b; n is a positive multiple of 16. dst may be an operand.")
	g.vectorLoop([]string{"dst", "a", "b"}, func(p []reg.Register, disp int) {
		v := g.vec()
		g.VMOVUPS(at(p[1], disp), v)
		g.VADDPS(at(p[2], disp), v, v)
		g.VMOVUPS(v, at(p[0], disp))
	})
}

// peak writes the kernel that measures the roofline's peak: multiply-adds that do not access
// memory.
func (g *generator) peak() {
	const sums = 12
	g.function("peak", "func(n int)", "runs 12·n independent multiply-adds on full vectors.")
	acc := g.vecs(sums)
	for _, v := range acc {
		g.zero(v)
	}
	a, b := g.vec(), g.vec()
	g.zero(a)
	g.zero(b)
	n := g.param("n")
	g.loop(n, func() {
		for _, v := range acc {
			g.VFMADD231PS(a, b, v)
		}
	})
	g.VZEROUPPER()
	g.RET()
}

func (g *generator) pause() {
	g.suffix = ""
	g.function("pause", "func(n int)", "runs n (at least 1) PAUSE instructions: a moment in a spin loop.")
	n := g.param("n")
	g.loop(n, func() { g.PAUSE() })
	g.RET()
}
