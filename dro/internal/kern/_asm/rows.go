package main

import (
	"fmt"

	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowsTiles writes rowsTile's kernel, as gradTiles does: a step of both is the
// same, but for where the columns lie.
func (g *generator) rowsTiles() {
	most := tileRows
	if !g.wide {
		most = tileRows / 2
	}
	for rows := 1; rows <= most; rows++ {
		g.function(fmt.Sprintf("rowsTile%d", rows), "func(t *rowsTile)",
			fmt.Sprintf("computes the tile's first %d units.", rows))
		g.eachCols(func(t reg.Register, cols int) { g.rowsBody(t, rows, cols) })
	}
}

func (g *generator) rowsBody(t reg.Register, rows, cols int) {
	acc := g.sums(rows, cols)
	stride, stride3 := g.strides(t)
	w, start := g.slice(t, "w"), g.slice(t, "x")
	var columns []op.Mem
	lane := g.GP64()
	g.XORQ(lane, lane)
	for c := range cols {
		x := g.Load(g.structOf(t).Field("at").Index(c), g.GP64())
		g.LEAQ(by(start, x, 4, 0), x)
		columns = append(columns, by(x, lane, 1, 0))
	}
	top := g.label("lanes")
	g.Label(top)
	g.gradStep(acc, w, stride, stride3, columns)
	g.ADDQ(op.U8(g.bytes), w)
	g.ADDQ(op.U8(g.bytes), lane)
	g.CMPQ(lane, stride)
	g.JNE(op.LabelRef(top))
	g.reduce(acc, g.slice(t, "sum"))
}

// prefetch writes the request of memory that is wanted later.
func (g *generator) prefetch() {
	g.function("prefetch", "func(p *float32, lines int)",
		"asks for lines > 0 cache lines, to be brought into the second level.")
	p, lines := g.param("p"), g.param("lines")
	g.loop(lines, func() {
		g.PREFETCHT1(at(p, 0))
		g.ADDQ(op.U8(64), p)
	})
	g.RET()
}
