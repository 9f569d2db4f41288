package main

import (
	"strings"

	"github.com/mmcloughlin/avo/attr"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tileSide  = 16       // as in package kern
	zeroRow   = -1 << 31 // as in package kern
	lineShift = 6        // log2 of the 64 bytes of a line; offsets in operands count lines
)

// bf16 writes the kernels that pack operands into tiles, the kernel that finishes a product, and
// the products of tiles without AMX.
func (g *generator) bf16() {
	g.interleave = g.StaticGlobal("interleave")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 32 {
		g.AddDatum(2*i, op.U16(i/2+16*(i%2)))
	}
	g.quarters = g.StaticGlobal("quarters")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		g.AddDatum(8*i, op.U64(i/2+4*(i%2)))
	}
	g.packRows(false)
	g.packRows(true)
	g.packPairs()
	g.packPairsAcross()
	g.finish()
	g.prefetch()
	g.dotTile()
	g.tapsTile(g.dotPairs)
	g.dotPeak()
	g.pairs()
}

// These are the registers of a conversion to bf16, which is written as bytes: the two halves of its
// input, and its result.
const (
	lowHalf  = 29
	highHalf = 30
	both     = 31
)

const packSignature = "func(dst *uint16, src *float32, base int, rows *int32, cols int)"

// pack starts a packing kernel and returns the registers of its parameters dst, src and rows.
func (g *generator) pack(name, signature, doc string) (dst, src, rows reg.Register) {
	g.function(name, signature, doc)
	dst, src, rows = g.param("dst"), g.param("src"), g.param("rows")
	base := g.param("base")
	g.LEAQ(by(src, base, 4, 0), src)
	return dst, src, rows
}

// keep returns a mask of the columns from first on that lie below the parameter cols.
func (g *generator) keep(first int) reg.Register {
	n, bits, k := g.param("cols"), g.GP64(), g.K()
	g.MOVQ(op.I32(-1), bits)
	g.BZHIQ(n, bits, bits)
	if first > 0 {
		g.SHRQ(op.U8(first), bits)
	}
	g.KMOVW(bits.As32(), k)
	return k
}

// row loads the row at index i of the table into the fixed registers in to, one for each mask. If
// the table has no row there, it sets them to 0. If ahead is not nil, it prefetches the row at the
// same offset from ahead.
func (g *generator) row(src, rows reg.Register, i int, masks []reg.Register, to []int, ahead reg.Register) {
	offset, absent := g.GP64(), g.label("absent")
	for _, r := range to {
		g.VPXORD(g.fixed(r), g.fixed(r), g.fixed(r))
	}
	g.MOVLQSX(at(rows, 4*i), offset)
	g.CMPQ(offset, op.I32(zeroRow))
	g.JEQ(op.LabelRef(absent))
	if ahead != nil {
		g.PREFETCHT0(by(ahead, offset, 4, 0))
	}
	for k, r := range to {
		g.VMOVUPS_Z(by(src, offset, 4, 64*k), masks[k], g.fixed(r))
	}
	g.Label(absent)
}

func (g *generator) packRows(across bool) {
	name, doc := "packRows", "rounds 16 rows of cols ≤ 32 values, those at base + rows[i], to a tile of A."
	if across {
		name, doc = "packRowsAcross", "rounds 16 rows of cols ≤ 32 values to a tile of B, a row a column."
	}
	dst, src, rows := g.pack(name, packSignature, doc)
	masks := []reg.Register{g.keep(0), g.keep(16)}
	g.store(dst, across, func(i int) {
		g.row(src, rows, i, masks, []int{lowHalf, highHalf}, nil)
		g.narrowed(lowHalf, highHalf, both)
	})
}

func (g *generator) packPairs() {
	dst, src, rows := g.pack("packPairs", strings.TrimSuffix(packSignature, ")")+", lines int)",
		"rounds 2·lines rows of cols ≤ 16 values, those at base + rows[i], to a tile of B.")
	masks, order := g.pairOrder()
	g.loop(g.param("lines"), func() {
		g.pair(src, rows, 0, masks, order, nil)
		g.VMOVUPS(g.fixed(both), at(dst, 0))
		g.ADDQ(op.U8(8), rows)
		g.ADDQ(op.U8(64), dst)
	})
	g.VZEROUPPER()
	g.RET()
}

// packPairsAcross writes the kernel of the transposition of packPairs. Each of its lines goes to a
// tile of its own, since the columns of weights in memory are kernel taps.
func (g *generator) packPairsAcross() {
	dst, src, rows := g.pack("packPairsAcross", strings.TrimSuffix(packSignature, ")")+", to *int32, ahead int)",
		"rounds 32 rows of cols ≤ 16 values, those at base + rows[i], to a line a column, at dst + to[j] bytes. "+
			"It prefetches rows that are ahead values behind these.")
	ahead := g.param("ahead")
	g.LEAQ(by(src, ahead, 4, 0), ahead)
	masks, order := g.pairOrder()
	to, cols := g.param("to"), g.param("cols")
	var lines []vector
	for i := range tileSide {
		g.pair(src, rows, i, masks, order, ahead)
		v := g.vec()
		g.VMOVAPS(g.fixed(both), v)
		lines = append(lines, v)
	}
	done := g.label("stored")
	for j, v := range g.transposed(lines) {
		offset := g.GP64()
		g.MOVLQSX(at(to, 4*j), offset)
		g.VMOVUPS(v, by(dst, offset, 1, 0))
		if j+1 < tileSide {
			g.CMPQ(cols, op.U8(j+1))
			g.JLE(op.LabelRef(done))
		}
	}
	g.Label(done)
	g.VZEROUPPER()
	g.RET()
}

// pairOrder returns the mask of columns and the order of pairs.
func (g *generator) pairOrder() (masks []reg.Register, order vector) {
	masks, order = []reg.Register{g.keep(0)}, g.vec()
	g.VMOVDQU16(g.interleave, order)
	return masks, order
}

// pair rounds rows 2i and 2i+1 and interleaves them. If ahead is not nil, it prefetches the rows at
// the same offsets from ahead.
func (g *generator) pair(
	src, rows reg.Register, i int, masks []reg.Register, order vector, ahead reg.Register,
) {
	g.row(src, rows, 2*i, masks, []int{lowHalf}, ahead)
	g.row(src, rows, 2*i+1, masks, []int{highHalf}, ahead)
	g.narrowed(lowHalf, highHalf, both)
	g.VPERMW(g.fixed(both), order, g.fixed(both))
}

// store writes the 16 lines that line leaves in a register, or, if across, the lines of their
// transposition as 32-bit values.
func (g *generator) store(dst reg.Register, across bool, line func(i int)) {
	var lines []vector
	for i := range tileSide {
		line(i)
		if !across {
			g.VMOVUPS(g.fixed(both), at(dst, 64*i))
			continue
		}
		v := g.vec()
		g.VMOVAPS(g.fixed(both), v)
		lines = append(lines, v)
	}
	if across {
		for i, v := range g.transposed(lines) {
			g.VMOVUPS(v, at(dst, 64*i))
		}
	}
	g.VZEROUPPER()
	g.RET()
}

// finish writes the kernel that applies bias, ReLU and mask to the rows of a product.
func (g *generator) finish() {
	g.function("finish", "func(y, bias, mask *float32, rows, lanes, relu int)",
		"adds bias[r] to rows of lanes (a multiple of 16) values, clamps them at 0 with relu, and clears them "+
			"where mask ≤ 0; bias and mask may be nil.")
	y, bias, mask, relu := g.param("y"), g.param("bias"), g.param("mask"), g.param("relu")
	rows, lanes, zero := g.param("rows"), g.param("lanes"), g.vec()
	g.zero(zero)
	g.loop(rows, func() {
		b, noBias := g.vec(), g.label("nobias")
		g.zero(b)
		g.TESTQ(bias, bias)
		g.JZ(op.LabelRef(noBias))
		g.VBROADCASTSS(at(bias, 0), b)
		g.ADDQ(op.U8(4), bias)
		g.Label(noBias)
		left := g.GP64()
		g.MOVQ(lanes, left)
		top, noRelu, noMask := g.label("lanes"), g.label("norelu"), g.label("nomask")
		g.Label(top)
		v := g.vec()
		g.VADDPS(at(y, 0), b, v)
		g.TESTQ(relu, relu)
		g.JZ(op.LabelRef(noRelu))
		g.VMAXPS(v, zero, v) // the second source, here v, is the result if either is NaN
		g.Label(noRelu)
		g.TESTQ(mask, mask)
		g.JZ(op.LabelRef(noMask))
		m := g.vec()
		g.VMOVUPS(at(mask, 0), m)
		g.keepPositive(v, m, zero)
		g.ADDQ(op.U8(64), mask)
		g.Label(noMask)
		g.VMOVUPS(v, at(y, 0))
		g.ADDQ(op.U8(64), y)
		g.SUBQ(op.U8(16), left)
		g.JNZ(op.LabelRef(top))
	})
	g.VZEROUPPER()
	g.RET()
}

// prefetch writes the kernel that prefetches memory before it is written to.
func (g *generator) prefetch() {
	g.function("prefetch", "func(p *float32, lines int)", "prefetches lines of 64 bytes.")
	p, lines := g.param("p"), g.param("lines")
	g.loop(lines, func() {
		g.PREFETCHT0(at(p, 0))
		g.ADDQ(op.U8(64), p)
	})
	g.RET()
}

// dotRows is the number of rows of a tile for which the kernel without AMX keeps sums.
const dotRows = 8

// dotTile writes the kernel that multiplies 8 rows of a tile by one or two tiles.
func (g *generator) dotTile() {
	g.function("dotTile", "func(t *mulTile)", "computes the first 8 rows of the tile.")
	t := g.param("t")
	g.upTo(2, g.field(t, "cols"), func(cols int) { g.dotBody(t, cols) })
}

func (g *generator) dotBody(t reg.Register, cols int) {
	g.dotStart(t, cols)
	aBase, bBase, p := g.slice(t, "a"), g.slice(t, "b"), g.slice(t, "taps")
	end := g.Load(g.structOf(t).Field("taps").Len(), g.GP64())
	g.LEAQ(by(p, end, 8, 0), end)
	base := g.field(t, "bBase")
	g.SHLQ(op.U8(lineShift), base)
	g.ADDQ(base, bBase)
	aInner, bInner, bNext := g.field(t, "aInner"), g.field(t, "bInner"), g.field(t, "bNext")
	for _, r := range []reg.Register{aInner, bInner, bNext} {
		g.SHLQ(op.U8(lineShift), r)
	}
	g.SUBQ(op.U32(64), aInner) // the loop over pairs moves a and b on by this much
	g.SUBQ(op.U32(1024), bInner)
	top, done := g.label("tap"), g.label("store")
	g.Label(top)
	g.CMPQ(p, end)
	g.JEQ(op.LabelRef(done))
	a, b := g.GP64(), g.GP64()
	for _, o := range []struct{ at, base reg.Register }{{b, bBase}, {a, aBase}} {
		g.MOVLQSX(at(p, 0), o.at)
		g.SHLQ(op.U8(lineShift), o.at)
		g.ADDQ(o.base, o.at)
		g.ADDQ(op.U8(4), p)
	}
	inner := g.field(t, "inner")
	g.loop(inner, func() {
		g.loop(g.field(t, "pairs"), func() {
			g.dotStep(cols, a, b, bNext)
			g.ADDQ(op.U8(4), a)
			g.ADDQ(op.U8(64), b)
		})
		g.ADDQ(aInner, a)
		g.ADDQ(bInner, b)
	})
	g.JMP(op.LabelRef(top))
	g.Label(done)
	g.dotResults(t, cols, func(sum vector, m op.Mem) { g.VMOVUPS(sum, m) })
	g.VZEROUPPER()
	g.RET()
}

// dotStart sets the sums to 0 or, with add, to the values in c.
func (g *generator) dotStart(t reg.Register, cols int) {
	for i := range dotRows * cols {
		g.zero(g.fixed(i))
	}
	add, done := g.field(t, "add"), g.label("start")
	g.TESTQ(add, add)
	g.JZ(op.LabelRef(done))
	g.dotResults(t, cols, func(sum vector, m op.Mem) { g.VMOVUPS(m, sum) })
	g.Label(done)
}

// dotResults runs move for each sum and its place in c.
func (g *generator) dotResults(t reg.Register, cols int, move func(sum vector, m op.Mem)) {
	c, cRow := g.slice(t, "c"), g.field(t, "cRow")
	for i := range dotRows * cols {
		move(g.fixed(i), at(c, 64*(i%cols)))
		if i%cols == cols-1 {
			g.LEAQ(by(c, cRow, 4, 0), c)
		}
	}
}

// dotStep adds the products of one pair of values of each row with a pair of each column.
func (g *generator) dotStep(cols int, a, b, bNext reg.Register) {
	const firstB, firstA = 24, 28
	g.VMOVUPS(at(b, 0), g.fixed(firstB))
	if cols == 2 {
		g.VMOVUPS(by(b, bNext, 1, 0), g.fixed(firstB+1))
	}
	for r := range dotRows {
		pair := firstA + r%2
		g.VBROADCASTSS(at(a, 64*r), g.fixed(pair))
		for c := range cols {
			g.dotPairs(firstB+c, pair, r*cols+c)
		}
	}
}

// dotPeak writes the kernel that measures the peak of bf16: dot products of pairs that stay in
// registers.
func (g *generator) dotPeak() {
	g.function("dotPeak", "func(n int)", "runs 12·n independent dot products of pairs on full vectors.")
	n := g.param("n")
	for i := range 14 {
		g.zero(g.fixed(i))
	}
	g.loop(n, func() {
		for i := range 12 {
			g.dotPairs(12, 13, i)
		}
	})
	g.VZEROUPPER()
	g.RET()
}
