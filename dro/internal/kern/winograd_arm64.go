//go:build !purego

package kern

// run transforms the windows on isa.
func (t *windowTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		windowTileNEON(t)
	}
}

// run adds a row of the products to the squares on isa.
func (t *squareTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		squareTileNEON(t)
	}
}

// run transforms the squares on isa.
func (t *spreadTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		spreadTileNEON(t)
	}
}

// run transforms the kernels on isa.
func (t *kernelTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		kernelTileNEON(t)
	}
}

// run makes the gradients of the kernels on isa.
func (t *foldTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		foldTileNEON(t)
	}
}

func (t *vectorWindowTile) run(ISA) { t.generic() }

func (t *vectorProductTile) run(ISA) { t.generic() }

func (t *vectorSquareTile) run(ISA) { t.generic() }

func (t *vectorSpreadTile) run(ISA) { t.generic() }
