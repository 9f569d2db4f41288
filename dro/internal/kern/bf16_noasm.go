//go:build !amd64 || purego

package kern

func detectBF16() BF16 { return Rounded }

// There are no tiles here: the float32 kernels run on rounded operands, and nothing calls these.

const noTiles = "kern: no kernel for tiles"

func (t *mulTile) run(BF16) { panic(noTiles) }

func (t *pairsTile) run() { panic(noTiles) }

func (t *normTile) forwardRounded() { panic(noTiles) }

func (t *normTile) backwardRounded() { panic(noTiles) }

func (t *tapsTile) lines() { panic(noTiles) }

func round(_, _ []float32) { panic(noTiles) }

func packRows([]uint16, []float32, int, []int32, int, bool) { panic(noTiles) }

func packPairs([]uint16, []float32, int, []int32, int, int) { panic(noTiles) }

func packPairsAcross([]uint16, []float32, int, []int32, int, []int32, int) { panic(noTiles) }

func finish(_, _, _ []float32, _, _, _ int) { panic(noTiles) }

func prefetch([]float32) { panic(noTiles) }

func runPeakBF16(BF16, int) { panic(noTiles) }
