package main

// moments writes the kernel of moments, which takes four lanes of a channel per step. It adds a
// product with one rounding, as the reference does when it is compiled for arm64.
func (p *program) moments() {
	p.begin("moments", "(t *momentTile)", "adds to the tile's sums.")
	const (
		a, b, positions, stride         gp = 1, 2, 3, 4
		fromA, fromB, channels, apart   gp = 5, 6, 7, 8
		sums, around, lanes, left, x, y gp = 9, 10, 11, 12, 13, 14
	)
	const (
		low, high, productLow, productHigh, centre vec = 0, 1, 2, 3, 4
		inA, inB, wideA, wideB                     vec = 5, 6, 7, 9
	)
	p.field("a", a)
	p.field("b", b)
	p.bytes("stride", stride)
	p.bytes("apart", apart)
	p.field("lanes", lanes)
	p.do("LSR $2, %v", lanes)
	p.field("positions", positions)
	p.loop(positions, func() {
		p.do("MOVD %v, %v", a, fromA)
		p.do("MOVD %v, %v", b, fromB)
		p.field("sums", sums)
		p.field("around", around)
		p.field("channels", channels)
		p.loop(channels, func() {
			p.do("VLD1R.P 8(%v), [%s]", around, centre.d())
			for v := low; v <= productHigh; v++ {
				p.zero(v)
			}
			p.do("MOVD %v, %v", fromA, x)
			p.do("MOVD %v, %v", fromB, y)
			p.do("MOVD %v, %v", lanes, left)
			p.loop(left, func() {
				p.next(x, inA)
				p.next(y, inB)
				for half, widen := range []encoding{fcvtl, fcvtl2} {
					h := vec(half)
					p.one(widen, inA, wideA+h)
					p.one(widen, inB, wideB+h)
					p.two(faddD, low+h, wideA+h, low+h)
					p.two(fsubD, wideB+h, centre, wideB+h)
					p.fmaD(wideA+h, wideB+h, productLow+h)
				}
			})
			// (v0 + v1) + (v2 + v3) of both sums at once
			p.two(faddpD, low, high, low)
			p.two(faddpD, productLow, productHigh, productLow)
			p.two(faddpD, low, productLow, low)
			p.do("FMOVQ (%v), %s", sums, inA.f())
			p.two(faddD, inA, low, low)
			p.put(low, sums)
			p.do("ADD %v, %v", apart, fromA)
			p.do("ADD %v, %v", apart, fromB)
		})
		p.do("ADD %v, %v", stride, a)
		p.do("ADD %v, %v", stride, b)
	})
	p.end()
}

// The registers of batch normalisation: one for each factor of a channel, in the order of its
// names, and groups of values.
const normFactors vec = 24

const (
	normX, normDst, normOther, normRelu gp = 1, 2, 3, 4 // other: plus forward, dy backward
	normPositions, normChannels         gp = 5, 6
	normLeft, normLanes                 gp = 7, 8
)

func normFactor(i int) gp { return []gp{9, 10, 11, 12}[i] }

// eachChannel runs body for each group of lanes of each position and channel, with the channel's
// factors in registers, and returns from the kernel.
func (p *program) eachChannel(names []string, body func()) {
	p.field("lanes", normLanes)
	p.do("LSR $4, %v", normLanes)
	p.field("positions", normPositions)
	p.loop(normPositions, func() {
		for i, name := range names {
			p.field(name, normFactor(i))
		}
		p.field("channels", normChannels)
		p.loop(normChannels, func() {
			for i := range names {
				p.do("VLD1R.P 4(%v), [%s]", normFactor(i), (normFactors + vec(i)).s())
			}
			p.do("MOVD %v, %v", normLanes, normLeft)
			p.loop(normLeft, body)
		})
	})
	p.end()
}

// normForward writes the kernel of the forward pass. The product is added with one rounding, as in
// the reference when it is compiled for arm64.
func (p *program) normForward() {
	p.begin("normForward", "(t *normTile)", "normalises the tile.")
	const centre, scale, offset = normFactors, normFactors + 1, normFactors + 2
	const x, y, plus group = 0, 4, 8
	const scratch vec = 12
	p.field("x", normX)
	p.field("dst", normDst)
	p.field("plus", normOther)
	p.field("relu", normRelu)
	p.eachChannel([]string{"centre", "scale", "offset"}, func() {
		p.nextGroup(normX, x)
		for i := range 4 {
			p.two(fsub, x.at(i), centre, x.at(i))
			p.move(offset, y.at(i))
			p.fma(x.at(i), scale, y.at(i))
		}
		p.unlessZero(normOther, func() {
			p.nextGroup(normOther, plus)
			for i := range 4 {
				p.two(fadd, y.at(i), plus.at(i), y.at(i))
			}
		})
		p.unlessZero(normRelu, func() {
			for i := range 4 {
				p.keepPositive(y.at(i), y.at(i), scratch)
			}
		})
		p.putGroup(y, normDst)
	})
}

// normBackward writes the kernel of the gradient. Of its two products, the one that the compiler
// chooses for the reference is added with one rounding.
func (p *program) normBackward() {
	p.begin("normBackward", "(t *normTile)", "computes the gradient of what the tile normalised.")
	const centre, scale, slope, offset = normFactors, normFactors + 1, normFactors + 2, normFactors + 3
	const x, dy, sum group = 0, 4, 8
	p.field("x", normX)
	p.field("dy", normOther)
	p.field("dst", normDst)
	p.eachChannel([]string{"centre", "scale", "slope", "offset"}, func() {
		p.nextGroup(normX, x)
		p.nextGroup(normOther, dy)
		for i := range 4 {
			p.two(fsub, x.at(i), centre, x.at(i))
			p.two(fmul, dy.at(i), scale, sum.at(i))
			p.fma(x.at(i), slope, sum.at(i))
			p.two(fadd, sum.at(i), offset, sum.at(i))
		}
		p.putGroup(sum, normDst)
	})
}
