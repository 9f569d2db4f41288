package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectorTiles writes the kernels of Winograd's convolutions that take 16 lanes of every channel,
// which are two registers.
func (g *generator) vectorTiles() {
	g.vectorWindowTile()
	g.vectorProductTile()
	g.vectorSquareTile()
	g.vectorSpreadTile()
}

const (
	lineBytes     = 64 // of 16 lanes
	vectorStreams = 5  // as in package kern
)

// windowRows holds, for each row of places, the two rows of a window that it joins.
var windowRows = [windowSide][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}}

func (g *generator) vectorWindowTile() {
	g.function("vectorWindowTile", "func(t *vectorWindowTile)", "transforms a row of windows.")
	t := g.param("t")
	g.byFlag(t, "line", []int{0, 1, 2, 3}, func(line int) { g.vectorWindowRow(t, line) })
}

// vectorWindowRow writes the loop over channels for a row of places.
func (g *generator) vectorWindowRow(t reg.Register, line int) {
	row := func(i int) (bases []reg.Register) {
		for col := range windowSide {
			x := g.structOf(t).Field("x").Index(i*windowSide + col)
			bases = append(bases, g.Load(x.Base(), g.GP64()))
		}
		return bases
	}
	a, b := row(windowRows[line][0]), row(windowRows[line][1])
	v := g.places(t, "v")
	lane := g.floatStride(t, "lane")
	g.loop(g.field(t, "channels"), func() {
		for i := range lineBytes / g.bytes {
			var s [windowSide]vector
			for col := range s {
				s[col] = g.fixed(windowSide*i + col)
				g.VMOVUPS(by(a[col], lane, 1, i*g.bytes), s[col])
				if line == 1 {
					g.VADDPS(by(b[col], lane, 1, i*g.bytes), s[col], s[col])
				} else {
					g.VSUBPS(by(b[col], lane, 1, i*g.bytes), s[col], s[col])
				}
			}
			first := g.fixed(2*windowSide + i)
			g.VSUBPS(s[2], s[0], first)
			g.VMOVUPS(first, behind(v[0], i*g.bytes))
			g.VADDPS(s[2], s[1], first)
			g.VMOVUPS(first, behind(v[1], i*g.bytes))
			g.VSUBPS(s[1], s[2], s[2])
			g.VMOVUPS(s[2], behind(v[2], i*g.bytes))
			g.VSUBPS(s[3], s[1], s[1])
			g.VMOVUPS(s[1], behind(v[3], i*g.bytes))
		}
		g.ADDQ(op.U8(lineBytes), v[0].Base)
		g.ADDQ(op.U8(lineBytes), v[2].Base)
		g.ADDQ(g.floatStride(t, "lanes"), lane)
	})
	g.VZEROUPPER()
	g.RET()
}

// productArgs are the registers of vectorProductTile: the places that are left, the addresses of
// the next results of a place, of its v and of the weights of the next rows, of the next bias and
// the next height of a tile, and the strides of the weights.
type productArgs struct {
	t, left, m, v, w, bias, height, row, step reg.Register
}

func (g *generator) vectorProductTile() {
	g.function("vectorProductTile", "func(t *vectorProductTile)", "multiplies places.")
	t := g.param("t")
	a := productArgs{t: t, left: g.field(t, "count"), m: g.GP64(), v: g.GP64(), w: g.GP64(),
		bias: g.slice(t, "bias"), height: g.GP64(), row: g.floatStride(t, "row"),
		step: g.floatStride(t, "step")}
	places, err := g.structOf(t).Field("places").Index(0).Field("m").Resolve()
	if err != nil {
		panic(err)
	}
	next := g.GP64()
	g.LEAQ(places.Addr, next)
	place := g.label("place")
	g.Label(place)
	for k, base := range []reg.Register{a.m, a.v, a.w} {
		name := []string{"m", "v", "w"}[k]
		offset := g.GP64()
		g.MOVQ(at(next, 8*k), offset)
		g.Load(g.structOf(t).Field(name).Base(), base)
		g.LEAQ(by(base, offset, 4, 0), base)
	}
	g.ADDQ(op.U8(24), next)
	g.Load(g.structOf(t).Field("heights").Base(), a.height)
	tile, done := g.label("tile"), g.label("done")
	g.Label(tile)
	rows := g.GP64()
	g.MOVQ(at(a.height, 0), rows)
	for r := tileRows; r > 1; r-- {
		fewer := g.label("rows")
		g.CMPQ(rows, op.U8(r))
		g.JNE(op.LabelRef(fewer))
		g.productRows(a, r)
		g.JMP(op.LabelRef(done))
		g.Label(fewer)
	}
	g.productRows(a, 1)
	g.Label(done)
	g.ADDQ(op.U8(8), a.height)
	g.CMPQ(at(a.height, 0), op.U8(0))
	g.JNE(op.LabelRef(tile))
	g.DECQ(a.left)
	g.JNZ(op.LabelRef(place))
	g.VZEROUPPER()
	g.RET()
}

// productRows computes the next rows channels of a place.
func (g *generator) productRows(a productArgs, rows int) {
	acc := make([][2]vector, rows)
	for r := range acc {
		acc[r] = [2]vector{g.fixed(2 * r), g.fixed(2*r + 1)}
	}
	g.askLines(a.t)
	fresh, zero, start := g.label("fresh"), g.label("zero"), g.label("start")
	g.CMPQ(g.field(a.t, "add"), op.U8(0))
	g.JE(op.LabelRef(fresh))
	for r, sums := range acc {
		for i, v := range sums {
			g.VMOVUPS(at(a.m, r*lineBytes+i*g.bytes), v)
		}
	}
	g.JMP(op.LabelRef(start))
	g.Label(fresh)
	g.CMPQ(a.left, g.field(a.t, "biasLeft"))
	g.JNE(op.LabelRef(zero))
	for r, sums := range acc {
		for _, v := range sums {
			g.VBROADCASTSS(at(a.bias, 4*r), v)
		}
	}
	g.ADDQ(op.U8(4*rows), a.bias)
	g.JMP(op.LabelRef(start))
	g.Label(zero)
	for _, sums := range acc {
		for _, v := range sums {
			g.zero(v)
		}
	}
	g.Label(start)
	x, w, third := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(a.v, x)
	g.MOVQ(a.w, w)
	g.LEAQ(by(w, a.row, 2, 0), third)
	g.ADDQ(a.row, third)
	left := g.field(a.t, "channels")
	top := g.label("channel")
	g.innerLoop(top)
	in := [2]vector{g.fixed(12), g.fixed(13)}
	for i, v := range in {
		g.VMOVUPS(at(x, i*g.bytes), v)
	}
	weights := []op.Mem{at(w, 0), by(w, a.row, 1, 0), by(w, a.row, 2, 0),
		at(third, 0), by(third, a.row, 1, 0), by(third, a.row, 2, 0)}
	for r, sums := range acc {
		weight := g.fixed(14 + r%2)
		g.VBROADCASTSS(weights[r], weight)
		for i, v := range sums {
			g.VFMADD231PS(in[i], weight, v)
		}
	}
	g.ADDQ(op.U8(lineBytes), x)
	g.ADDQ(a.step, w)
	if rows > 3 {
		g.ADDQ(a.step, third)
	}
	g.DECQ(left)
	g.JNZ(op.LabelRef(top))
	for r, sums := range acc {
		for i, v := range sums {
			g.VMOVUPS(v, at(a.m, r*lineBytes+i*g.bytes))
		}
	}
	g.ADDQ(op.U32(rows*lineBytes), a.m)
	g.IMUL3Q(op.U8(rows), a.row, left)
	g.ADDQ(left, a.w)
}

// askLines prefetches two lines of each stream of the tile, if it has steps left.
func (g *generator) askLines(tile reg.Register) {
	t, none := g.structOf(tile), g.label("none")
	steps := g.field(tile, "askSteps")
	g.DECQ(steps)
	g.JS(op.LabelRef(none))
	g.Store(steps, t.Field("askSteps"))
	stride := g.floatStride(tile, "askStride")
	for k := range vectorStreams {
		place := t.Field("askAt").Index(k)
		p := g.Load(place, g.GP64())
		g.PREFETCHT1(at(p, 0))
		g.PREFETCHT1(by(p, stride, 1, 0))
		g.LEAQ(by(p, stride, 2, 0), p)
		g.Store(p, place)
	}
	g.Label(none)
}

func (g *generator) vectorSquareTile() {
	g.function("vectorSquareTile", "func(t *vectorSquareTile)", "makes squares of products.")
	t := g.param("t")
	m, apart := g.slice(t, "m"), g.floatStride(t, "apart")
	apart3 := g.GP64()
	g.LEAQ(by(apart, apart, 2, 0), apart3)
	col, row := g.floatStride(t, "col"), g.floatStride(t, "row")
	lane := g.floatStride(t, "lane")
	g.loop(g.field(t, "channels"), func() {
		for i := range lineBytes / g.bytes {
			y := g.squareOf(m, apart, apart3, i*g.bytes)
			g.vectorSquareFinish(t, y, lane, col, row, i)
		}
		g.ADDQ(op.U8(lineBytes), m)
		g.ADDQ(g.floatStride(t, "lanes"), lane)
	})
	g.VZEROUPPER()
	g.RET()
}

// squareOf returns the square of the products that lie disp behind m, row by row.
func (g *generator) squareOf(m, apart, apart3 reg.Register, disp int) (y [squareSide * squareSide]vector) {
	for k := range y {
		y[k] = g.fixed(k)
	}
	p := g.GP64()
	g.MOVQ(m, p)
	for line := range windowSide {
		s := [squareSide]vector{g.fixed(4), g.fixed(5)}
		m2 := g.fixed(6)
		g.VMOVUPS(by(p, apart, 1, disp), s[1])
		g.VMOVUPS(by(p, apart, 2, disp), m2)
		g.VADDPS(at(p, disp), s[1], s[0])
		g.VADDPS(m2, s[0], s[0])
		g.VSUBPS(m2, s[1], s[1])
		g.VSUBPS(by(p, apart3, 1, disp), s[1], s[1])
		for j, v := range s {
			top, bottom := y[j], y[squareSide+j]
			switch line {
			case 0:
				g.VMOVAPS(v, top)
			case 1:
				g.VADDPS(top, v, top)
				g.VMOVAPS(v, bottom)
			case 2:
				g.VADDPS(top, v, top)
				g.VSUBPS(v, bottom, bottom)
			default:
				g.VSUBPS(v, bottom, bottom)
			}
		}
		if line < windowSide-1 {
			g.LEAQ(by(p, apart, 4, 0), p)
		}
	}
	return y
}

// vectorSquareFinish applies ReLU, plus and mask to a square, and stores it.
func (g *generator) vectorSquareFinish(t reg.Register, y [squareSide * squareSide]vector, lane, col, row reg.Register, i int) {
	zero, m := g.fixed(7), g.fixed(8)
	// each visits the place of each value of the square in an operand at p.
	each := func(p reg.Register, visit func(k int, place op.Mem)) {
		g.ADDQ(lane, p)
		for k := range y {
			if k == squareSide {
				g.ADDQ(row, p)
			}
			place := at(p, i*g.bytes)
			if k%squareSide == 1 {
				place = by(p, col, 1, i*g.bytes)
			}
			visit(k, place)
		}
	}
	g.zero(zero)
	noRelu := g.label("norelu")
	g.CMPQ(g.field(t, "relu"), op.U8(0))
	g.JE(op.LabelRef(noRelu))
	for _, v := range y {
		g.VMAXPS(v, zero, v) // the second source, here v, is the result if either is NaN
	}
	g.Label(noRelu)

	noPlus := g.label("noplus")
	plus := g.slice(t, "plus")
	g.TESTQ(plus, plus)
	g.JZ(op.LabelRef(noPlus))
	each(plus, func(k int, place op.Mem) { g.VADDPS(place, y[k], y[k]) })
	g.Label(noPlus)

	noMask := g.label("nomask")
	mask := g.slice(t, "mask")
	g.TESTQ(mask, mask)
	g.JZ(op.LabelRef(noMask))
	each(mask, func(k int, place op.Mem) {
		g.VMOVUPS(place, m)
		g.keepPositive(y[k], m, zero)
	})
	g.Label(noMask)
	each(g.slice(t, "y"), func(k int, place op.Mem) { g.VMOVUPS(y[k], place) })
}

func (g *generator) vectorSpreadTile() {
	g.function("vectorSpreadTile", "func(t *vectorSpreadTile)", "transforms a row of squares.")
	t := g.param("t")
	g.byFlag(t, "line", []int{0, 1, 2, 3}, func(line int) { g.vectorSpreadRow(t, line) })
}

// vectorSpreadRow writes the loop over channels for a row of places.
func (g *generator) vectorSpreadRow(t reg.Register, line int) {
	y := g.elements(t, "y", squareSide*squareSide)
	p := g.places(t, "p")
	lane := g.floatStride(t, "lane")
	first := y[:squareSide]
	if line == windowSide-1 {
		first = y[squareSide:]
	}
	g.loop(g.field(t, "channels"), func() {
		for i := range lineBytes / g.bytes {
			s, sum := [squareSide]vector{g.fixed(3 * i), g.fixed(3*i + 1)}, g.fixed(3*i+2)
			for col, v := range s {
				g.VMOVUPS(by(first[col], lane, 1, i*g.bytes), v)
				switch line {
				case 1:
					g.VADDPS(by(y[squareSide+col], lane, 1, i*g.bytes), v, v)
				case 2:
					g.VSUBPS(by(y[squareSide+col], lane, 1, i*g.bytes), v, v)
				}
			}
			g.VMOVUPS(s[0], behind(p[0], i*g.bytes))
			g.VMOVUPS(s[1], behind(p[3], i*g.bytes))
			g.VADDPS(s[1], s[0], sum)
			g.VMOVUPS(sum, behind(p[1], i*g.bytes))
			g.VSUBPS(s[1], s[0], s[0])
			g.VMOVUPS(s[0], behind(p[2], i*g.bytes))
		}
		g.ADDQ(op.U8(lineBytes), p[0].Base)
		g.ADDQ(op.U8(lineBytes), p[2].Base)
		g.ADDQ(g.floatStride(t, "lanes"), lane)
	})
	g.VZEROUPPER()
	g.RET()
}

// behind returns the place that lies disp bytes behind m.
func behind(m op.Mem, disp int) op.Mem {
	m.Disp += disp
	return m
}
