package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pairs writes the kernels that work on rounded activations without packing: the rounding of
// activations, and their products with weights.
func (g *generator) pairs() {
	g.rounded()
	g.normForward(true)
	g.normBackward(true)
	g.pairsTile()
	g.linesTile()
}

// quads returns the order of the 64-bit parts of a line. In this order, unpacking the words of two
// lines within their 128-bit parts gives pairs in the order of images.
func (g *generator) quads() vector {
	order := g.vec()
	g.VMOVDQU64(g.quarters, order)
	return order
}

// narrowedInOrder rounds the registers lowHalf and highHalf to a line of a rounded activation,
// which it leaves in the register both.
func (g *generator) narrowedInOrder(order vector) {
	g.narrowed(lowHalf, highHalf, both)
	g.VPERMQ(g.fixed(both), order, g.fixed(both))
}

func (g *generator) rounded() {
	g.function("round", "func(dst, src *float32, lines int)",
		"rounds 32 values, the images of a channel, to a line, so many times.")
	dst, src, order := g.param("dst"), g.param("src"), g.quads()
	g.loop(g.param("lines"), func() {
		g.VMOVUPS(at(src, 0), g.fixed(lowHalf))
		g.VMOVUPS(at(src, 64), g.fixed(highHalf))
		g.narrowedInOrder(order)
		g.VMOVUPS(g.fixed(both), at(dst, 0))
		g.ADDQ(op.I32(128), src)
		g.ADDQ(op.U8(64), dst)
	})
	g.VZEROUPPER()
	g.RET()
}

// These are the registers of pairsTile behind its 16 sums. They hold the pairs of two channels for
// images 0 to 15 and for the others, a line of a channel, weights in turn, zeros and the floor.
const (
	pairsLow   = 16
	pairsHigh  = 17
	pairsLine  = 18
	pairsFirst = 19 // the first of four
	pairsZero  = 23
	pairsFloor = 24
)

// pairsTile writes the kernel of pairsTile. Its nested loops go over positions, groups of 32
// images, rows of 8 channels of the destination, taps, and pairs of channels of the source.
func (g *generator) pairsTile() {
	g.function("pairsTile", "func(t *pairsTile)", "computes the tile.")
	t := g.param("t")
	tile := g.structOf(t)
	g.zero(g.fixed(pairsZero))
	floor := g.XMM()
	g.Load(tile.Field("floor"), floor)
	g.VBROADCASTSS(floor, g.fixed(pairsFloor))
	spots, left := g.slice(t, "spots"), g.Load(tile.Field("spots").Len(), g.GP64())
	zero := g.GP64()
	g.XORQ(zero, zero)
	g.Store(zero, tile.Field("offset"))
	g.loop(left, func() {
		g.XORQ(zero, zero)
		g.Store(zero, tile.Field("group"))
		group := g.label("group")
		g.Label(group)
		x, row := g.GP64(), g.GP64()
		g.MOVLQSX(at(spots, 0), x)
		g.SHLQ(op.U8(2), x)
		g.ADDQ(g.slice(t, "x"), x)
		shift := g.field(t, "group")
		g.SHLQ(op.U8(6), shift)
		g.ADDQ(shift, x)
		g.XORQ(row, row)
		rows := g.label("rows")
		g.Label(rows)
		g.pairsStart(t, row)
		g.pairsSums(t, spots, x, row)
		g.pairsEnd(t, row)
		g.INCQ(row)
		g.CMPQ(row, g.field(t, "rows"))
		g.JNE(op.LabelRef(rows))
		next := g.field(t, "group")
		g.INCQ(next)
		g.Store(next, tile.Field("group"))
		g.CMPQ(next, g.field(t, "groups"))
		g.JNE(op.LabelRef(group))
		step := g.floatStride(t, "lanes")
		g.IMULQ(g.field(t, "channels"), step)
		g.ADDQ(g.field(t, "offset"), step)
		g.Store(step, tile.Field("offset"))
		g.ADDQ(op.U8(12), spots)
	})
	g.VZEROUPPER()
	g.RET()
}

// pairsStart sets the sums of a row of 8 channels to the bias.
func (g *generator) pairsStart(t, row reg.Register) {
	bias := g.GP64()
	g.MOVQ(row, bias)
	g.SHLQ(op.U8(5), bias)
	g.ADDQ(g.slice(t, "bias"), bias)
	for r := range dotRows {
		g.VBROADCASTSS(at(bias, 4*r), g.fixed(2*r))
		g.VMOVAPS(g.fixed(2*r), g.fixed(2*r+1))
	}
}

// prefetchRow prefetches what the end of the tile needs for one channel, at an offset in bytes that
// it moves on to the next channel. Prefetches for all channels at once would wait for room in the
// queue of loads that miss.
func (g *generator) prefetchRow(t, offset reg.Register) {
	for _, name := range []string{"y", "plus"} {
		p, none := g.slice(t, name), g.label("none")
		g.TESTQ(p, p)
		g.JZ(op.LabelRef(none))
		g.PREFETCHT0(by(p, offset, 1, 0))
		g.PREFETCHT0(by(p, offset, 1, 64))
		g.Label(none)
	}
	half := g.GP64() // mask may be nil, since a prefetch never faults
	g.MOVQ(offset, half)
	g.SHRQ(op.U8(1), half)
	g.ADDQ(g.slice(t, "mask"), half)
	g.PREFETCHT0(at(half, 0))
	g.ADDQ(g.floatStride(t, "lanes"), offset)
}

// prefetchFirst runs prefetchRow once for each of the 8 channels in excess of the number of taps.
// Then each tap runs it once.
func (g *generator) prefetchFirst(t, offset, p, end reg.Register) {
	left, top, enough := g.GP64(), g.label("prefetch"), g.label("enough")
	g.MOVQ(p, left)
	g.SUBQ(end, left)
	g.SARQ(op.U8(3), left)
	g.ADDQ(op.U8(dotRows), left)
	g.Label(top)
	g.CMPQ(left, op.U8(0))
	g.JLE(op.LabelRef(enough))
	g.prefetchRow(t, offset)
	g.DECQ(left)
	g.JMP(op.LabelRef(top))
	g.Label(enough)
}

// place returns the offset in bytes of a row of 8 channels from the start of y.
func (g *generator) place(t, row reg.Register) reg.Register {
	offset, group := g.floatStride(t, "lanes"), g.field(t, "group")
	g.IMULQ(row, offset)
	g.SHLQ(op.U8(3), offset)
	g.SHLQ(op.U8(7), group)
	g.ADDQ(group, offset)
	g.ADDQ(g.field(t, "offset"), offset)
	return offset
}

// pairsSums adds up the products over taps and channels of the source.
func (g *generator) pairsSums(t, spots, x, row reg.Register) {
	weights, half := g.GP64(), g.GP64()
	g.MOVQ(row, weights)
	g.SHRQ(op.U8(1), weights)
	g.IMULQ(g.field(t, "aNext"), weights)
	g.SHLQ(op.U8(lineShift), weights)
	g.ADDQ(g.slice(t, "a"), weights)
	g.MOVQ(row, half)
	g.ANDQ(op.U8(1), half)
	g.SHLQ(op.U8(9), half)
	g.ADDQ(half, weights)
	p, taps, end := g.GP64(), g.slice(t, "taps"), g.GP64()
	g.MOVLQSX(at(spots, 4), p)
	g.MOVLQSX(at(spots, 8), end)
	g.LEAQ(by(taps, p, 8, 0), p)
	g.LEAQ(by(taps, end, 8, 0), end)
	prefetched := g.place(t, row)
	g.prefetchFirst(t, prefetched, p, end)
	channel := g.field(t, "groups")
	g.SHLQ(op.U8(lineShift), channel)
	top, done := g.label("tap"), g.label("done")
	g.Label(top)
	g.CMPQ(p, end)
	g.JEQ(op.LabelRef(done))
	g.prefetchRow(t, prefetched)
	a, b := g.GP64(), g.GP64()
	g.MOVLQSX(at(p, 0), b)
	g.LEAQ(by(x, b, 4, 0), b)
	g.MOVLQSX(at(p, 4), a)
	g.SHLQ(op.U8(lineShift), a)
	g.ADDQ(weights, a)
	g.ADDQ(op.U8(8), p)
	g.loop(g.field(t, "inner"), func() {
		pairs := g.field(t, "pairs")
		g.loop(pairs, func() {
			g.pairsStep(a, b, channel)
			g.LEAQ(by(b, channel, 2, 0), b)
			g.ADDQ(op.U8(4), a)
		})
		g.ADDQ(op.U32(1024-64), a) // if there are several tiles, they are whole
	})
	g.JMP(op.LabelRef(top))
	g.Label(done)
}

// pairsStep adds the products of a pair of channels with their weights.
func (g *generator) pairsStep(a, b, channel reg.Register) {
	g.VMOVUPS(at(b, 0), g.fixed(pairsLine))
	g.VPUNPCKLWD(by(b, channel, 1, 0), g.fixed(pairsLine), g.fixed(pairsLow))
	g.VPUNPCKHWD(by(b, channel, 1, 0), g.fixed(pairsLine), g.fixed(pairsHigh))
	for r := range dotRows {
		weight := pairsFirst + r%4
		g.VBROADCASTSS(at(a, 64*r), g.fixed(weight))
		g.dotPairs(pairsLow, weight, 2*r)
		g.dotPairs(pairsHigh, weight, 2*r+1)
	}
}

// pairsEnd applies plus, floor and mask to the sums of a row of 8 channels, and stores them in y.
func (g *generator) pairsEnd(t, row reg.Register) {
	offset, half := g.place(t, row), g.GP64()
	g.MOVQ(offset, half)
	g.SHRQ(op.U8(1), half)
	y, lanes, step := g.slice(t, "y"), g.floatStride(t, "lanes"), g.field(t, "lanes")
	g.ADDQ(step, step)
	plus, mask := g.slice(t, "plus"), g.slice(t, "mask")
	for r := range dotRows {
		noPlus, noMask := g.label("noplus"), g.label("nomask")
		g.TESTQ(plus, plus)
		g.JZ(op.LabelRef(noPlus))
		for k := range 2 {
			g.VADDPS(by(plus, offset, 1, 64*k), g.fixed(2*r+k), g.fixed(2*r+k))
		}
		g.Label(noPlus)
		for k := range 2 { // the second source, the sum, is the result if either is NaN
			g.VMAXPS(g.fixed(2*r+k), g.fixed(pairsFloor), g.fixed(2*r+k))
		}
		g.TESTQ(mask, mask)
		g.JZ(op.LabelRef(noMask))
		g.VPUNPCKLWD(by(mask, half, 1, 0), g.fixed(pairsZero), g.fixed(pairsLow))
		g.VPUNPCKHWD(by(mask, half, 1, 0), g.fixed(pairsZero), g.fixed(pairsHigh))
		for k, value := range []int{pairsLow, pairsHigh} {
			g.keepPositive(g.fixed(2*r+k), g.fixed(value), g.fixed(pairsZero))
		}
		g.Label(noMask)
		for k := range 2 {
			g.VMOVUPS(g.fixed(2*r+k), by(y, offset, 1, 64*k))
		}
		g.ADDQ(lanes, offset)
		g.ADDQ(step, half)
	}
}
