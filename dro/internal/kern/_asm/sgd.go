package main

import (
	op "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sgd writes the update, which also returns the gradient's squared norm, and the squared norm alone
// with the same order of sums.
func (g *generator) sgd() {
	g.function("sgdUpdate", "func(w, v, grad *float32, n int, rate, momentum, decay float32) float64",
		"updates n (a positive multiple of 16) parameters and returns Σ grad².")
	rate, momentum, decay := g.broadcast("rate"), g.broadcast("momentum"), g.broadcast("decay")
	g.squares([]string{"w", "v", "grad"}, func(p []reg.Register, disp int, grad vector) {
		w, v := g.vec(), g.vec()
		g.VMOVUPS(at(p[0], disp), w)
		g.VMOVUPS(at(p[1], disp), v)
		g.VFMADD231PS(w, decay, grad)
		g.VFMADD213PS(grad, momentum, v)
		g.VFNMADD231PS(v, rate, w)
		g.VMOVUPS(v, at(p[1], disp))
		g.VMOVUPS(w, at(p[0], disp))
	})
	g.function("sumSquares", "func(grad *float32, n int) float64",
		"returns Σ grad² over n (a positive multiple of 16) values, with the same bits as sgdUpdate"+g.suffix+".")
	g.squares([]string{"grad"}, func([]reg.Register, int, vector) {})
}

// broadcast loads a float32 parameter into all lanes.
func (g *generator) broadcast(name string) vector {
	a, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := g.vec()
	g.VBROADCASTSS(a.Addr, v)
	return v
}

// squares runs body over vectors of gradients, which the last of the named pointers points to. It
// returns the sum of their squares in float64 from the kernel.
func (g *generator) squares(names []string, body func(p []reg.Register, disp int, grad vector)) {
	acc := g.vecs(128 / g.bytes)
	for _, v := range acc {
		g.zero(v)
	}
	var p []reg.Register
	for _, name := range names {
		p = append(p, g.param(name))
	}
	n := g.param("n")
	g.SHRQ(op.U8(4), n)
	g.loop(n, func() {
		for _, r := range p { // the processor's own prefetches stop at the end of a page
			g.PREFETCHT0(at(r, 2048))
		}
		for i := range acc {
			wide := g.vec()
			g.VCVTPS2PD(at(p[len(p)-1], i*g.bytes/2), wide)
			g.VFMADD231PD(wide, wide, acc[i])
		}
		for disp := 0; disp < 64; disp += g.bytes {
			grad := g.vec()
			g.VMOVUPS(at(p[len(p)-1], disp), grad)
			body(p, disp, grad)
		}
		for _, r := range p {
			g.ADDQ(op.U8(64), r)
		}
	})
	for n := len(acc) / 2; n > 0; n /= 2 {
		for i := range n {
			g.VADDPD(acc[i+n], acc[i], acc[i])
		}
	}
	sum := acc[0].AsY()
	if g.wide {
		high := g.YMM()
		g.VEXTRACTF64X4(op.U8(1), acc[0], high)
		g.VADDPD(high, sum, sum)
	}
	high := g.XMM()
	g.VEXTRACTF128(op.U8(1), sum, high)
	g.VADDPD(high, acc[0].AsX(), high)
	g.VHADDPD(high, high, high)
	g.Store(high, g.ReturnIndex(0))
	g.VZEROUPPER()
	g.RET()
}
