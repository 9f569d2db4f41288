package main

const (
	tileRows = 6 // as in package kern
	gradCols = 4 // as in package kern
)

// The registers of convTile: the sums of a tile are in V0 to V23, a group for each row. Then follow
// a group of inputs, and two weights in turn.
const (
	convInputs  group = 24
	convWeights vec   = 28
	convScratch vec   = 30
)

const (
	convLane   gp = 1 // byte offset of the current 16 lanes
	convGroups gp = 2 // groups of 16 lanes left
	convStride gp = 3 // bytes of a row of lanes
	convY      gp = 4
)

// convTile writes convTile's kernel. It takes 16 lanes at a time: 24 sums, 4 inputs.
func (p *program) convTile() {
	p.begin("convTile", "(t *convTile)", "computes the tile 16 lanes at a time.")
	p.bytes("lanes", convStride)
	p.do("LSR $6, %v, %v", convStride, convGroups)
	p.do("MOVD $0, %v", convLane)
	p.loop(convGroups, func() {
		const rows gp = 5
		p.field("rows", rows)
		p.cases(rows, upTo(tileRows), p.convRows)
		p.do("ADD $%d, %v", groupBytes, convLane)
	})
	p.end()
}

// convRows computes rows channels for the current lanes.
func (p *program) convRows(rows int) {
	var sums []group
	for r := range rows {
		sums = append(sums, group(4*r))
	}
	p.convStart(sums)
	p.convSums(sums)
	p.convFinish(sums)
}

// eachRow runs body with the address of the current lanes of each row of a slice, in register to.
func (p *program) eachRow(slice string, sums []group, to gp, body func(g group)) {
	p.field(slice, to)
	p.eachRowAt(to, sums, body)
}

// eachRowAt does the same as eachRow with the slice's address in register to.
func (p *program) eachRowAt(to gp, sums []group, body func(g group)) {
	p.do("ADD %v, %v", convLane, to)
	for i, g := range sums {
		body(g)
		if i < len(sums)-1 {
			p.do("ADD %v, %v", convStride, to)
		}
	}
}

// convStart sets the sums to y, the bias or 0.
func (p *program) convStart(sums []group) {
	const add, bias = gp(5), gp(6)
	fresh, zero, done := p.name("fresh"), p.name("zero"), p.name("start")
	p.field("add", add)
	p.do("CBZ %v, %s", add, fresh)
	p.eachRow("y", sums, convY, func(g group) { p.loadGroup(convY, g) })
	p.do("B %s", done)
	p.label(fresh)
	p.field("bias", bias)
	p.do("CBZ %v, %s", bias, zero)
	for _, g := range sums {
		p.do("VLD1R.P 4(%v), [%s]", bias, g.at(0).s())
		for i := 1; i < 4; i++ {
			p.move(g.at(0), g.at(i))
		}
	}
	p.do("B %s", done)
	p.label(zero)
	for _, g := range sums {
		for i := range 4 {
			p.zero(g.at(i))
		}
	}
	p.label(done)
}

// convSums adds the products in loops over the outer channels and the taps.
func (p *program) convSums(sums []group) {
	const (
		taps, end      gp = 5, 6
		x, w           gp = 7, 8
		wRow           gp = 9
		xStep, wStep   gp = 10, 11
		outer, current gp = 12, 13
		xTap, wTap     gp = 14, 15
	)
	p.length("taps", end)
	p.unlessZero(end, func() {
		p.field("taps", taps)
		p.do("ADD %v<<3, %v, %v", end, taps, end)
		base := xTap
		p.field("x", x)
		p.field("xBase", base)
		p.do("ADD %v<<2, %v", base, x)
		p.do("ADD %v, %v", convLane, x)
		p.field("w", w)
		p.field("wBase", base)
		p.do("ADD %v<<2, %v", base, w)
		p.bytes("wRow", wRow)
		p.bytes("wStep", wStep)
		p.bytes("xStep", xStep)
		p.field("outer", outer)
		p.loop(outer, func() {
			p.do("MOVD %v, %v", taps, current)
			top := p.name("tap")
			p.label(top)
			p.do("LDPSW.P 8(%v), (%v, %v)", current, xTap, wTap)
			p.do("ADD %v<<2, %v, %[1]v", xTap, x)
			p.do("ADD %v<<2, %v, %[1]v", wTap, w)
			p.loadGroup(xTap, convInputs)
			for r, g := range sums {
				weight := convWeights + vec(r%2)
				p.broadcast(wTap, weight)
				if r < len(sums)-1 {
					p.do("ADD %v, %v", wRow, wTap)
				}
				for i := range 4 {
					p.fma(weight, convInputs.at(i), g.at(i))
				}
			}
			p.do("CMP %v, %v", end, current)
			p.do("BNE %s", top)
			p.do("ADD %v, %v", xStep, x)
			p.do("ADD %v, %v", wStep, w)
		})
	})
}

// convFinish applies ReLU, plus and mask, and stores the sums.
func (p *program) convFinish(sums []group) {
	const flag gp = 5
	p.field("relu", flag)
	p.unlessZero(flag, func() {
		for _, g := range sums {
			for i := range 4 {
				p.keepPositive(g.at(i), g.at(i), convScratch)
			}
		}
	})
	p.field("plus", flag)
	p.unlessZero(flag, func() {
		p.eachRowAt(flag, sums, func(g group) {
			p.loadGroup(flag, convInputs)
			for i := range 4 {
				p.two(fadd, g.at(i), convInputs.at(i), g.at(i))
			}
		})
	})
	p.field("mask", flag)
	p.unlessZero(flag, func() {
		p.eachRowAt(flag, sums, func(g group) {
			p.loadGroup(flag, convInputs)
			for i := range 4 {
				p.keepPositive(g.at(i), convInputs.at(i), convScratch)
			}
		})
	})
	p.eachRow("y", sums, convY, func(g group) { p.storeGroup(g, convY) })
}
