package main

import (
	"slices"

	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The sizes are those of package kern.
const (
	windowSide = 4
	squareSide = 2
	kernelSide = 3
)

// winogradTiles writes the transformations of Winograd's convolutions. Apart from halving, they
// only add, so every instruction set rounds alike. Since AVX2 has too few registers for some of
// them, operands are read directly from memory there.
func (g *generator) winogradTiles() {
	g.windowTile()
	g.squareTile()
	g.spreadTile()
	g.kernelTile()
	g.foldTile()
}

func (g *generator) windowTile() {
	g.function("windowTile", "func(t *windowTile)", "transforms a row of windows.")
	t := g.param("t")
	a, b := g.elements(t, "a", windowSide), g.elements(t, "b", windowSide)
	v := g.places(t, "v")
	loop := func(join func(b op.Mem, s vector)) {
		g.eachVector(t, func(lane reg.Register) {
			var s [windowSide]vector
			for col := range s {
				s[col] = g.fixed(col)
				g.VMOVUPS(by(a[col], lane, 1, 0), s[col])
				join(by(b[col], lane, 1, 0), s[col])
			}
			g.askBehind(t, lane, slices.Concat(a[windowSide/2:], b[windowSide/2:]))
			g.VSUBPS(s[2], s[0], s[0])
			g.VMOVUPS(s[0], v[0])
			g.VADDPS(s[2], s[1], s[0])
			g.VMOVUPS(s[0], v[1])
			g.VSUBPS(s[1], s[2], s[2])
			g.VMOVUPS(s[2], v[2])
			g.VSUBPS(s[3], s[1], s[1])
			g.VMOVUPS(s[1], v[3])
			g.next(v)
		})
	}
	g.byFlag(t, "plus", []int{0, 1}, func(flag int) {
		if flag > 0 {
			loop(func(b op.Mem, s vector) { g.VADDPS(b, s, s) })
		} else {
			loop(func(b op.Mem, s vector) { g.VSUBPS(b, s, s) })
		}
	})
}

func (g *generator) squareTile() {
	g.function("squareTile", "func(t *squareTile)", "adds a row of products to squares.")
	t := g.param("t")
	g.byFlag(t, "start", []int{0, 1, -1}, func(start int) {
		g.byFlag(t, "last", []int{0, 1}, func(last int) { g.squareRows(t, start, last > 0) })
	})
}

// squareRows writes the loop for one way to start. For the last row of products, the loop also
// applies ReLU, plus and mask.
func (g *generator) squareRows(t reg.Register, start int, last bool) {
	y, m := g.elements(t, "y", squareSide), g.places(t, "m")
	var plus, mask []reg.Register
	if last {
		plus, mask = g.elements(t, "plus", squareSide), g.elements(t, "mask", squareSide)
	}
	g.eachVector(t, func(lane reg.Register) {
		s := [squareSide]vector{g.fixed(0), g.fixed(1)}
		g.VMOVUPS(m[1], s[1])
		g.VADDPS(m[0], s[1], s[0])
		g.VADDPS(m[2], s[0], s[0])
		g.VSUBPS(m[2], s[1], s[1])
		g.VSUBPS(m[3], s[1], s[1])
		g.next(m)
		for col, v := range s {
			from := g.fixed(2)
			switch {
			case start > 0:
				g.VADDPS(by(y[col], lane, 1, 0), v, v)
			case start < 0:
				g.VMOVUPS(by(y[col], lane, 1, 0), from)
				g.VSUBPS(v, from, v)
			}
			if last {
				g.squareFinish(t, lane, v, plus[col], mask[col])
			}
			g.VMOVUPS(v, by(y[col], lane, 1, 0))
		}
		if start == 0 {
			g.askBehind(t, lane, y)
		}
	})
}

// squareFinish applies ReLU, plus and mask to a column of a square.
func (g *generator) squareFinish(t, lane reg.Register, v vector, plus, mask reg.Register) {
	zero, m := g.fixed(2), g.fixed(3)
	g.zero(zero)
	noRelu := g.label("norelu")
	g.CMPQ(g.field(t, "relu"), op.U8(0))
	g.JE(op.LabelRef(noRelu))
	g.VMAXPS(v, zero, v) // the second source, here v, is the result if either is NaN
	g.Label(noRelu)

	noPlus := g.label("noplus")
	g.TESTQ(plus, plus)
	g.JZ(op.LabelRef(noPlus))
	g.VADDPS(by(plus, lane, 1, 0), v, v)
	g.askBehind(t, lane, []reg.Register{plus})
	g.Label(noPlus)

	noMask := g.label("nomask")
	g.TESTQ(mask, mask)
	g.JZ(op.LabelRef(noMask))
	g.VMOVUPS(by(mask, lane, 1, 0), m)
	g.keepPositive(v, m, zero)
	g.askBehind(t, lane, []reg.Register{mask})
	g.Label(noMask)
}

func (g *generator) spreadTile() {
	g.function("spreadTile", "func(t *spreadTile)", "transforms a row of squares.")
	t := g.param("t")
	a, b := g.elements(t, "a", squareSide), g.elements(t, "b", squareSide)
	p := g.places(t, "p")
	g.byFlag(t, "with", []int{0, 1, -1}, func(with int) {
		g.eachVector(t, func(lane reg.Register) {
			s, sum := [squareSide]vector{g.fixed(0), g.fixed(1)}, g.fixed(2)
			for col, v := range s {
				g.VMOVUPS(by(a[col], lane, 1, 0), v)
				switch {
				case with > 0:
					g.VADDPS(by(b[col], lane, 1, 0), v, v)
				case with < 0:
					g.VSUBPS(by(b[col], lane, 1, 0), v, v)
				}
			}
			g.VMOVUPS(s[0], p[0])
			g.VMOVUPS(s[1], p[3])
			g.VADDPS(s[1], s[0], sum)
			g.VMOVUPS(sum, p[1])
			g.VSUBPS(s[1], s[0], s[0])
			g.VMOVUPS(s[0], p[2])
			g.next(p)
		})
	})
}

func (g *generator) kernelTile() {
	g.function("kernelTile", "func(t *kernelTile)", "transforms kernels.")
	t := g.param("t")
	half := g.half()
	g.eachVector(t, func(lane reg.Register) {
		from, step := g.slice(t, "g"), g.floatStride(t, "n")
		g.ADDQ(lane, from)
		to, apart := g.slice(t, "u"), g.floatStride(t, "apart")
		g.ADDQ(lane, to)
		var rows [kernelSide]reg.Register // the addresses of the rows of taps
		for i := range rows {
			rows[i] = g.GP64()
			g.MOVQ(from, rows[i])
			g.LEAQ(by(from, step, 2, 0), from)
			g.ADDQ(step, from)
		}
		for i := range windowSide {
			row := [kernelSide]vector{g.fixed(0), g.fixed(1), g.fixed(2)}
			for j, v := range row {
				g.kernelTap(i, func(i int) op.Mem {
					if j == 0 {
						return at(rows[i], 0)
					}
					return by(rows[i], step, j, 0)
				}, half, v)
			}
			sum := g.fixed(3)
			g.VMOVUPS(row[0], at(to, 0))
			g.VADDPS(row[2], row[0], sum)
			g.VADDPS(row[1], sum, row[0])
			g.VMULPS(half, row[0], row[0])
			g.VMOVUPS(row[0], by(to, apart, 1, 0))
			g.VSUBPS(row[1], sum, sum)
			g.VMULPS(half, sum, sum)
			g.LEAQ(by(to, apart, 2, 0), to)
			g.VMOVUPS(sum, at(to, 0))
			g.VMOVUPS(row[2], by(to, apart, 1, 0))
			g.LEAQ(by(to, apart, 2, 0), to)
		}
	})
}

// kernelTap sets v to the product of row i of G with a column of taps.
func (g *generator) kernelTap(i int, tap func(i int) op.Mem, half, v vector) {
	switch i {
	case 0:
		g.VMOVUPS(tap(0), v)
		return
	case windowSide - 1:
		g.VMOVUPS(tap(2), v)
		return
	}
	g.VMOVUPS(tap(0), v)
	g.VADDPS(tap(2), v, v)
	if i == 1 {
		g.VADDPS(tap(1), v, v)
	} else {
		g.VSUBPS(tap(1), v, v)
	}
	g.VMULPS(half, v, v)
}

// foldTile writes foldTile's kernel, which keeps the nine taps in registers and adds one row of
// places after another.
func (g *generator) foldTile() {
	g.function("foldTile", "func(t *foldTile)", "makes kernels.")
	t := g.param("t")
	half := g.half()
	g.eachVector(t, func(lane reg.Register) {
		var taps [kernelSide * kernelSide]vector
		for i := range taps {
			taps[i] = g.fixed(i)
			g.zero(taps[i])
		}
		from, apart := g.slice(t, "u"), g.floatStride(t, "apart")
		g.ADDQ(lane, from)
		g.loop(g.field(t, "lots"), func() {
			u := g.GP64()
			g.MOVQ(from, u)
			for row := range windowSide {
				g.foldRow(taps, row, u, apart, half)
			}
			g.ADDQ(g.floatStride(t, "lot"), from)
		})
		to, step := g.slice(t, "g"), g.floatStride(t, "n")
		g.ADDQ(lane, to)
		for _, v := range taps {
			g.VMOVUPS(v, at(to, 0))
			g.ADDQ(step, to)
		}
	})
}

// foldRow adds a row of places to the taps, and moves u behind the row.
func (g *generator) foldRow(taps [kernelSide * kernelSide]vector, row int, u, apart reg.Register, half vector) {
	r, last := [kernelSide]vector{g.fixed(9), g.fixed(10), g.fixed(11)}, g.fixed(12)
	g.VMOVUPS(by(u, apart, 1, 0), r[1])
	g.VADDPS(by(u, apart, 2, 0), r[1], r[2])
	g.VSUBPS(by(u, apart, 2, 0), r[1], r[1])
	g.VMULPS(half, r[1], r[1])
	g.VMULPS(half, r[2], r[2])
	g.VADDPS(at(u, 0), r[2], r[0])
	g.LEAQ(by(u, apart, 2, 0), u)
	g.VMOVUPS(by(u, apart, 1, 0), last)
	g.VSUBPS(last, r[2], r[2])
	g.LEAQ(by(u, apart, 2, 0), u)
	tap := func(i, j int) vector { return taps[kernelSide*i+j] }
	for j, v := range r {
		switch row {
		case 0:
			g.VADDPS(v, tap(0, j), tap(0, j))
		case windowSide - 1:
			g.VSUBPS(v, tap(2, j), tap(2, j))
		default:
			g.VMULPS(half, v, v)
			g.VADDPS(v, tap(0, j), tap(0, j))
			g.VADDPS(v, tap(2, j), tap(2, j))
			if row == 1 {
				g.VADDPS(v, tap(1, j), tap(1, j))
			} else {
				g.VSUBPS(v, tap(1, j), tap(1, j))
			}
		}
	}
}

// half returns a register filled with 0.5.
func (g *generator) half() vector {
	bits, half := g.GP32(), g.fixed(15)
	g.MOVL(op.U32(0x3f000000), bits)
	g.VMOVD(bits, half.AsX())
	g.VBROADCASTSS(half.AsX(), half)
	return half
}

// byFlag writes body for each value that a flag of the tile can have. Each body must return from
// the kernel.
func (g *generator) byFlag(t reg.Register, flag string, values []int, body func(flag int)) {
	is := g.field(t, flag)
	var labels []string
	for _, v := range values[1:] {
		label := g.label(flag)
		labels = append(labels, label)
		g.CMPQ(is, op.I8(v))
		g.JE(op.LabelRef(label))
	}
	body(values[0])
	for k, label := range labels {
		g.Label(label)
		body(values[k+1])
	}
}

// places returns the addresses of the four places of a row. next moves them on by a vector.
func (g *generator) places(t reg.Register, name string) (p [windowSide]op.Mem) {
	first, apart := g.slice(t, name), g.floatStride(t, "apart")
	third := g.GP64()
	g.LEAQ(by(first, apart, 2, 0), third)
	return [windowSide]op.Mem{at(first, 0), by(first, apart, 1, 0), at(third, 0), by(third, apart, 1, 0)}
}

func (g *generator) next(p [windowSide]op.Mem) {
	g.ADDQ(op.U8(g.bytes), p[0].Base)
	g.ADDQ(op.U8(g.bytes), p[2].Base)
}

// elements loads the base addresses of an array of n slices.
func (g *generator) elements(t reg.Register, name string, n int) (bases []reg.Register) {
	for k := range n {
		bases = append(bases, g.Load(g.structOf(t).Field(name).Index(k).Base(), g.GP64()))
	}
	return bases
}

// askBehind prefetches into the second-level cache what lies ahead values behind the current vector
// of each base.
func (g *generator) askBehind(t, lane reg.Register, bases []reg.Register) {
	ahead := g.floatStride(t, "ahead")
	g.ADDQ(lane, ahead)
	for _, base := range bases {
		g.PREFETCHT1(by(base, ahead, 1, 0))
	}
}

// eachVector runs body for the byte offset of each vector of the tile's n values, and returns from
// the kernel.
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
