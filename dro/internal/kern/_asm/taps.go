package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tapsRows          = 8 // as in package kern
	tapsCols          = 3 // as in package kern
	tapsPrefetchLines = 3 // as in package kern
)

// linesTile writes tapsTile's kernel for operands in lines. It keeps 24 sums in registers, and
// three lines of x and one line of dy at a time.
func (g *generator) linesTile() {
	g.function("linesTile", "func(t *tapsTile)", "computes the tile of lines.")
	t := g.param("t")
	const firstX, dyLine = tapsRows * tapsCols, tapsRows*tapsCols + tapsCols
	g.tapsSums(t, true)
	dy, x := g.slice(t, "dy"), g.slice(t, "x")
	prefetched := g.slice(t, "prefetchDY")
	row, tap := g.floatStride(t, "dyRow"), g.floatStride(t, "xTap")
	row3 := g.GP64()
	g.LEAQ(by(row, row, 2, 0), row3)
	g.loop(g.field(t, "positions"), func() {
		g.loop(g.field(t, "groups"), func() {
			g.PREFETCHT0(at(prefetched, 0))
			g.ADDQ(op.U8(64), prefetched)
			for c, m := range []op.Mem{at(x, 0), by(x, tap, 1, 0), by(x, tap, 2, 0)} {
				g.VMOVUPS(m, g.fixed(firstX+c))
			}
			high := g.GP64()
			g.LEAQ(by(dy, row, 4, 0), high)
			for r, m := range append(rowsFrom(dy, row, row3), rowsFrom(high, row, row3)...) {
				g.VMOVUPS(m, g.fixed(dyLine+r%2))
				for c := range tapsCols {
					g.dotPairs(firstX+c, dyLine+r%2, r*tapsCols+c)
				}
			}
			g.ADDQ(op.U8(64), dy)
			g.ADDQ(op.U8(64), x)
		})
		g.ADDQ(g.floatStride(t, "dyStep"), dy)
		g.ADDQ(g.floatStride(t, "xStep"), x)
	})
	g.tapsSums(t, false)
	g.VZEROUPPER()
	g.RET()
}

// tapsSums loads the sums, or stores them.
func (g *generator) tapsSums(t reg.Register, load bool) {
	sums := g.slice(t, "sum")
	for i := range tapsRows * tapsCols {
		if load {
			g.VMOVUPS(at(sums, 64*i), g.fixed(i))
		} else {
			g.VMOVUPS(g.fixed(i), at(sums, 64*i))
		}
	}
}

// tapsTile writes tapsTile's kernel. It keeps 24 sums in registers, three vectors of x, and two
// vectors of dy in turn. multiply adds the products of two registers to a third.
func (g *generator) tapsTile(multiply func(x, dy, sum int)) {
	g.function("tapsTile", "func(t *tapsTile)", "computes the tile.")
	t := g.param("t")
	const firstX, firstDY = tapsRows * tapsCols, tapsRows*tapsCols + tapsCols
	g.tapsSums(t, true)
	dy, x := g.slice(t, "dy"), g.slice(t, "x")
	prefetched := []reg.Register{g.slice(t, "prefetchDY"), g.slice(t, "prefetchX")}
	row, tap := g.floatStride(t, "dyRow"), g.floatStride(t, "xTap")
	row3 := g.GP64()
	g.LEAQ(by(row, row, 2, 0), row3)
	g.loop(g.field(t, "positions"), func() {
		g.loop(g.field(t, "groups"), func() {
			for _, next := range prefetched {
				for i := range tapsPrefetchLines {
					g.PREFETCHT0(at(next, 64*i))
				}
				g.ADDQ(op.U32(64*tapsPrefetchLines), next)
			}
			high, steps := g.GP64(), g.GP64()
			g.LEAQ(by(dy, row, 4, 0), high)
			g.MOVQ(op.U32(16), steps)
			g.loop(steps, func() {
				for c, m := range []op.Mem{at(x, 0), by(x, tap, 1, 0), by(x, tap, 2, 0)} {
					g.VMOVUPS(m, g.fixed(firstX+c))
				}
				for r, m := range append(rowsFrom(dy, row, row3), rowsFrom(high, row, row3)...) {
					g.VBROADCASTSS(m, g.fixed(firstDY+r%2))
					for c := range tapsCols {
						multiply(firstX+c, firstDY+r%2, r*tapsCols+c)
					}
				}
				g.ADDQ(op.U8(4), dy)
				g.ADDQ(op.U8(4), high)
				g.ADDQ(op.U8(64), x)
			})
		})
		g.ADDQ(g.floatStride(t, "dyStep"), dy)
		g.ADDQ(g.floatStride(t, "xStep"), x)
	})
	g.tapsSums(t, false)
	g.VZEROUPPER()
	g.RET()
}
