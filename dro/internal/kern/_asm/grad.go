package main

import (
	"fmt"

	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gradTiles writes gradTile's kernel. AVX-512 keeps 6×4 sums, AVX2 3×4.
func (g *generator) gradTiles() {
	g.byRows("gradTile", "computes up to %d rows of the tile.", g.gradBody)
}

// byRows writes the kernel of the tile called name. It has a body, which returns from the kernel,
// for each number of columns and each number of rows that fits the registers.
func (g *generator) byRows(name, doc string, body func(t reg.Register, rows, cols int)) {
	most := tileRows
	if !g.wide {
		most = tileRows / 2
	}
	g.function(name, "func(t *"+name+")", fmt.Sprintf(doc, most))
	t := g.param("t")
	rows, cols := g.field(t, "rows"), g.field(t, "cols")
	g.upTo(most, rows, func(r int) {
		g.upTo(gradCols, cols, func(c int) { body(t, r, c) })
	})
}

// upTo writes a body for each value of n from 1 to most. The last is also for greater values.
func (g *generator) upTo(most int, n reg.Register, body func(n int)) {
	for value := 1; value < most; value++ {
		next := g.label("next")
		g.CMPQ(n, op.U8(value))
		g.JNE(op.LabelRef(next))
		body(value)
		g.Label(next)
	}
	body(most)
}

func (g *generator) gradBody(t reg.Register, rows, cols int) {
	acc := g.sums(rows, cols)
	stride, stride3 := g.strides(t)
	dyBlock, xBlock := g.slice(t, "dy"), g.slice(t, "x")
	blocks := g.field(t, "blocks")
	g.loop(blocks, func() {
		p := g.slice(t, "pairs")
		count := g.Load(g.structOf(t).Field("pairs").Len(), g.GP64())
		g.loop(count, func() {
			dy, x := g.GP64(), g.GP64()
			g.MOVLQSX(at(p, 0), dy)
			g.MOVLQSX(at(p, 4), x)
			g.LEAQ(by(dyBlock, dy, 4, 0), dy)
			g.LEAQ(by(xBlock, x, 4, 0), x)
			g.ADDQ(op.U8(8), p)
			left := g.field(t, "lanes")
			top := g.label("lanes")
			g.innerLoop(top)
			g.gradStep(acc, dy, stride, stride3, rowsFrom(x, stride, stride3)[:cols])
			g.ADDQ(op.U8(g.bytes), dy)
			g.ADDQ(op.U8(g.bytes), x)
			g.SUBQ(op.U8(g.bytes/4), left)
			g.JNZ(op.LabelRef(top))
		})
		for _, s := range []struct {
			name string
			p    reg.Register
		}{{"dyBlock", dyBlock}, {"xBlock", xBlock}} {
			step := g.field(t, s.name)
			g.LEAQ(by(s.p, step, 4, 0), s.p)
		}
	})
	g.reduce(acc, g.slice(t, "sum"))
}

// sums returns rows of cols registers that hold 0.
func (g *generator) sums(rows, cols int) [][]vector {
	acc := make([][]vector, rows)
	for r := range acc {
		acc[r] = g.vecs(cols)
		for _, v := range acc[r] {
			g.zero(v)
		}
	}
	return acc
}

// strides returns the size in bytes of one row of lanes and of three rows.
func (g *generator) strides(t reg.Register) (one, three reg.Register) {
	stride, stride3 := g.field(t, "lanes"), g.GP64()
	g.SHLQ(op.U8(2), stride)
	g.LEAQ(by(stride, stride, 2, 0), stride3)
	return stride, stride3
}

// reduce adds the sum of each register to its place at sum, and returns from the kernel.
func (g *generator) reduce(acc [][]vector, sum reg.Register) {
	if g.wide {
		g.reduceWide(acc, sum)
	} else {
		g.reduceRows(acc, sum)
	}
	g.VZEROUPPER()
	g.RET()
}

// rowsFrom returns the addresses of four rows that lie a stride apart.
func rowsFrom(base, stride, stride3 reg.Register) []op.Mem {
	return []op.Mem{at(base, 0), by(base, stride, 1, 0), by(base, stride, 2, 0), by(base, stride3, 1, 0)}
}

// gradStep adds the products of one vector of each row at dy with the vector of each column. The
// rows lie a stride apart.
func (g *generator) gradStep(acc [][]vector, dy, stride, stride3 reg.Register, columns []op.Mem) {
	rows := rowsFrom(dy, stride, stride3)
	load := func(m op.Mem) vector {
		v := g.vec()
		g.VMOVUPS(m, v)
		return v
	}
	if !g.wide {
		// 12 sums leave four registers: three rows and one column.
		var d []vector
		for r := range acc {
			d = append(d, load(rows[r]))
		}
		for c := range columns {
			v := load(columns[c])
			for r := range acc {
				g.VFMADD231PS(v, d[r], acc[r][c])
			}
		}
		return
	}
	var in []vector
	for _, m := range columns {
		in = append(in, load(m))
	}
	third := g.GP64()
	if len(acc) > 4 {
		g.LEAQ(by(dy, stride3, 1, 0), third)
	}
	for r := range acc {
		m := rows[min(r, 3)]
		if r > 3 {
			m = by(third, stride, r-3, 0)
		}
		d := load(m)
		for c := range columns {
			g.VFMADD231PS(in[c], d, acc[r][c])
		}
	}
}

// reduceRows adds the sum of each AVX2 register to its place, one row of four registers at a time.
func (g *generator) reduceRows(acc [][]vector, sum reg.Register) {
	for r, row := range acc {
		g.addTo(g.sumsOfRow(row), at(sum, 4*gradCols*r))
	}
}

// sumsOfRow returns a register with the sums of up to four AVX2 registers.
func (g *generator) sumsOfRow(row []vector) reg.Register {
	v := make([]vector, gradCols)
	for c := range v {
		v[c] = row[min(c, len(row)-1)]
	}
	a, b, high := g.YMM(), g.YMM(), g.XMM()
	g.VHADDPS(v[1], v[0], a)
	g.VHADDPS(v[3], v[2], b)
	g.VHADDPS(b, a, a)
	g.VEXTRACTF128(op.U8(1), a, high)
	g.VADDPS(high, a.AsX(), high)
	return high
}

// reduceWide adds the sum of each AVX-512 register to its place, four rows of four registers at a
// time.
func (g *generator) reduceWide(acc [][]vector, sum reg.Register) {
	for first := 0; first < len(acc); first += 4 {
		sums := g.sumsOfRows(acc, first)
		if first == 0 && len(acc) > 2 {
			g.addTo(sums, at(sum, 0))
		} else {
			g.addTo(sums.AsY(), at(sum, 4*gradCols*first))
		}
	}
}

// sumsOfRows returns a register with the sums of four rows of AVX-512 registers, from row first on,
// one row in each quarter. It computes them by a tree of transposing additions. Each level halves
// the number of registers and doubles the number of sums in each.
func (g *generator) sumsOfRows(acc [][]vector, first int) vector {
	level := make([]vector, 16)
	for i := range level {
		// After the four levels, the sum of register i is in quarter i%4 at place i/4%2·1 + i/8·2,
		// so that each quarter is a row.
		if r, c := first+i%4, i/4; r < len(acc) && c < len(acc[r]) {
			level[i] = acc[r][c]
		}
	}
	for _, add := range []func(a, b vector) vector{g.addHalves, g.addQuarters, g.addPairs, g.addSingles} {
		next := make([]vector, len(level)/2)
		for i := range next {
			a, b := level[2*i], level[2*i+1]
			if b == nil {
				b = a
			}
			if a != nil {
				next[i] = add(a, b)
			}
		}
		level = next
	}
	return level[0]
}

// addTo adds v to the vector in memory.
func (g *generator) addTo(v reg.Register, m op.Mem) {
	g.VADDPS(m, v, v)
	g.VMOVUPS(v, m)
}

// added returns the sum of two shuffles of a and b.
func (g *generator) added(shuffle func(imm op.Op, b, a, dst vector), a, b vector, even, odd uint) vector {
	s, t := g.ZMM(), g.ZMM()
	shuffle(op.U8(even), b, a, s)
	shuffle(op.U8(odd), b, a, t)
	g.VADDPS(t, s, s)
	return s
}

func (g *generator) shuffleQuarters(imm op.Op, b, a, dst vector) {
	g.VSHUFF32X4(imm, b, a, dst)
}
func (g *generator) shuffleValues(imm op.Op, b, a, dst vector) { g.VSHUFPS(imm, b, a, dst) }

func (g *generator) addHalves(a, b vector) vector {
	return g.added(g.shuffleQuarters, a, b, 0x44, 0xee)
}

func (g *generator) addQuarters(a, b vector) vector {
	return g.added(g.shuffleQuarters, a, b, 0x88, 0xdd)
}

func (g *generator) addPairs(a, b vector) vector {
	return g.added(g.shuffleValues, a, b, 0x44, 0xee)
}

func (g *generator) addSingles(a, b vector) vector {
	return g.added(g.shuffleValues, a, b, 0x88, 0xdd)
}
