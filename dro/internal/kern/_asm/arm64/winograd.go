package main

// The sizes are those of package kern.
const (
	windowSide = 4
	squareSide = 2
	kernelSide = 3
)

// winogradTiles writes the transformations of Winograd's convolutions. Apart from halving, they
// only add, so every instruction set rounds alike.
func (p *program) winogradTiles() {
	p.windowTile()
	p.squareTile()
	p.spreadTile()
	p.kernelTile()
	p.foldTile()
}

// winogradLeft counts the vectors of the tile's n values.
const winogradLeft gp = 26

// eachVector runs body for each vector of the tile's n values.
func (p *program) eachVector(body func()) {
	p.field("n", winogradLeft)
	p.do("LSR $2, %v", winogradLeft)
	p.loop(winogradLeft, body)
}

// places sets four registers from first on to the addresses of the places of a row. It uses apart.
func (p *program) places(name string, first, apart gp) {
	p.field(name, first)
	p.bytes("apart", apart)
	for i := first; i < first+windowSide-1; i++ {
		p.do("ADD %v, %v, %v", apart, i, i+1)
	}
}

func (p *program) windowTile() {
	p.begin("windowTile", "(t *windowTile)", "transforms a row of windows.")
	const plus, a, b, v, apart gp = 1, 2, 6, 10, 14
	const left, other vec = 0, 4
	for i := range windowSide {
		p.element("a", i, a+gp(i))
		p.element("b", i, b+gp(i))
	}
	p.places("v", v, apart)
	p.field("plus", plus)
	p.cases(plus, []int{1, 0}, func(flag int) {
		join := fsub
		if flag > 0 {
			join = fadd
		}
		p.eachVector(func() {
			for i := range windowSide {
				p.next(a+gp(i), left+vec(i))
				p.next(b+gp(i), other+vec(i))
				p.two(join, left+vec(i), other+vec(i), left+vec(i))
			}
			for i, e := range []struct {
				e    encoding
				a, b vec
			}{{fsub, 0, 2}, {fadd, 1, 2}, {fsub, 2, 1}, {fsub, 1, 3}} {
				p.two(e.e, left+e.a, left+e.b, other+vec(i))
				p.put(other+vec(i), v+gp(i))
			}
		})
	})
	p.end()
}

func (p *program) squareTile() {
	p.begin("squareTile", "(t *squareTile)", "adds a row of products to squares.")
	const flag gp = 1
	p.field("start", flag)
	p.cases(flag, []int{1, -1, 0}, func(start int) {
		p.field("last", flag)
		p.cases(flag, []int{1, 0}, func(last int) { p.squareRows(start, last > 0) })
	})
	p.end()
}

// squareRows writes the loop for one way to start. For the last row of products, the loop also
// applies ReLU, plus and mask.
func (p *program) squareRows(start int, last bool) {
	const relu, y, plus, mask, m, apart gp = 1, 2, 4, 6, 8, 12
	const products, from, scratch vec = 0, 4, 5
	for i := range squareSide {
		p.element("y", i, y+gp(i))
		if last {
			p.element("plus", i, plus+gp(i))
			p.element("mask", i, mask+gp(i))
		}
	}
	p.places("m", m, apart)
	p.field("relu", relu)
	p.eachVector(func() {
		for i := range windowSide {
			p.next(m+gp(i), products+vec(i))
		}
		p.two(fadd, products+1, products, products)
		p.two(fadd, products, products+2, products)
		p.two(fsub, products+1, products+2, products+1)
		p.two(fsub, products+1, products+3, products+1)
		for i := range squareSide {
			v, to := products+vec(i), y+gp(i)
			if start != 0 {
				p.do("FMOVQ (%v), %s", to, from.f())
			}
			switch {
			case start > 0:
				p.two(fadd, v, from, v)
			case start < 0:
				p.two(fsub, from, v, v)
			}
			if last {
				p.unlessZero(relu, func() { p.keepPositive(v, v, scratch) })
				p.unlessZero(plus+gp(i), func() {
					p.next(plus+gp(i), from)
					p.two(fadd, v, from, v)
				})
				p.unlessZero(mask+gp(i), func() {
					p.next(mask+gp(i), from)
					p.keepPositive(v, from, scratch)
				})
			}
			p.put(v, to)
		}
	})
}

func (p *program) spreadTile() {
	p.begin("spreadTile", "(t *spreadTile)", "transforms a row of squares.")
	const with, a, b, places, apart gp = 1, 2, 4, 6, 10
	const s, other, sum vec = 0, 2, 4
	for i := range squareSide {
		p.element("a", i, a+gp(i))
		p.element("b", i, b+gp(i))
	}
	p.places("p", places, apart)
	p.field("with", with)
	p.cases(with, []int{1, -1, 0}, func(with int) {
		p.eachVector(func() {
			for i := range vec(squareSide) {
				p.next(a+gp(i), s+i)
				if with != 0 {
					p.next(b+gp(i), other+i)
				}
				switch {
				case with > 0:
					p.two(fadd, s+i, other+i, s+i)
				case with < 0:
					p.two(fsub, s+i, other+i, s+i)
				}
			}
			p.put(s, places)
			p.two(fadd, s, s+1, sum)
			p.put(sum, places+1)
			p.two(fsub, s, s+1, sum)
			p.put(sum, places+2)
			p.put(s+1, places+3)
		})
	})
	p.end()
}

// half is the register that holds 0.5 in each lane.
const half vec = 31

func (p *program) halfConstant() { p.constant(0x3f000000_3f000000, 1, half) }

func (p *program) kernelTile() {
	p.begin("kernelTile", "(t *kernelTile)", "transforms kernels.")
	const from, step, to, apart, tap, place gp = 2, 3, 4, 5, 6, 7
	taps := func(i, j int) vec { return vec(kernelSide*i + j) }
	const row, sum vec = 9, 12
	p.halfConstant()
	p.field("g", from)
	p.bytes("n", step)
	p.field("u", to)
	p.bytes("apart", apart)
	p.eachVector(func() {
		p.do("MOVD %v, %v", from, tap)
		for i := range kernelSide * kernelSide {
			p.do("FMOVQ (%v), %s", tap, vec(i).f())
			p.do("ADD %v, %v", step, tap)
		}
		p.do("MOVD %v, %v", to, place)
		store := func(v vec) {
			p.do("FMOVQ %s, (%v)", v.f(), place)
			p.do("ADD %v, %v", apart, place)
		}
		for i := range windowSide {
			r := [kernelSide]vec{row, row + 1, row + 2}
			for j := range r {
				switch i {
				case 0:
					r[j] = taps(0, j)
				case windowSide - 1:
					r[j] = taps(2, j)
				default:
					p.two(fadd, taps(0, j), taps(2, j), r[j])
					p.halfOf([]encoding{fadd, fsub}[i-1], r[j], taps(1, j), r[j])
				}
			}
			store(r[0])
			p.two(fadd, r[0], r[2], sum)
			p.halfOf(fadd, sum, r[1], sum+1)
			store(sum + 1)
			p.halfOf(fsub, sum, r[1], sum+1)
			store(sum + 1)
			store(r[2])
		}
		p.do("ADD $16, %v", from)
		p.do("ADD $16, %v", to)
	})
	p.end()
}

// halfOf sets to to (a op b)/2.
func (p *program) halfOf(op encoding, a, b, to vec) {
	p.two(op, a, b, to)
	p.two(fmul, to, half, to)
}

// foldTile writes foldTile's kernel, which keeps the nine taps in registers and adds one row of
// places after another.
func (p *program) foldTile() {
	p.begin("foldTile", "(t *foldTile)", "makes kernels.")
	const from, lots, lot, u, place, apart, to, step, tap gp = 2, 3, 4, 5, 6, 7, 8, 9, 10
	p.halfConstant()
	p.field("u", from)
	p.bytes("lot", lot)
	p.bytes("apart", apart)
	p.field("g", to)
	p.bytes("n", step)
	p.eachVector(func() {
		for i := range vec(kernelSide * kernelSide) {
			p.zero(i)
		}
		p.do("MOVD %v, %v", from, u)
		p.field("lots", lots)
		p.loop(lots, func() {
			p.do("MOVD %v, %v", u, place)
			for row := range windowSide {
				p.foldRow(row, place, apart)
			}
			p.do("ADD %v, %v", lot, u)
		})
		p.do("MOVD %v, %v", to, tap)
		for i := range vec(kernelSide * kernelSide) {
			p.do("FMOVQ %s, (%v)", i.f(), tap)
			p.do("ADD %v, %v", step, tap)
		}
		p.do("ADD $16, %v", from)
		p.do("ADD $16, %v", to)
	})
	p.end()
}

// foldRow adds a row of places to the taps, which are V0 to V8, and moves place behind the row.
func (p *program) foldRow(row int, place, apart gp) {
	tap := func(i, j int) vec { return vec(kernelSide*i + j) }
	const u vec = 9 // the four places of the row
	const r vec = 13
	for i := range vec(windowSide) {
		p.do("FMOVQ (%v), %s", place, (u + i).f())
		p.do("ADD %v, %v", apart, place)
	}
	p.halfOf(fadd, u+1, u+2, r)
	p.halfOf(fsub, u+1, u+2, r+1)
	p.two(fsub, r, u+3, r+2)
	p.two(fadd, r, u, r)
	for j := range kernelSide {
		v := r + vec(j)
		switch row {
		case 0:
			p.two(fadd, tap(0, j), v, tap(0, j))
		case windowSide - 1:
			p.two(fsub, tap(2, j), v, tap(2, j))
		default:
			p.two(fmul, v, half, v)
			p.two(fadd, tap(0, j), v, tap(0, j))
			p.two([]encoding{fadd, fsub}[row-1], tap(1, j), v, tap(1, j))
			p.two(fadd, tap(2, j), v, tap(2, j))
		}
	}
}
