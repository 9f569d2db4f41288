package main

// sumAt returns the register of the sum of row r and column c, and gradInputs are those behind the
// sums of the largest tile.
func sumAt(r, c int) vec { return vec(gradCols*r + c) }

const (
	gradColumns vec = tileRows * gradCols    // a vector of each column
	gradRow     vec = gradColumns + gradCols // a vector of a row, in two registers in turn
)

// byRows writes body for each number of rows and of columns of a tile.
func (p *program) byRows(body func(rows, cols int)) {
	const rows, cols gp = 1, 2
	p.field("rows", rows)
	p.field("cols", cols)
	p.cases(rows, upTo(tileRows), func(r int) {
		p.cases(cols, upTo(gradCols), func(c int) { body(r, c) })
	})
	p.end()
}

// The pointers to the current lanes of the rows and of the columns of gradTile and rowsTile.
func rowPointer(r int) gp    { return []gp{3, 4, 5, 6, 7, 8}[r] }
func columnPointer(c int) gp { return []gp{9, 10, 11, 12}[c] }

// clearSums clears the sums of a tile.
func (p *program) clearSums(rows, cols int) {
	for r := range rows {
		for c := range cols {
			p.zero(sumAt(r, c))
		}
	}
}

// addProducts adds the products of the next vector of each row and of each column, for all lanes.
// Register left counts the lanes, in bytes.
func (p *program) addProducts(rows, cols int, left gp) {
	top := p.name("lanes")
	p.label(top)
	for c := range cols {
		p.next(columnPointer(c), gradColumns+vec(c))
	}
	for r := range rows {
		row := gradRow + vec(r%2)
		p.next(rowPointer(r), row)
		for c := range cols {
			p.fma(row, gradColumns+vec(c), sumAt(r, c))
		}
	}
	p.do("SUBS $16, %v", left)
	p.do("BNE %s", top)
}

// sumsOfRow adds the lanes of each sum of a row, and leaves the four sums in the first register.
func (p *program) sumsOfRow(r, cols int) vec {
	v := func(c int) vec { return sumAt(r, min(c, cols-1)) }
	first, second := sumAt(r, 0), gradRow
	p.two(faddp, v(2), v(3), second)
	p.two(faddp, v(0), v(1), first)
	p.two(faddp, first, second, first)
	return first
}

// addTo adds v to the vector at to.
func (p *program) addTo(v vec, to gp) {
	p.do("FMOVQ (%v), %s", to, (gradRow + 1).f())
	p.two(fadd, v, gradRow+1, v)
	p.do("FMOVQ %s, (%v)", v.f(), to)
}

func (p *program) gradTile() {
	p.begin("gradTile", "(t *gradTile)", "computes the tile.")
	p.byRows(p.gradBody)
}

func (p *program) gradBody(rows, cols int) {
	const (
		stride          gp = 13
		left            gp = 14
		dyBlock, xBlock gp = 15, 19
		blocks, count   gp = 20, 21
		pair, step      gp = 22, 23
	)
	p.clearSums(rows, cols)
	p.bytes("lanes", stride)
	p.field("dy", dyBlock)
	p.field("x", xBlock)
	p.field("blocks", blocks)
	p.loop(blocks, func() {
		p.field("pairs", pair)
		p.length("pairs", count)
		p.loop(count, func() {
			dy, x := rowPointer(0), columnPointer(0)
			p.do("LDPSW.P 8(%v), (%v, %v)", pair, dy, x)
			p.do("ADD %v<<2, %v, %[1]v", dy, dyBlock)
			p.do("ADD %v<<2, %v, %[1]v", x, xBlock)
			for r := 1; r < rows; r++ {
				p.do("ADD %v, %v, %v", stride, rowPointer(r-1), rowPointer(r))
			}
			for c := 1; c < cols; c++ {
				p.do("ADD %v, %v, %v", stride, columnPointer(c-1), columnPointer(c))
			}
			p.do("MOVD %v, %v", stride, left)
			p.addProducts(rows, cols, left)
		})
		p.field("dyBlock", step)
		p.do("ADD %v<<2, %v", step, dyBlock)
		p.field("xBlock", step)
		p.do("ADD %v<<2, %v", step, xBlock)
	})
	sum := pair
	p.field("sum", sum)
	for r := range rows {
		p.addTo(p.sumsOfRow(r, cols), sum)
		p.do("ADD $%d, %v", 4*gradCols, sum)
	}
}

// rowsTile writes rowsTile's kernel, which sums in gradTile's order.
func (p *program) rowsTile() {
	p.begin("rowsTile", "(t *rowsTile)", "computes the tile.")
	p.byRows(p.rowsBody)
}

func (p *program) rowsBody(rows, cols int) {
	const (
		stride    gp = 13
		left      gp = 14
		places, x gp = 15, 19
		y, yRow   gp = 20, 21
	)
	p.clearSums(rows, cols)
	p.bytes("lanes", stride)
	p.field("w", rowPointer(0))
	for r := 1; r < rows; r++ {
		p.do("ADD %v, %v, %v", stride, rowPointer(r-1), rowPointer(r))
	}
	p.columnsAt(cols, places, x)
	p.do("MOVD %v, %v", stride, left)
	p.addProducts(rows, cols, left)
	p.field("y", y)
	p.bytes("yRow", yRow)
	for r := range rows {
		p.addTo(p.sumsOfRow(r, cols), y)
		if r < rows-1 {
			p.do("ADD %v, %v", yRow, y)
		}
	}
}

// columnsAt sets the column pointers to the tile's images.
func (p *program) columnsAt(cols int, places, x gp) {
	p.field("at", places)
	p.field("x", x)
	for c := range cols {
		p.do("MOVW.P 4(%v), %v", places, columnPointer(c))
		p.do("ADD %v<<2, %v, %[1]v", columnPointer(c), x)
	}
}

// outerTile writes outerTile's kernel. The gradients of all units and images stay in registers.
func (p *program) outerTile() {
	p.begin("outerTile", "(t *outerTile)", "adds to the tile.")
	p.byRows(p.outerBody)
}

func (p *program) outerBody(rows, cols int) {
	const (
		stride    gp = 13
		left      gp = 14
		places, x gp = 15, 19
		dy, first gp = 20, 21
	)
	sum := func(r int) vec { return tileRows*gradCols + vec(r) }
	const image vec = tileRows*gradCols + tileRows
	p.field("dy", dy)
	p.bytes("dyRow", stride)
	for r := range rows {
		p.do("MOVD %v, %v", dy, first)
		for c := range cols {
			p.do("VLD1R.P 4(%v), [%s]", first, sumAt(r, c).s())
		}
		p.do("ADD %v, %v", stride, dy)
	}
	p.columnsAt(cols, places, x)
	p.field("dw", rowPointer(0))
	p.bytes("dwRow", stride)
	for r := 1; r < rows; r++ {
		p.do("ADD %v, %v, %v", stride, rowPointer(r-1), rowPointer(r))
	}
	p.bytes("lanes", left)
	top := p.name("lanes")
	p.label(top)
	for r := range rows {
		p.do("FMOVQ (%v), %s", rowPointer(r), sum(r).f())
	}
	for c := range cols {
		p.next(columnPointer(c), image)
		for r := range rows {
			p.fma(sumAt(r, c), image, sum(r))
		}
	}
	for r := range rows {
		p.put(sum(r), rowPointer(r))
	}
	p.do("SUBS $16, %v", left)
	p.do("BNE %s", top)
}
