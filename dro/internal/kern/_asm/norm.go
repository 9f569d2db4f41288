package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// normTiles writes the kernels of batch normalisation. Products and sums round one by one, as the
// reference does: none of them is fused.
func (g *generator) normTiles() {
	g.moments()
	g.normForward()
	g.normBackward()
}

// moments takes four lanes a step on every instruction set: wider registers would sum in anplus
// order.
func (g *generator) moments() {
	g.function("moments", "func(t *momentTile)", "adds to the tile's sums.")
	t := g.param("t")
	a, b := g.slice(t, "a"), g.slice(t, "b")
	g.loop(g.field(t, "positions"), func() {
		x, y, sums, around := g.GP64(), g.GP64(), g.slice(t, "sums"), g.slice(t, "around")
		g.MOVQ(a, x)
		g.MOVQ(b, y)
		g.loop(g.field(t, "channels"), func() {
			g.moment(t, x, y, around, sums)
			apart := g.floatStride(t, "apart")
			g.ADDQ(apart, x)
			g.ADDQ(apart, y)
			g.ADDQ(op.U8(16), sums)
			g.ADDQ(op.U8(8), around)
		})
		stride := g.floatStride(t, "stride")
		g.ADDQ(stride, a)
		g.ADDQ(stride, b)
	})
	g.VZEROUPPER()
	g.RET()
}

// moment adds a channel of a position to its sums.
func (g *generator) moment(t, a, b, around, sums reg.Register) {
	s, p, centre := g.YMM(), g.YMM(), g.YMM()
	g.VBROADCASTSD(at(around, 0), centre)
	g.VXORPD(s, s, s)
	g.VXORPD(p, p, p)
	g.lanesOf(t, 4, func(lane reg.Register) {
		x, y := g.YMM(), g.YMM()
		g.VCVTPS2PD(by(a, lane, 1, 0), x)
		g.VCVTPS2PD(by(b, lane, 1, 0), y)
		g.VADDPD(x, s, s)
		g.VSUBPD(centre, y, y)
		g.VMULPD(x, y, y)
		g.VADDPD(y, p, p)
	})
	// (v0 + v1) + (v2 + v3) of both at once
	high := g.XMM()
	g.VHADDPD(p, s, s)
	g.VEXTRACTF128(op.U8(1), s, high)
	g.VADDPD(high, s.AsX(), high)
	g.VADDPD(at(sums, 0), high, high)
	g.VMOVUPD(high, at(sums, 0))
}

// lanesOf runs body for the byte offset of every step-th lane.
func (g *generator) lanesOf(t reg.Register, step int, body func(lane reg.Register)) {
	lane, end := g.GP64(), g.floatStride(t, "lanes")
	g.XORQ(lane, lane)
	top := g.label("lanes")
	g.Label(top)
	body(lane)
	g.ADDQ(op.U8(4*step), lane)
	g.CMPQ(lane, end)
	g.JNE(op.LabelRef(top))
}

func (g *generator) normForward() {
	g.function("normForward", "func(t *normTile)", "normalises the tile.")
	t := g.param("t")
	x, dst, plus := g.slice(t, "x"), g.slice(t, "dst"), g.slice(t, "plus")
	zero := g.vec()
	g.zero(zero)
	g.eachChannel(t, []string{"centre", "scale", "offset"}, func(of []vector) {
		g.lanesOf(t, g.bytes/4, func(lane reg.Register) {
			v := g.vec()
			g.VMOVUPS(by(x, lane, 1, 0), v)
			g.VSUBPS(of[0], v, v)
			g.VMULPS(of[1], v, v)
			g.VADDPS(of[2], v, v)
			none, all := g.label("none"), g.label("all")
			g.TESTQ(plus, plus)
			g.JZ(op.LabelRef(none))
			g.VADDPS(by(plus, lane, 1, 0), v, v)
			g.Label(none)
			relu := g.field(t, "relu")
			g.TESTQ(relu, relu)
			g.JZ(op.LabelRef(all))
			g.keepPositive(v, v, zero)
			g.Label(all)
			g.VMOVUPS(v, by(dst, lane, 1, 0))
		})
		g.nextChannel(t, x, dst)
		none := g.label("none")
		g.TESTQ(plus, plus)
		g.JZ(op.LabelRef(none))
		g.nextChannel(t, plus)
		g.Label(none)
	})
}

func (g *generator) normBackward() {
	g.function("normBackward", "func(t *normTile)", "computes the gradient of what the tile normalised.")
	t := g.param("t")
	x, dy, dst := g.slice(t, "x"), g.slice(t, "dy"), g.slice(t, "dst")
	g.eachChannel(t, []string{"centre", "scale", "slope", "offset"}, func(of []vector) {
		g.lanesOf(t, g.bytes/4, func(lane reg.Register) {
			v, d := g.vec(), g.vec()
			g.VMOVUPS(by(dy, lane, 1, 0), d)
			g.VMULPS(of[1], d, d)
			g.VMOVUPS(by(x, lane, 1, 0), v)
			g.VSUBPS(of[0], v, v)
			g.VMULPS(of[2], v, v)
			g.VADDPS(v, d, d)
			g.VADDPS(of[3], d, d)
			g.VMOVUPS(d, by(dst, lane, 1, 0))
		})
		g.nextChannel(t, x, dy, dst)
	})
}

// eachChannel runs body for each position and channel, with the channel's factors, and returns.
func (g *generator) eachChannel(t reg.Register, names []string, body func(of []vector)) {
	g.loop(g.field(t, "positions"), func() {
		channel, of := g.GP64(), g.vecs(len(names))
		g.XORQ(channel, channel)
		top := g.label("channel")
		g.Label(top)
		for i, name := range names {
			g.VBROADCASTSS(by(g.slice(t, name), channel, 4, 0), of[i])
		}
		body(of)
		g.INCQ(channel)
		g.CMPQ(channel, g.field(t, "channels"))
		g.JNE(op.LabelRef(top))
	})
	g.VZEROUPPER()
	g.RET()
}

// nextChannel moves pointers on by the lanes of a channel.
func (g *generator) nextChannel(t reg.Register, pointers ...reg.Register) {
	step := g.floatStride(t, "lanes")
	for _, p := range pointers {
		g.ADDQ(step, p)
	}
}
