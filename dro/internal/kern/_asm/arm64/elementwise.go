package main

// sumRow writes the kernel of the bias gradient: the sum of one row of lanes over positions, in
// sixteen interleaved sums.
func (p *program) sumRow() {
	const src, positions, stride, current, left, lanes gp = 0, 1, 2, 3, 4, 5
	const sum, in group = 0, 4
	p.begin("sumRow", "(src *float32, positions, stride, lanes int) float32",
		"returns the sum of positions·lanes values: lanes (a multiple of 16) from every stride-th "+
			"on.")
	p.param("src", src)
	p.param("positions", positions)
	p.param("stride", stride)
	p.param("lanes", lanes)
	p.do("LSL $2, %v", stride)
	for i := range 4 {
		p.zero(sum.at(i))
	}
	p.loop(positions, func() {
		p.do("MOVD %v, %v", src, current)
		p.do("LSR $4, %v, %v", lanes, left)
		p.loop(left, func() {
			p.nextGroup(current, in)
			for i := range 4 {
				p.two(fadd, sum.at(i), in.at(i), sum.at(i))
			}
		})
		p.do("ADD %v, %v", stride, src)
	})
	p.two(fadd, sum.at(0), sum.at(1), sum.at(0))
	p.two(fadd, sum.at(2), sum.at(3), sum.at(2))
	p.two(fadd, sum.at(0), sum.at(2), sum.at(0))
	p.two(faddp, sum.at(0), sum.at(0), sum.at(0))
	p.two(faddp, sum.at(0), sum.at(0), sum.at(0))
	p.do("FMOVS %s, %s", sum.at(0).f(), p.params["ret"])
	p.end()
}

// groupsOf loads the pointer parameters, in their order from R0 on, and runs body for each 16 of
// n values. Register n is the one behind the pointers.
func (p *program) groupsOf(names []string, body func(pointers []gp)) {
	var pointers []gp
	for i, name := range names {
		pointers = append(pointers, gp(i))
		p.param(name, gp(i))
	}
	n := gp(len(names))
	p.param("n", n)
	p.do("LSR $4, %v", n)
	p.loop(n, func() { body(pointers) })
}

func (p *program) maxOf4() {
	p.begin("maxOf4", "(y, a, b, c, d *float32, n int)",
		"sets y to the largest of four inputs, NaN if one is NaN; n is a positive multiple of 16. "+
			"y may be an input.")
	p.groupsOf([]string{"y", "a", "b", "c", "d"}, func(pointers []gp) {
		for i, from := range pointers[1:] {
			p.nextGroup(from, group(4*i))
		}
		for i := range vec(4) {
			p.two(fmax, i, 4+i, i)
			p.two(fmax, 8+i, 12+i, 8+i)
			p.two(fmax, i, 8+i, i)
		}
		p.putGroup(0, pointers[0])
	})
	p.end()
}

func (p *program) maxOf4Backward() {
	p.begin("maxOf4Backward", "(da, db, dc, dd, a, b, c, d, y, dy *float32, n int, relu int)",
		"gives dy to the first input that equals y or is NaN; with relu, only where y > 0 or is "+
			"NaN. n is a positive multiple of 16.")
	const (
		n, relu                      gp  = 12, 13
		most, gradient, x, rest, hit vec = 0, 1, 2, 3, 4
	)
	in, out := []string{"a", "b", "c", "d"}, []string{"da", "db", "dc", "dd"}
	y, dy := gp(8), gp(9)
	for k := range in {
		p.param(out[k], gp(k))
		p.param(in[k], gp(4+k))
	}
	p.param("y", y)
	p.param("dy", dy)
	p.param("n", n)
	p.param("relu", relu)
	p.do("LSR $2, %v", n)
	p.loop(n, func() {
		p.next(y, most)
		p.next(dy, gradient)
		p.unlessZero(relu, func() { p.keepPositive(gradient, most, hit) })
		for k := range gp(4) {
			p.next(4+k, x)
			p.two(fcmeq, x, most, hit)
			p.two(fcmeq, x, x, rest)
			p.do("VEOR %s, %s, %[2]s", hit.b(), rest.b()) // set where x is a number other than y
			p.two(bic, gradient, rest, x)
			p.put(x, k)
			p.do("VAND %s, %s, %[2]s", rest.b(), gradient.b())
		}
	})
	p.end()
}

func (p *program) mask() {
	p.begin("mask", "(dst, dy, y *float32, n int)",
		"sets dst to dy where y > 0 or y is NaN, to 0 elsewhere; n is a positive multiple of 16. "+
			"dst may be dy.")
	p.groupsOf([]string{"dst", "dy", "y"}, func(pointers []gp) {
		const dy, y group = 0, 4
		p.nextGroup(pointers[1], dy)
		p.nextGroup(pointers[2], y)
		for i := range 4 {
			p.keepPositive(dy.at(i), y.at(i), y.at(i))
		}
		p.putGroup(dy, pointers[0])
	})
	p.end()
}

func (p *program) add() {
	p.begin("add", "(dst, a, b *float32, n int)",
		"sets dst to a + b; n is a positive multiple of 16. dst may be an operand.")
	p.groupsOf([]string{"dst", "a", "b"}, func(pointers []gp) {
		const a, b group = 0, 4
		p.nextGroup(pointers[1], a)
		p.nextGroup(pointers[2], b)
		for i := range 4 {
			p.two(fadd, a.at(i), b.at(i), a.at(i))
		}
		p.putGroup(a, pointers[0])
	})
	p.end()
}

// The registers of the update: eight sums of squares, and groups of gradients, parameters and
// velocities.
const (
	squareSums               vec   = 0
	gradients, params, moved group = 8, 12, 16
	wide                     vec   = 20
	rate, momentum, decay    vec   = 22, 23, 24
)

// sgd writes the update, which also returns the gradient's squared norm, and the squared norm alone
// with the same order of sums.
func (p *program) sgd() {
	p.begin("sgdUpdate",
		"(w, v, grad *float32, n int, rate, momentum, decay float32) float64",
		"updates n (a positive multiple of 16) parameters and returns Σ grad².")
	p.broadcastParam("rate", rate)
	p.broadcastParam("momentum", momentum)
	p.broadcastParam("decay", decay)
	p.squares([]string{"w", "v", "grad"}, func(pointers []gp) {
		p.loadGroup(pointers[0], params)
		p.loadGroup(pointers[1], moved)
		for i := range 4 {
			p.fma(params.at(i), decay, gradients.at(i))
			p.fma(moved.at(i), momentum, gradients.at(i)) // now the velocity
			p.fms(gradients.at(i), rate, params.at(i))
		}
		p.putGroup(params, pointers[0])
		p.putGroup(gradients, pointers[1])
	})
	p.begin("sumSquares", "(grad *float32, n int) float64",
		"returns Σ grad² over n (a positive multiple of 16) values, with the same bits as "+
			"sgdUpdateNEON.")
	p.squares([]string{"grad"}, func([]gp) {})
}

// squares runs body over groups of gradients, which the last of the named pointers points to. It
// returns the sum of their squares in float64 from the kernel.
func (p *program) squares(names []string, body func(pointers []gp)) {
	for i := range vec(8) {
		p.zero(squareSums + i)
	}
	p.groupsOf(names, func(pointers []gp) {
		p.nextGroup(pointers[len(pointers)-1], gradients)
		for i := range vec(4) {
			for half, widen := range []encoding{fcvtl, fcvtl2} {
				p.one(widen, gradients.at(int(i)), wide+vec(half))
				p.fmaD(wide+vec(half), wide+vec(half), squareSums+2*i+vec(half))
			}
		}
		body(pointers)
	})
	for n := vec(4); n > 0; n /= 2 {
		for i := range n {
			p.two(faddD, squareSums+i, squareSums+n+i, squareSums+i)
		}
	}
	p.two(faddpD, squareSums, squareSums, squareSums)
	p.do("FMOVD %s, %s", squareSums.f(), p.params["ret"])
	p.end()
}

// transpose writes the kernel that transposes a row of squares of 4×4 values.
func (p *program) transpose() {
	p.begin("transpose", "(dst, src *float32, squares, dstStep, dstStride, srcStride int)",
		"transposes a row of squares of 4×4 values of src to squares of dst that are dstStep values "+
			"apart.")
	const dst, src, squares, dstStep, dstStride, srcStride, from, to gp = 0, 1, 2, 3, 4, 5, 6, 7
	const rows, pairs vec = 0, 4
	p.param("dst", dst)
	p.param("src", src)
	p.param("squares", squares)
	for _, s := range []struct {
		name string
		r    gp
	}{{"dstStep", dstStep}, {"dstStride", dstStride}, {"srcStride", srcStride}} {
		p.param(s.name, s.r)
		p.do("LSL $2, %v", s.r)
	}
	p.loop(squares, func() {
		p.do("MOVD %v, %v", src, from)
		for i := range vec(4) {
			p.do("FMOVQ (%v), %s", from, (rows + i).f())
			p.do("ADD %v, %v", srcStride, from)
		}
		for i := vec(0); i < 4; i += 2 {
			a, b := rows+i, rows+i+1
			p.do("VTRN1 %s, %s, %s", b.s(), a.s(), (pairs + i).s())
			p.do("VTRN2 %s, %s, %s", b.s(), a.s(), (pairs + i + 1).s())
		}
		for i := range vec(2) {
			a, b := pairs+i, pairs+2+i
			p.do("VTRN1 %s, %s, %s", b.d(), a.d(), (rows + i).d())
			p.do("VTRN2 %s, %s, %s", b.d(), a.d(), (rows + 2 + i).d())
		}
		p.do("MOVD %v, %v", dst, to)
		for i := range vec(4) {
			p.do("FMOVQ %s, (%v)", (rows + i).f(), to)
			p.do("ADD %v, %v", dstStride, to)
		}
		p.do("ADD $16, %v", src)
		p.do("ADD %v, %v", dstStep, dst)
	})
	p.end()
}

// peak writes the kernel that measures the roofline's peak: multiply-adds that do not access
// memory. A step has twice the sums that a step of the other instruction sets has, since some
// processors begin four multiply-adds in a cycle.
func (p *program) peak() {
	p.begin("peak", "(n int)", "runs 24·n independent multiply-adds on full vectors.")
	const n gp = 0
	const sums, a, b vec = 24, 24, 25
	p.param("n", n)
	for v := range b + 1 {
		p.zero(v)
	}
	p.loop(n, func() {
		for v := range sums {
			p.fma(a, b, v)
		}
	})
	p.end()
}

// pause writes the kernel of a moment in a spin loop.
func (p *program) pause() {
	p.begin("pause", "(n int)", "runs n (at least 1) YIELD instructions: a moment in a spin loop.")
	const n gp = 0
	p.param("n", n)
	p.loop(n, func() { p.do("YIELD") })
	p.end()
}
