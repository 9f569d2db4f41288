//go:build !purego

package kern

// run transforms the windows on isa.
func (t *windowTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX2:
		windowTileAVX2(t)
	default:
		windowTileAVX512(t)
	}
}

// run adds a row of the products to the squares on isa.
func (t *squareTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX2:
		squareTileAVX2(t)
	default:
		squareTileAVX512(t)
	}
}

// run transforms the squares on isa.
func (t *spreadTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX2:
		spreadTileAVX2(t)
	default:
		spreadTileAVX512(t)
	}
}

// run transforms the kernels on isa.
func (t *kernelTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX2:
		kernelTileAVX2(t)
	default:
		kernelTileAVX512(t)
	}
}

// run makes the gradients of the kernels on isa.
func (t *foldTile) run(isa ISA) {
	switch isa {
	case Generic:
		t.generic()
	case AVX2:
		foldTileAVX2(t)
	default:
		foldTileAVX512(t)
	}
}

// run transforms the windows, in assembly for AVX2 or in plain Go.
func (t *vectorWindowTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		vectorWindowTileAVX2(t)
	}
}

// run multiplies the places, in assembly for AVX2 or in plain Go.
func (t *vectorProductTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		vectorProductTileAVX2(t)
	}
}

// run makes the squares, in assembly for AVX2 or in plain Go.
func (t *vectorSquareTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		vectorSquareTileAVX2(t)
	}
}

// run transforms the squares, in assembly for AVX2 or in plain Go.
func (t *vectorSpreadTile) run(isa ISA) {
	if isa == Generic {
		t.generic()
	} else {
		vectorSpreadTileAVX2(t)
	}
}
