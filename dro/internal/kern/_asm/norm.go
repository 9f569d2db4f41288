package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// normTiles writes the kernels of batch normalisation. Each product and each sum is rounded, as in
// the reference: none of them is fused.
func (g *generator) normTiles() {
	g.moments()
	g.normForward(false)
	g.normBackward(false)
}

// moments writes the kernels of moments. On every instruction set they take four lanes of a channel
// per step, since more would sum in another order. AVX-512 takes four channels at once while at
// least four are left, then two.
func (g *generator) moments() {
	g.momentsOf("moments", "adds to the tile's sums.", false)
	if g.wide {
		g.momentsOf("squares", "adds to the tile's sums where b is a and around is 0.", true)
	}
}

func (g *generator) momentsOf(name, doc string, own bool) {
	g.function(name, "func(t *momentTile)", doc)
	t := g.param("t")
	a, b := g.slice(t, "a"), g.slice(t, "b")
	g.loop(g.field(t, "positions"), func() {
		m := channelMoments{t, g.GP64(), g.GP64(), g.slice(t, "around"), g.slice(t, "sums"), own}
		g.MOVQ(a, m.a)
		g.MOVQ(b, m.b)
		left, position := g.field(t, "channels"), g.label("position")
		if g.wide {
			for _, pairs := range []int{2, 1} {
				g.whileMoments(m, left, 2*pairs, position, func() { g.momentPairs(m, pairs) })
			}
		}
		g.whileMoments(m, left, 1, position, func() { g.moment(m) })
		g.Label(position)
		stride := g.floatStride(t, "stride")
		g.ADDQ(stride, a)
		g.ADDQ(stride, b)
	})
	g.VZEROUPPER()
	g.RET()
}

// channelMoments holds the current state of the kernel of moments.
type channelMoments struct {
	t, a, b, around, sums reg.Register
	own                   bool // b is a, around is 0
}

// whileMoments runs body for the given number of channels at a time while at least that many are
// left. It jumps to done when none are left.
func (g *generator) whileMoments(m channelMoments, left reg.Register, channels int, done string, body func()) {
	top, less := g.label("channels"), g.label("less")
	g.Label(top)
	g.CMPQ(left, op.U8(channels))
	g.JL(op.LabelRef(less))
	body()
	apart := g.floatStride(m.t, "apart")
	if channels > 1 {
		g.SHLQ(op.U8(log2(channels)), apart)
	}
	g.ADDQ(apart, m.a)
	g.ADDQ(apart, m.b)
	g.ADDQ(op.U8(16*channels), m.sums)
	g.ADDQ(op.U8(8*channels), m.around)
	g.SUBQ(op.U8(channels), left)
	g.JZ(op.LabelRef(done))
	g.JMP(op.LabelRef(top))
	g.Label(less)
}

// moment adds the lanes of one channel at one position to the channel's sums.
func (g *generator) moment(m channelMoments) {
	s, p, centre := g.YMM(), g.YMM(), g.YMM()
	g.VBROADCASTSD(at(m.around, 0), centre)
	g.VXORPD(s, s, s)
	g.VXORPD(p, p, p)
	g.lanesOf(m.t, 4, func(lane reg.Register) {
		x, y := g.YMM(), g.YMM()
		g.VCVTPS2PD(by(m.a, lane, 1, 0), x)
		g.VCVTPS2PD(by(m.b, lane, 1, 0), y)
		g.VADDPD(x, s, s)
		g.VSUBPD(centre, y, y)
		g.VMULPD(x, y, y)
		g.VADDPD(y, p, p)
	})
	// (v0 + v1) + (v2 + v3) of both sums at once
	high := g.XMM()
	g.VHADDPD(p, s, s)
	g.VEXTRACTF128(op.U8(1), s, high)
	g.VADDPD(high, s.AsX(), high)
	g.VADDPD(at(m.sums, 0), high, high)
	g.VMOVUPD(high, at(m.sums, 0))
}

// momentPairs adds the lanes of pairs of channels at one position to their sums. A register holds
// one pair. The product of a value with itself is exact, so it may be fused with its addition.
func (g *generator) momentPairs(m channelMoments, pairs int) {
	s, p, centre := g.vecs(pairs), g.vecs(pairs), g.vecs(pairs)
	for k := range pairs {
		g.zero(s[k])
		g.zero(p[k])
		if !m.own {
			high := g.YMM()
			g.VBROADCASTSD(at(m.around, 16*k), centre[k].AsY())
			g.VBROADCASTSD(at(m.around, 16*k+8), high)
			g.VINSERTF64X4(op.U8(1), high, centre[k], centre[k])
		}
	}
	apart := g.floatStride(m.t, "apart")
	apart3 := g.GP64()
	g.LEAQ(by(apart, apart, 2, 0), apart3)
	channels := func(base, lane reg.Register) []op.Mem {
		first := g.GP64()
		g.LEAQ(by(base, lane, 1, 0), first)
		return rowsFrom(first, apart, apart3)
	}
	g.lanesOf(m.t, 4, func(lane reg.Register) {
		a, b := channels(m.a, lane), []op.Mem(nil)
		if !m.own {
			b = channels(m.b, lane)
		}
		for k := range pairs {
			x := g.widePair(a[2*k:])
			g.VADDPD(x, s[k], s[k])
			if m.own {
				g.VFMADD231PD(x, x, p[k])
				continue
			}
			y := g.widePair(b[2*k:])
			g.VSUBPD(centre[k], y, y)
			g.VMULPD(x, y, y)
			g.VADDPD(y, p[k], p[k])
		}
	})
	for k := range pairs {
		// (v0 + v1) + (v2 + v3) of both channels and both sums at once
		even, odd, swapped := g.vec(), g.vec(), g.vec()
		g.VUNPCKLPD(p[k], s[k], even)
		g.VUNPCKHPD(p[k], s[k], odd)
		g.VADDPD(odd, even, even)
		g.VSHUFF64X2(op.U8(0xb1), even, even, swapped)
		g.VADDPD(swapped, even, even)
		g.VSHUFF64X2(op.U8(0x08), even, even, even)
		g.VADDPD(at(m.sums, 32*k), even.AsY(), even.AsY())
		g.VMOVUPD(even.AsY(), at(m.sums, 32*k))
	}
}

// widePair returns a register with four lanes of each of two channels, as float64s.
func (g *generator) widePair(channels []op.Mem) vector {
	narrow, x := g.YMM(), g.vec()
	g.VMOVUPS(channels[0], narrow.AsX())
	g.VINSERTF32X4(op.U8(1), channels[1], narrow, narrow)
	g.VCVTPS2PD(narrow, x)
	return x
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

// storing is a function that stores a channel of a position at dst. Its argument value returns the
// vector at an offset of lane plus disp bytes.
type storing func(t, dst reg.Register, value func(lane reg.Register, disp int) vector)

// stored stores the values alone.
func (g *generator) stored(t, dst reg.Register, value func(reg.Register, int) vector) {
	g.lanesOf(t, g.bytes/4, func(lane reg.Register) {
		g.VMOVUPS(value(lane, 0), by(dst, lane, 1, 0))
	})
	g.nextChannel(t, dst)
}

// storing returns the function that stores values, with or without their rounding.
func (g *generator) storing(t reg.Register, rounded bool) storing {
	if !rounded {
		return g.stored
	}
	to, order := g.slice(t, "rounded"), g.quads()
	return func(t, dst reg.Register, value func(reg.Register, int) vector) {
		g.storedRounded(t, dst, to, order, value)
	}
}

// storedRounded stores the rounding of the values and, if dst is not nil, the values.
func (g *generator) storedRounded(
	t, dst, to reg.Register, order vector, value func(reg.Register, int) vector,
) {
	g.lanesOf(t, 32, func(lane reg.Register) {
		for k, half := range []int{lowHalf, highHalf} {
			g.VMOVAPS(value(lane, 64*k), g.fixed(half))
		}
		none := g.label("none")
		g.TESTQ(dst, dst)
		g.JZ(op.LabelRef(none))
		g.VMOVUPS(g.fixed(lowHalf), by(dst, lane, 1, 0))
		g.VMOVUPS(g.fixed(highHalf), by(dst, lane, 1, 64))
		g.Label(none)
		g.narrowedInOrder(order)
		g.VMOVUPS(g.fixed(both), at(to, 0))
		g.ADDQ(op.U8(64), to)
	})
	g.nextChannelOf(t, dst)
}

func (g *generator) normForward(rounded bool) {
	g.function("normForward", "func(t *normTile)", "normalises the tile.")
	t := g.param("t")
	x, dst, plus := g.slice(t, "x"), g.slice(t, "dst"), g.slice(t, "plus")
	zero := g.vec()
	g.zero(zero)
	store := g.storing(t, rounded)
	g.eachChannel(t, []string{"centre", "scale", "offset"}, func(of []vector) {
		store(t, dst, func(lane reg.Register, disp int) vector {
			v := g.vec()
			g.VMOVUPS(by(x, lane, 1, disp), v)
			g.VSUBPS(of[0], v, v)
			g.VMULPS(of[1], v, v)
			g.VADDPS(of[2], v, v)
			none, all := g.label("none"), g.label("all")
			g.TESTQ(plus, plus)
			g.JZ(op.LabelRef(none))
			g.VADDPS(by(plus, lane, 1, disp), v, v)
			g.Label(none)
			relu := g.field(t, "relu")
			g.TESTQ(relu, relu)
			g.JZ(op.LabelRef(all))
			g.keepPositive(v, v, zero)
			g.Label(all)
			return v
		})
		g.nextChannel(t, x)
		g.nextChannelOf(t, plus)
	})
}

func (g *generator) normBackward(rounded bool) {
	g.function("normBackward", "func(t *normTile)", "computes the gradient of what the tile normalised.")
	t := g.param("t")
	x, dy, dst := g.slice(t, "x"), g.slice(t, "dy"), g.slice(t, "dst")
	store := g.storing(t, rounded)
	g.eachChannel(t, []string{"centre", "scale", "slope", "offset"}, func(of []vector) {
		store(t, dst, func(lane reg.Register, disp int) vector {
			v, d := g.vec(), g.vec()
			g.VMOVUPS(by(dy, lane, 1, disp), d)
			g.VMULPS(of[1], d, d)
			g.VMOVUPS(by(x, lane, 1, disp), v)
			g.VSUBPS(of[0], v, v)
			g.VMULPS(of[2], v, v)
			g.VADDPS(v, d, d)
			g.VADDPS(of[3], d, d)
			return d
		})
		g.nextChannel(t, x, dy)
	})
}

// eachChannel runs body for each position and channel, with the channel's factors in registers, and
// returns from the kernel.
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

// nextChannelOf does the same as nextChannel for a pointer that may be nil.
func (g *generator) nextChannelOf(t, p reg.Register) {
	none := g.label("none")
	g.TESTQ(p, p)
	g.JZ(op.LabelRef(none))
	g.nextChannel(t, p)
	g.Label(none)
}

// nextChannel moves pointers on by the lanes of a channel.
func (g *generator) nextChannel(t reg.Register, pointers ...reg.Register) {
	step := g.floatStride(t, "lanes")
	for _, p := range pointers {
		g.ADDQ(step, p)
	}
}
