//go:build !purego

package kern

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func detectBF16() BF16 {
	x := &cpu.X86
	switch {
	case Detect() != AVX512 || !x.HasAVX512BF16:
		return Rounded
	case x.HasAMXTile && x.HasAMXBF16 && tilesPermitted():
		return AMX
	}
	return AVX512BF16
}

// run computes the tiles on kind, which is not Rounded.
func (t *mulTile) run(kind BF16) {
	if kind == AMX {
		t.at = 0
		mulTileAMX(t)
		return
	}
	const rows = 8 // rows of a call
	part := *t
	for s, of := range t.spans {
		part.bBase, part.taps = t.bBase+s*t.bMove, t.taps[of.from:of.to]
		for i := range t.rows * tileSide / rows {
			part.c = t.c[s*t.cMove+i*rows*t.cRow:]
			part.a = t.a[(i*rows/tileSide*t.aNext+i*rows%tileSide)*tileDepth:]
			dotTileBF16(&part)
		}
	}
}

// run computes the tile.
func (t *pairsTile) run() { pairsTileBF16(t) }

// forwardRounded is forward that writes t.rounded.
func (t *normTile) forwardRounded() { normForwardBF16(t) }

func (t *normTile) backwardRounded() { normBackwardBF16(t) }

// lines computes the tile of lines.
func (t *tapsTile) lines() { linesTileBF16(t) }

// round rounds src, lines of 32 images, to lines of a rounding.
func round(dst, src []float32) {
	roundBF16(unsafe.SliceData(dst), &src[0], len(src)/tileDepth)
}

// packRows rounds 16 rows of cols ≤ 32 values to a tile of A or, with across, to columns of a tile
// of B. Row i is at base + offsets[i] of src.
func packRows(dst []uint16, src []float32, base int, offsets []int32, cols int, across bool) {
	if across {
		packRowsAcrossBF16(&dst[0], unsafe.SliceData(src), base, &offsets[0], cols)
	} else {
		packRowsBF16(&dst[0], unsafe.SliceData(src), base, &offsets[0], cols)
	}
}

// packPairs rounds 2·lines rows of cols ≤ 16 values to the first lines of a tile of B.
func packPairs(dst []uint16, src []float32, base int, offsets []int32, cols, lines int) {
	packPairsBF16(&dst[0], unsafe.SliceData(src), base, &offsets[0], cols, lines)
}

// packPairsAcross rounds 32 rows of cols ≤ 16 values to lines of tiles of A, in which the rows are
// columns: line j is to[j] bytes from dst. It prefetches the rows of a later call, ahead values
// behind these.
func packPairsAcross(
	dst []uint16, src []float32, base int, offsets []int32, cols int, to []int32, ahead int,
) {
	packPairsAcrossBF16(&dst[0], unsafe.SliceData(src), base, &offsets[0], cols, &to[0], ahead)
}

// finish adds bias to rows of y, clamps them at 0 with relu 1, and clears them where mask ≤ 0; bias
// and mask may be nil.
func finish(y, bias, mask []float32, rows, lanes, relu int) {
	if bias != nil || mask != nil || relu != 0 {
		finishBF16(&y[0], unsafe.SliceData(bias), unsafe.SliceData(mask), rows, lanes, relu)
	}
}

// prefetch prefetches s, which is to be read or written soon. It does nothing else.
func prefetch(s []float32) {
	if len(s) > 0 {
		prefetchBF16(&s[0], len(s)*4/cacheLine+1)
	}
}

// runPeakBF16 runs n steps of products of operands that stay in registers: peakSums products of
// pairs each or, every peakTileSteps steps, 4 products of tiles.
func runPeakBF16(kind BF16, n int) {
	if kind == AMX {
		peakAMX(n / peakTileSteps)
	} else {
		dotPeakBF16(n)
	}
}
