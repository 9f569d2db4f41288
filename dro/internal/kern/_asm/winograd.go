package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const windowSide = 4 // kern's

// windowTile writes the transformation of windows. The sixteen values of a window after the first
// half of it fill AVX2's registers, so that sources are read where they lie, and of a row's last half
// one value takes the place of another that is done with.
func (g *generator) windowTile() {
	g.function("windowTile", "func(t *windowTile)", "transforms windows.")
	t := g.param("t")
	g.eachVector(t, func(lane reg.Register) {
		for col := range windowSide {
			var x [windowSide]op.Mem
			for row := range x {
				base := g.elementOf(t, "x", windowSide*row+col)
				x[row] = by(base, lane, 1, 0)
				if col >= windowSide/2 {
					g.askBehind(t, base, lane)
				}
			}
			for row, pair := range [windowSide][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
				v := g.fixed(windowSide*row + col)
				g.VMOVUPS(x[pair[0]], v)
				if row == 1 {
					g.VADDPS(x[pair[1]], v, v)
				} else {
					g.VSUBPS(x[pair[1]], v, v)
				}
			}
		}
		v, plane := g.slice(t, "v"), g.floatStride(t, "apart")
		g.ADDQ(lane, v)
		for row := range windowSide {
			s := func(col int) vector { return g.fixed(windowSide*row + col) }
			g.VSUBPS(s(2), s(0), s(0))
			g.VMOVUPS(s(0), at(v, 0))
			g.VADDPS(s(2), s(1), s(0))
			g.VMOVUPS(s(0), by(v, plane, 1, 0))
			g.VSUBPS(s(1), s(2), s(2))
			g.VMOVUPS(s(2), by(v, plane, 2, 0))
			g.VSUBPS(s(3), s(1), s(1))
			g.LEAQ(by(v, plane, 2, 0), v)
			g.VMOVUPS(s(1), by(v, plane, 1, 0))
			g.LEAQ(by(v, plane, 2, 0), v)
		}
	})
}

// askBehind has the second-level cache ask for what lies ahead values behind.
func (g *generator) askBehind(t, base, lane reg.Register) {
	ahead := g.floatStride(t, "ahead")
	g.ADDQ(base, ahead)
	g.PREFETCHT1(by(ahead, lane, 1, 0))
}

// squareTile writes the transformation of products, with what a convolution ends with.
func (g *generator) squareTile() {
	g.function("squareTile", "func(t *squareTile)", "makes squares.")
	t := g.param("t")
	g.eachVector(t, func(lane reg.Register) {
		m, plane := g.slice(t, "m"), g.floatStride(t, "apart")
		g.ADDQ(lane, m)
		row, row3 := g.GP64(), g.GP64()
		g.MOVQ(plane, row)
		g.SHLQ(op.U8(2), row)
		g.LEAQ(by(row, row, 2, 0), row3)
		for col := range windowSide {
			high, low := g.fixed(col), g.fixed(windowSide+col)
			g.VMOVUPS(by(m, row, 1, 0), low)
			g.VADDPS(at(m, 0), low, high)
			g.VADDPS(by(m, row, 2, 0), high, high)
			g.VSUBPS(by(m, row, 2, 0), low, low)
			g.VSUBPS(by(m, row3, 1, 0), low, low)
			g.ADDQ(plane, m)
		}
		for half := range 2 {
			s := func(col int) vector { return g.fixed(windowSide*half + col) }
			g.VADDPS(s(1), s(0), s(0))
			g.VADDPS(s(2), s(0), s(0))
			g.VSUBPS(s(2), s(1), s(1))
			g.VSUBPS(s(3), s(1), s(1))
			for col := range 2 {
				g.squareFinish(t, lane, 2*half+col, s(col))
			}
		}
	})
}

// squareFinish applies ReLU, plus and mask to position k of a square and stores it.
func (g *generator) squareFinish(t, lane reg.Register, k int, v vector) {
	zero, m := g.fixed(2*windowSide), g.fixed(2*windowSide+1)
	g.zero(zero)
	noRelu := g.label("norelu")
	relu := g.field(t, "relu")
	g.TESTQ(relu, relu)
	g.JZ(op.LabelRef(noRelu))
	g.VMAXPS(v, zero, v) // the second source, here v, is the result if either is NaN
	g.Label(noRelu)

	noPlus := g.label("noplus")
	plus := g.elementOf(t, "plus", k)
	g.TESTQ(plus, plus)
	g.JZ(op.LabelRef(noPlus))
	g.VADDPS(by(plus, lane, 1, 0), v, v)
	g.askBehind(t, plus, lane)
	g.Label(noPlus)

	noMask := g.label("nomask")
	mask := g.elementOf(t, "mask", k)
	g.TESTQ(mask, mask)
	g.JZ(op.LabelRef(noMask))
	g.VMOVUPS(by(mask, lane, 1, 0), m)
	g.keepPositive(v, m, zero)
	g.askBehind(t, mask, lane)
	g.Label(noMask)
	y := g.elementOf(t, "y", k)
	g.VMOVUPS(v, by(y, lane, 1, 0))
	g.askBehind(t, y, lane)
}

// eachVector runs body for the byte offset of each vector of the tile's n values, and returns.
func (g *generator) eachVector(t reg.Register, body func(lane reg.Register)) {
	lane := g.GP64()
	g.XORQ(lane, lane)
	top := g.label("vector")
	g.Label(top)
	body(lane)
	g.ADDQ(op.U8(g.bytes), lane)
	g.CMPQ(lane, g.floatStride(t, "n"))
	g.JL(op.LabelRef(top))
	g.VZEROUPPER()
	g.RET()
}

// elementOf loads the base address of element k of an array of slices.
func (g *generator) elementOf(t reg.Register, name string, k int) reg.Register {
	return g.Load(g.structOf(t).Field(name).Index(k).Base(), g.GP64())
}
