package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes the kernel that transposes a square of 16 (AVX2: 8) rows and columns, or less at
// an edge. Pack and the weight gradient, among others, use it.
func (g *generator) transpose() {
	n := g.bytes / 4
	g.function("transpose", "func(dst, src *float32, rows, cols, dstStride, srcStride int)",
		fmt.Sprintf("transposes up to %d×%d values: "+
			"dst[j·dstStride+i] = src[i·srcStride+j] for i < rows and j < cols.", n, n))
	dst, src := g.param("dst"), g.param("src")
	dstStride, srcStride := g.param("dstStride"), g.param("srcStride")
	g.SHLQ(op.U8(2), dstStride)
	g.SHLQ(op.U8(2), srcStride)
	rows := g.vecs(n)
	for _, v := range rows {
		g.zero(v)
	}
	step := func(p, stride, left reg.Register, end string) {
		g.DECQ(left)
		g.JZ(op.LabelRef(end))
		g.ADDQ(stride, p)
	}
	loaded, done := g.label("loaded"), g.label("stored")
	left, load := g.param("rows"), g.firstLanes("cols")
	for _, v := range rows {
		g.maskedLoad(src, load, v)
		step(src, srcStride, left, loaded)
	}
	g.Label(loaded)
	left, store := g.param("cols"), g.firstLanes("rows")
	for _, v := range g.transposed(rows) {
		g.maskedStore(v, store, dst)
		step(dst, dstStride, left, done)
	}
	g.Label(done)
	g.VZEROUPPER()
	g.RET()
}

// transposeSquares writes the kernel that transposes several whole squares in a row, without masks.
func (g *generator) transposeSquares() {
	n := g.bytes / 4
	g.function("transposeSquares",
		"func(dst, src *float32, squares, dstStep, srcStep, dstStride, srcStride int)",
		fmt.Sprintf("transposes squares of %d×%d values, each dstStep and srcStep after the one before.", n, n))
	dst, src := g.param("dst"), g.param("src")
	bytes := func(name string) (step, three reg.Register) {
		step, three = g.param(name), g.GP64()
		g.SHLQ(op.U8(2), step)
		g.LEAQ(by(step, step, 2, 0), three)
		return step, three
	}
	dstStride, dstStride3 := bytes("dstStride")
	srcStride, srcStride3 := bytes("srcStride")
	each := func(base, stride, stride3 reg.Register, visit func(i int, m op.Mem)) {
		p := g.GP64()
		g.MOVQ(base, p)
		for i := 0; i < n; i += 4 {
			for k, m := range rowsFrom(p, stride, stride3) {
				visit(i+k, m)
			}
			g.LEAQ(by(p, stride, 4, 0), p)
		}
	}
	g.loop(g.param("squares"), func() {
		rows := g.vecs(n)
		each(src, srcStride, srcStride3, func(i int, m op.Mem) { g.VMOVUPS(m, rows[i]) })
		columns := g.transposed(rows)
		each(dst, dstStride, dstStride3, func(i int, m op.Mem) { g.VMOVUPS(columns[i], m) })
		g.LEAQ(by(src, g.param("srcStep"), 4, 0), src)
		g.LEAQ(by(dst, g.param("dstStep"), 4, 0), dst)
	})
	g.VZEROUPPER()
	g.RET()
}

// bytesAhead is how far ahead splitLines prefetches memory.
const bytesAhead = 4 << 10

// splitLines writes the kernel that copies lines of memory, a part of each to each of some copies.
func (g *generator) splitLines() {
	g.function("splitLines", "func(dst, src *float32, lines, stride, parts, apart int)",
		"copies lines, which lie stride values apart in src, in parts of 16 values: "+
			"part k of all lines is at dst[k·apart].")
	dst, src, stride := g.param("dst"), g.param("src"), g.param("stride")
	apart := g.param("apart")
	g.SHLQ(op.U8(2), stride)
	g.SHLQ(op.U8(2), apart)
	g.loop(g.param("lines"), func() {
		from, to := g.GP64(), g.GP64()
		g.MOVQ(src, from)
		g.MOVQ(dst, to)
		g.loop(g.param("parts"), func() {
			low, high := g.vec(), g.vec()
			g.VMOVUPS(at(from, 0), low)
			g.VMOVUPS(at(from, g.bytes), high)
			g.VMOVUPS(low, at(to, 0))
			g.VMOVUPS(high, at(to, g.bytes))
			g.PREFETCHT1(at(from, bytesAhead))
			g.ADDQ(op.U8(2*g.bytes), from)
			g.ADDQ(apart, to)
		})
		g.ADDQ(stride, src)
		g.ADDQ(op.U8(2*g.bytes), dst)
	})
	g.VZEROUPPER()
	g.RET()
}

// firstLanes returns a mask of the first n lanes. n is the named parameter, at most the number of
// lanes of a vector.
func (g *generator) firstLanes(name string) reg.Register {
	n := g.param(name)
	if g.wide {
		bits, k := g.GP32(), g.K()
		g.MOVL(op.U32(0xffff), bits)
		g.BZHIL(n.(reg.GPVirtual).As32(), bits, bits)
		g.KMOVW(bits, k)
		return k
	}
	table, mask := g.GP64(), g.YMM()
	g.LEAQ(g.laneTable, table)
	g.SHLQ(op.U8(2), n)
	g.SUBQ(n, table)
	g.VMOVUPS(at(table, 32), mask)
	return mask
}

// laneTableData writes the table that holds the masks of AVX2: eight set lanes, then eight clear
// ones.
func (g *generator) laneTableData() {
	g.laneTable = g.StaticGlobal("lanes")
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		value := op.U32(0xffffffff)
		if i >= 8 {
			value = 0
		}
		g.AddDatum(4*i, value)
	}
}

func (g *generator) maskedLoad(p, mask reg.Register, v vector) {
	if g.wide {
		g.VMOVUPS_Z(at(p, 0), mask, v)
	} else {
		g.VMASKMOVPS(at(p, 0), mask, v)
	}
}

func (g *generator) maskedStore(v vector, mask, p reg.Register) {
	if g.wide {
		g.VMOVUPS(v, mask, at(p, 0))
	} else {
		g.VMASKMOVPS(v, mask, at(p, 0))
	}
}

// transposed returns the transposition of v. It interleaves values, then pairs, then 128-bit parts.
func (g *generator) transposed(v []vector) []vector {
	pairs := make([]vector, len(v)) // pairs[4i+k]: column k of rows 4i..4i+3 in each 128-bit part
	for i := 0; i < len(v); i += 4 {
		a, b, c, d := g.vec(), g.vec(), g.vec(), g.vec()
		g.VUNPCKLPS(v[i+1], v[i], a)
		g.VUNPCKHPS(v[i+1], v[i], b)
		g.VUNPCKLPS(v[i+3], v[i+2], c)
		g.VUNPCKHPS(v[i+3], v[i+2], d)
		for k, p := range [][2]vector{{a, c}, {b, d}} {
			low, high := g.vec(), g.vec()
			g.VUNPCKLPD(p[1], p[0], low)
			g.VUNPCKHPD(p[1], p[0], high)
			pairs[i+2*k], pairs[i+2*k+1] = low, high
		}
	}
	out := make([]vector, len(v))
	for k := range 4 {
		if !g.wide {
			out[k], out[k+4] = g.vec(), g.vec()
			g.VPERM2F128(op.U8(0x20), pairs[4+k], pairs[k], out[k])
			g.VPERM2F128(op.U8(0x31), pairs[4+k], pairs[k], out[k+4])
			continue
		}
		for half, imm := range []uint{0x88, 0xdd} {
			low, high := g.vec(), g.vec()
			g.VSHUFF32X4(op.U8(imm), pairs[4+k], pairs[k], low)
			g.VSHUFF32X4(op.U8(imm), pairs[12+k], pairs[8+k], high)
			out[4*half+k], out[8+4*half+k] = g.vec(), g.vec()
			g.VSHUFF32X4(op.U8(0x88), high, low, out[4*half+k])
			g.VSHUFF32X4(op.U8(0xdd), high, low, out[8+4*half+k])
		}
	}
	return out
}
