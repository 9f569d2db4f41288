package main

import (
	"fmt"

	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	tileRows        = 6 // as in package kern
	prefetchStreams = 3 // as in package kern
	prefetchLines   = 4 // as in package kern
	gradCols        = 4 // as in package kern
	rowsAhead       = 8 // how far ahead AVX2's tiles of convolutions prefetch their places
)

// convTiles writes convTile's kernels. AVX-512 has one kernel for each number of vectors in a
// block, which keeps the whole block in registers (24 sums, 4 inputs). AVX2 takes 16 lanes at a
// time (12 sums, 2 inputs).
func (g *generator) convTiles() {
	if !g.wide {
		g.convTile("convTile", 2)
		return
	}
	for width := 1; width <= 4; width++ {
		g.convTile(fmt.Sprintf("convTile%d", 16*width), width)
	}
}

// convArgs holds the registers and the width that all bodies of a convolution kernel share.
type convArgs struct {
	t     reg.Register
	lane  reg.Register // byte offset of the current lanes
	width int          // vectors at a time
}

func (g *generator) convTile(name string, width int) {
	lanes := width * g.bytes / 4
	g.function(name, "func(t *convTile)", fmt.Sprintf("computes the tile %d lanes at a time.", lanes))
	a := convArgs{t: g.param("t"), lane: g.GP64(), width: width}
	computed := "lanes"
	if !g.wide {
		computed = "width"
	}
	groups := g.field(a.t, computed)
	g.SHRQ(op.U8(log2(lanes)), groups)
	g.XORQ(a.lane, a.lane)
	rows := g.GP64()
	top, done := g.label("group"), g.label("done")
	g.Label(top)
	g.Load(g.structOf(a.t).Field("rows"), rows)
	for r := 1; r < tileRows; r++ {
		next := g.label("rows")
		g.CMPQ(rows, op.U8(r))
		g.JNE(op.LabelRef(next))
		g.convRows(a, r)
		g.JMP(op.LabelRef(done))
		g.Label(next)
	}
	g.convRows(a, tileRows)
	g.Label(done)
	g.ADDQ(op.U32(width*g.bytes), a.lane)
	g.DECQ(groups)
	g.JNZ(op.LabelRef(top))
	g.VZEROUPPER()
	g.RET()
}

func log2(n int) uint {
	k := uint(0)
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// convRows computes rows channels for the lanes at a.lane. It chooses its registers itself: the
// sums first, then the inputs, then two weights in turn. The allocator finds no way to place 29
// values in 32 registers.
func (g *generator) convRows(a convArgs, rows int) {
	acc := make([][]vector, rows)
	for r := range acc {
		for i := range a.width {
			acc[r] = append(acc[r], g.fixed(r*a.width+i))
		}
	}
	if !g.wide {
		g.convPlace(a, rows)
	}
	g.convStart(a, acc)
	g.convSums(a, acc)
	g.convFinish(a, acc)
}

// convPlace prefetches the lines of memory that the end of the next call needs: the call's own would
// come too late. The next call's tile usually lies behind this one, and a tile of few rows is the
// last of its position. The lines share few sets of the first-level cache, where they would evict
// each other and the source, so only the second-level cache gets them.
func (g *generator) convPlace(a convArgs, rows int) {
	stride := g.field(a.t, "lanes")
	g.SHLQ(op.U8(2), stride)
	for _, name := range []string{"y", "plus", "mask"} {
		none := g.label("none")
		p := g.slice(a.t, name)
		g.TESTQ(p, p)
		g.JZ(op.LabelRef(none))
		g.ADDQ(a.lane, p)
		g.LEAQ(by(p, stride, rowsAhead, 0), p)
		for _, m := range g.rowAddresses(p, stride, rows) {
			g.PREFETCHT1(m)
		}
		g.Label(none)
	}
}

// convStart sets the sums to y, the bias or 0.
func (g *generator) convStart(a convArgs, acc [][]vector) {
	fresh, zero, done := g.label("fresh"), g.label("zero"), g.label("start")
	add := g.field(a.t, "add")
	g.TESTQ(add, add)
	g.JZ(op.LabelRef(fresh))
	y, stride := g.slice(a.t, "y"), g.field(a.t, "lanes")
	g.ADDQ(a.lane, y)
	for r, row := range acc {
		for i, v := range row {
			g.VMOVUPS(at(y, i*g.bytes), v)
		}
		if r < len(acc)-1 {
			g.LEAQ(by(y, stride, 4, 0), y)
		}
	}
	g.JMP(op.LabelRef(done))
	g.Label(fresh)
	bias := g.slice(a.t, "bias")
	g.TESTQ(bias, bias)
	g.JZ(op.LabelRef(zero))
	for r, row := range acc {
		for _, v := range row {
			g.VBROADCASTSS(at(bias, 4*r), v)
		}
	}
	g.JMP(op.LabelRef(done))
	g.Label(zero)
	for _, row := range acc {
		for _, v := range row {
			g.zero(v)
		}
	}
	g.Label(done)
}

// convSums adds the products in loops over the outer channels and the taps.
func (g *generator) convSums(a convArgs, acc [][]vector) {
	done := g.label("sums")
	t := g.structOf(a.t)
	end := g.Load(t.Field("taps").Len(), g.GP64())
	g.TESTQ(end, end)
	g.JZ(op.LabelRef(done))
	taps := g.slice(a.t, "taps")
	g.LEAQ(by(taps, end, 8, 0), end)

	x, base := g.slice(a.t, "x"), g.field(a.t, "xBase")
	g.LEAQ(by(x, base, 4, 0), x)
	g.ADDQ(a.lane, x)
	w, base := g.slice(a.t, "w"), g.field(a.t, "wBase")
	g.LEAQ(by(w, base, 4, 0), w)
	row, wStep, xStep := g.field(a.t, "wRow"), g.field(a.t, "wStep"), g.field(a.t, "xStep")
	for _, s := range []reg.Register{row, wStep, xStep} {
		g.SHLQ(op.U8(2), s)
	}
	outer := g.field(a.t, "outer")
	g.loop(outer, func() {
		ahead := g.field(a.t, "prefetch")
		g.LEAQ(by(w, ahead, 4, 0), ahead)
		for _, m := range g.rowAddresses(ahead, row, len(acc)) {
			g.PREFETCHT0(m)
		}
		if g.wide {
			g.convPrefetch(a)
		}
		p := g.slice(a.t, "taps")
		top := g.label("tap")
		g.Label(top)
		g.convStep(a, acc, p, x, w, row)
		g.ADDQ(op.U8(8), p)
		g.CMPQ(p, end)
		g.JNE(op.LabelRef(top))
		g.ADDQ(xStep, x)
		g.ADDQ(wStep, w)
	})
	g.Label(done)
}

// convPrefetch prefetches memory that the end of the call needs, a few lines in each of the first
// steps of the outer loop.
func (g *generator) convPrefetch(a convArgs) {
	t, none := g.structOf(a.t), g.label("none")
	steps := g.field(a.t, "prefetchSteps")
	g.DECQ(steps)
	g.JS(op.LabelRef(none))
	g.Store(steps, t.Field("prefetchSteps"))
	for k := range prefetchStreams {
		place := t.Field("prefetchAt").Index(k)
		p := g.Load(place, g.GP64())
		for line := range prefetchLines {
			g.PREFETCHT0(at(p, 64*line))
		}
		g.ADDQ(op.U32(64*prefetchLines), p)
		g.Store(p, place)
	}
	g.Label(none)
}

// convStep adds one tap's products: a.width vectors of x times one weight for each row.
func (g *generator) convStep(a convArgs, acc [][]vector, p, x, w, row reg.Register) {
	xo, wp := g.GP64(), g.GP64()
	g.MOVLQSX(at(p, 0), xo)
	g.MOVLQSX(at(p, 4), wp)
	g.LEAQ(by(w, wp, 4, 0), wp)
	used := len(acc) * a.width
	var in []vector
	for i := range a.width {
		v := g.fixed(used + i)
		g.VMOVUPS(by(x, xo, 4, i*g.bytes), v)
		in = append(in, v)
	}
	weights := g.rowAddresses(wp, row, len(acc))
	for r, sums := range acc {
		weight := g.fixed(used + a.width + r%2)
		g.VBROADCASTSS(weights[r], weight)
		for i, v := range sums {
			g.VFMADD231PS(in[i], weight, v)
		}
	}
}

// rowAddresses returns the addresses base + r·stride for up to six rows. Beyond three rows it uses
// one more register.
func (g *generator) rowAddresses(base, stride reg.Register, rows int) []op.Mem {
	m := []op.Mem{at(base, 0), by(base, stride, 1, 0), by(base, stride, 2, 0)}
	if rows > 3 {
		third := g.GP64()
		g.LEAQ(by(base, stride, 2, 0), third)
		g.ADDQ(stride, third)
		m = append(m, at(third, 0), by(third, stride, 1, 0), by(third, stride, 2, 0))
	}
	return m[:rows]
}

// convFinish applies ReLU, plus and mask and stores the sums.
func (g *generator) convFinish(a convArgs, acc [][]vector) {
	zero, m := g.fixed(len(acc)*a.width), g.fixed(len(acc)*a.width+1)
	g.zero(zero)
	stride := g.field(a.t, "lanes")
	g.SHLQ(op.U8(2), stride)

	noRelu := g.label("norelu")
	relu := g.field(a.t, "relu")
	g.TESTQ(relu, relu)
	g.JZ(op.LabelRef(noRelu))
	for _, row := range acc {
		for _, v := range row {
			g.VMAXPS(v, zero, v) // the second source, here v, is the result if either is NaN
		}
	}
	g.Label(noRelu)

	noPlus := g.label("noplus")
	plus := g.slice(a.t, "plus")
	g.TESTQ(plus, plus)
	g.JZ(op.LabelRef(noPlus))
	g.ADDQ(a.lane, plus)
	for r, row := range acc {
		for i, v := range row {
			g.VADDPS(at(plus, i*g.bytes), v, v)
		}
		if r < len(acc)-1 {
			g.ADDQ(stride, plus)
		}
	}
	g.Label(noPlus)

	noMask := g.label("nomask")
	mask := g.slice(a.t, "mask")
	g.TESTQ(mask, mask)
	g.JZ(op.LabelRef(noMask))
	g.ADDQ(a.lane, mask)
	for r, row := range acc {
		for i, v := range row {
			g.VMOVUPS(at(mask, i*g.bytes), m)
			g.keepPositive(v, m, zero)
		}
		if r < len(acc)-1 {
			g.ADDQ(stride, mask)
		}
	}
	g.Label(noMask)

	y := g.slice(a.t, "y")
	g.ADDQ(a.lane, y)
	for r, row := range acc {
		for i, v := range row {
			g.VMOVUPS(v, at(y, i*g.bytes))
		}
		if r < len(acc)-1 {
			g.ADDQ(stride, y)
		}
	}
}
