package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowsTiles writes rowsTile's kernel. A step of it is the same as gradTile's, except for the places
// of the columns.
func (g *generator) rowsTiles() {
	g.byRows("rowsTile", "computes up to %d units of the tile.", g.rowsBody)
}

func (g *generator) rowsBody(t reg.Register, rows, cols int) {
	acc := g.sums(rows, cols)
	stride, stride3 := g.strides(t)
	w, start := g.slice(t, "w"), g.slice(t, "x")
	lane := g.GP64()
	g.XORQ(lane, lane)
	columns, next := g.columns(t, "at", start, lane, cols), g.columns(t, "next", start, lane, cols)
	top := g.label("lanes")
	g.innerLoop(top)
	g.gradStep(acc, w, stride, stride3, columns)
	for _, m := range next {
		g.PREFETCHT1(m)
	}
	g.ADDQ(op.U8(g.bytes), w)
	g.ADDQ(op.U8(g.bytes), lane)
	g.CMPQ(lane, stride)
	g.JNE(op.LabelRef(top))
	g.scatter(acc, g.slice(t, "y"), g.field(t, "yRow"))
}

// scatter adds the sum of each register to its place at y, and returns from the kernel. A row has
// four places, and rows lie row values apart.
func (g *generator) scatter(acc [][]vector, y, row reg.Register) {
	g.SHLQ(op.U8(2), row)
	g.rowSums(acc, func(r int, sums reg.Register) {
		g.addTo(sums, at(y, 0))
		if r < len(acc)-1 {
			g.ADDQ(row, y)
		}
	})
	g.VZEROUPPER()
	g.RET()
}

// rowSums runs body with the sums of each row of registers.
func (g *generator) rowSums(acc [][]vector, body func(r int, sums reg.Register)) {
	if !g.wide {
		for r := range acc {
			body(r, g.sumsOfRow(acc[r]))
		}
		return
	}
	for first := 0; first < len(acc); first += 4 {
		quarters := g.sumsOfRows(acc, first)
		for r := first; r < min(first+4, len(acc)); r++ {
			sums := g.XMM()
			g.VEXTRACTF32X4(op.U8(r-first), quarters, sums)
			body(r, sums)
		}
	}
}

// columns returns the addresses of the current lanes of the tile's images. The field places holds
// their offsets from start.
func (g *generator) columns(t reg.Register, places string, start, lane reg.Register, cols int) (m []op.Mem) {
	first := g.slice(t, places)
	for c := range cols {
		x := g.GP64()
		g.MOVLQSX(at(first, 4*c), x)
		g.LEAQ(by(start, x, 4, 0), x)
		m = append(m, by(x, lane, 1, 0))
	}
	return m
}

// outerTiles writes outerTile's kernel. The gradients of all units and images
// stay in registers: AVX-512 has room for 6×4, AVX2 for 3×4.
func (g *generator) outerTiles() {
	g.byRows("outerTile", "adds to up to %d units of the tile.", g.outerBody)
}

func (g *generator) outerBody(t reg.Register, rows, cols int) {
	dy, stride := g.slice(t, "dy"), g.field(t, "dyRow")
	g.SHLQ(op.U8(2), stride)
	factors := make([][]vector, rows)
	for r := range factors {
		factors[r] = g.vecs(cols)
		for c, v := range factors[r] {
			g.VBROADCASTSS(at(dy, 4*c), v)
		}
		if r < rows-1 {
			g.ADDQ(stride, dy)
		}
	}
	lane, end := g.GP64(), g.field(t, "lanes")
	g.XORQ(lane, lane)
	g.SHLQ(op.U8(2), end)
	columns := g.columns(t, "at", g.slice(t, "x"), lane, cols)
	dw, row := g.slice(t, "dw"), g.field(t, "dwRow")
	g.SHLQ(op.U8(2), row)
	top := g.label("lanes")
	g.innerLoop(top)
	places := g.rowAddresses(dw, row, rows)
	sums := g.vecs(rows)
	for r, v := range sums {
		g.VMOVUPS(places[r], v)
	}
	for c, m := range columns {
		x := g.vec()
		g.VMOVUPS(m, x)
		for r, v := range sums {
			g.VFMADD231PS(x, factors[r][c], v)
		}
	}
	for r, v := range sums {
		g.VMOVUPS(v, places[r])
	}
	g.ADDQ(op.U8(g.bytes), dw)
	g.ADDQ(op.U8(g.bytes), lane)
	g.CMPQ(lane, end)
	g.JNE(op.LabelRef(top))
	g.VZEROUPPER()
	g.RET()
}
