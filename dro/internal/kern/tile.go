package kern

// tileRows is the number of destination channels that a convolution tile keeps in registers. The
// last tile of a layer may have fewer.
const tileRows = 6

// convTile is one call of the convolution kernel: rows channels of one destination position, for
// all lanes of a block or, on AVX2, for some of them,
//
//	y[r·lanes + j] = start + Σ_{o < outer} Σ_{t in taps}
//		w[wBase + o·wStep + t.w + r·wRow] · x[xBase + o·xStep + t.x + j]
//
// where start is y's own value if add, else bias[r]. Then follow max(0, ·) if relu, the addition of
// plus if there is one, and 0 where mask ≤ 0 if there is a mask. In the forward direction o counts
// input channels and r output channels; in the backward direction they change places. The
// assembly's generator reads this struct: run go generate after a change.
type convTile struct {
	y, x, w []float32
	bias    []float32 // rows values, or nil for 0
	plus    []float32 // laid out as y, or nil
	mask    []float32 // laid out as y, or nil
	taps    []tap

	xBase, wBase              int // in values; xBase may be negative, xBase + t.x is not
	outer, xStep, wStep, wRow int
	rows, lanes               int
	relu                      int // 1: clamp at 0
	add                       int // 1: add to y
	prefetch                  int // how far ahead of its use a weight is prefetched, in values

	// In each of the first prefetchSteps outer steps, the AVX-512 kernel prefetches prefetchLines
	// lines of memory from each of these addresses on, and moves the addresses on. Prefetched all
	// at once, the lines would hold up the sum.
	prefetchAt    [prefetchStreams]uintptr
	prefetchSteps int

	width int // lanes that the AVX2 kernel computes, from the first on
}

const (
	prefetchStreams = 3
	prefetchLines   = 4
)

// tap is one step of a convolution tile: offsets in values of the source position and of the
// weight.
type tap struct{ x, w int32 }

// A window is 4×4 neighbouring positions of a map, from which a 3×3 convolution makes a square of
// 2×2 positions.
const (
	windowSide = 4
	windowArea = windowSide * windowSide
	squareSide = 2
	kernelArea = 9
)

// windowTile is one call of the kernel that makes a row of Bᵀ·x·B (see [Winograd]) from two rows of
// a window. For each k below n, which is a multiple of vector, and with s[j] = a[j][k] ± b[j][k],
//
//	v[0·apart + k] = s[0] − s[2]
//	v[1·apart + k] = s[1] + s[2]
//	v[2·apart + k] = s[2] − s[1]
//	v[3·apart + k] = s[1] − s[3]
//
// Meanwhile it prefetches into the second-level cache what lies ahead values behind the right half
// of a and b.
type windowTile struct {
	a, b [windowSide][]float32 // by column, n values each
	v    []float32
	plus int // 1: a + b; 0: a − b

	n, apart, ahead int
}

// squareTile is one call of the kernel that adds a row of products m, laid out as v of windowTile,
// to a row of a square,
//
//	y[0] = start ± (m[0] + m[1] + m[2])
//	y[1] = start ± (m[1] − m[2] − m[3])
//
// where start is 0 or y's own value. After the last row of products follow max(0, ·) if relu, the
// addition of plus if there is one, and 0 where mask ≤ 0 if there is a mask. Meanwhile it
// prefetches into the second-level cache what lies ahead values behind y, plus and mask.
type squareTile struct {
	m     []float32
	y     [squareSide][]float32 // by column, n values each
	start int                   // 0: from 0; 1: added to y; −1: taken from y

	last       int                   // 1: relu, plus and mask are applied
	relu       int                   // 1: clamp at 0
	plus, mask [squareSide][]float32 // laid out as y, or nil

	n, apart, ahead int
}

// spreadTile is one call of the kernel that makes a row of A·y·Aᵀ from the rows of a square. For
// each k below n, and with s[j] = a[j][k], a[j][k] + b[j][k] or a[j][k] − b[j][k],
//
//	p[0·apart + k] = s[0]
//	p[1·apart + k] = s[0] + s[1]
//	p[2·apart + k] = s[0] − s[1]
//	p[3·apart + k] = s[1]
//
// The last place of a row, and the last row, have the opposite sign to A's.
type spreadTile struct {
	a, b [squareSide][]float32 // by column, n values each
	p    []float32
	with int // 0: a alone; 1: a + b; −1: a − b

	n, apart int
}

// kernelTile is one call of the kernel that makes u = G·g·Gᵀ of n 3×3 kernels. The taps of kernel k
// are at g[tap·n + k], and its places at u[place·apart + k].
type kernelTile struct {
	g, u     []float32
	n, apart int
}

// foldTile is one call of the kernel that goes back: it makes g = Gᵀ·u·G from the sum of some lots
// of u, which lie lot values apart. The signs of u are spreadTile's.
type foldTile struct {
	g, u []float32

	n, apart, lots, lot int
}

// gradTile is one call of the weight gradient's kernel: the dot products of rows channels of dy
// with cols channels of x,
//
//	sum[r·gradCols + c] += Σ_{b < blocks} Σ_{p in pairs} Σ_{j < lanes}
//		dy[b·dyBlock + p.dy + r·lanes + j] · x[b·xBlock + p.x + c·lanes + j]
//
// dy and x start at the tile's first channel.
type gradTile struct {
	sum   []float32 // gradSums values
	dy, x []float32
	pairs []pair

	blocks, dyBlock, xBlock int
	rows, cols, lanes       int
}

const (
	gradCols = 4                   // input channels in a tile of the weight gradient
	gradSums = tileRows * gradCols // sums of such a tile
)

// pair is one position of a gradient tile: offsets in values of the output and of the input that a
// tap joins.
type pair struct{ dy, x int32 }

// tapsTile is one call of the kernel of the weight gradient of three neighbouring taps. It
// multiplies tapsRows channels of dy with a vector of channels of x at each of tapsCols columns,
//
//	sum[(r·tapsCols + c)·vector + j] += Σ_{p < positions} Σ_{g < groups} Σ_{s < vector}
//		dy[r·dyRow + s] · x[c·xTap + s·vector + j]
//
// where each step moves dy and x on by the values that it reads, and each position by dyStep and
// xStep more. A value is a float32 or, in bf16, a pair whose products are added. Meanwhile the
// kernel prefetches memory from prefetchDY and prefetchX on, tapsPrefetchLines lines of each per
// group.
//
// The kernel of lines takes both operands as lines of a [Rounding], one per group, and keeps the
// lanes apart. It prefetches from prefetchDY alone, a line per group,
//
//	sum[(r·tapsCols + c)·vector + j] += Σ_{p < positions} Σ_{g < groups}
//		dy[r·dyRow + j] · x[c·xTap + j]
type tapsTile struct {
	sum, dy, x            []float32
	prefetchDY, prefetchX []float32

	positions, groups int
	dyStep, dyRow     int
	xStep, xTap       int
}

// rowsTile is one call of the kernel of a linear layer on rows that lie anywhere. It computes the
// outputs of rows units for cols images,
//
//	y[r·yRow + c] += Σ_{j < lanes} w[r·lanes + j] · x[at[c] + j]
//
// for c to gradCols; what it adds from cols on has no meaning. It sums in gradTile's order, so its
// bits are the same. Meanwhile it prefetches into the second-level cache, line by line, what lies
// at next[c]: lines prefetched all at once would hold up the reading.
type rowsTile struct {
	y, w, x  []float32
	at, next []int32 // cols values

	rows, cols, lanes, yRow int
}

// outerTile is one call of the kernel of the weight gradient of that layer. It adds the products of
// cols images with the gradients of rows units,
//
//	dw[r·dwRow + j] += Σ_{c < cols} dy[r·dyRow + c] · x[at[c] + j]
type outerTile struct {
	dw, dy, x []float32
	at        []int32 // cols values

	dwRow, dyRow      int
	rows, cols, lanes int
}

// momentTile is one call of the kernel of the moments of some channels. For each channel it adds,
// over positions and lanes,
//
//	sum += Σ a, product += Σ a · (b − around)
//
// in float64: the lanes of a position in four interleaved sums, and then position after position.
// Positions lie stride values apart, and channels lie apart values apart.
type momentTile struct {
	a, b []float32

	sums   []moment  // by channel
	around []float64 // by channel

	positions, stride, channels, apart int
	lanes                              int  // a multiple of 4
	own                                bool // b is a, and around is 0
}

// moment holds Σ a and Σ a·(b − around) of a channel.
type moment struct{ sum, product float64 }

// normTile is one call of the kernels of batch normalisation, forward and backward, on some
// positions, channel by channel:
//
//	forward:  dst = scale·(x − centre) + offset, then + plus if there is one, then max(0, ·) if relu
//	backward: dst = scale·dy + slope·(x − centre) + offset
//
// If rounded, lines of a [Rounding], is not nil, they also write the rounding of dst there, and dst
// may be nil.
type normTile struct {
	dst, x, dy, plus             []float32
	centre, scale, slope, offset []float32 // by channel

	positions, channels, lanes int // lanes: a multiple of 16
	relu                       int // 1: clamp at 0

	rounded []float32
}

// lossTile is one call of the kernels of the losses of a vector of images. The values of class k
// lie k·lanes behind the first values of outputs and predictions. One kernel computes
//
//	losses[i]         = log Σ_k exp(outputs[k, i]) − outputs[labels[i], i]
//	predictions[k, i] = exp(outputs[k, i]) / Σ_k exp(outputs[k, i])
//
// and the other computes their gradient,
//
//	outputs[k, i] = weights[i]·(predictions[k, i] − onehot(labels[i])[k])
type lossTile struct {
	outputs, predictions []float32 // predictions: nil if not wanted; it may be outputs
	exp                  []float64 // room for vector·classes values
	losses, weights      []float64 // vector values
	labels               []int     // vector values

	classes, lanes int
}

// A bf16 tile is 1 KiB: 16 rows of 32 values, or 16 rows of 16 columns of two values, which are
// multiplied one after the other. Operands are packed into whole tiles, with zeros beyond their
// edges (see bf16_pack.go).
const (
	tileSide  = 16                   // rows of a tile (lines in memory), columns of a product
	tileDepth = 32                   // values of a line, which a product of two tiles sums over
	tileLen   = tileSide * tileDepth // values of a tile
)

// mulTile is one call of the bf16 kernels: products of up to 2×2 tiles, one for each span s of
// taps,
//
//	c[s·cMove + i·cRow + j] = start + Σ_{t in taps of s} Σ_{n < inner} Σ_{k < 32} A[i, k] · B[k, j]
//
// where start is 0 or, with add, c's own value; AMX does not have add.
//
//   - A is the tile at a + t.w + n·aInner, with the tile at aNext behind it for rows from 16 on.
//     The rows of a tile of A are values in the order of k.
//   - B is the tile at b + bBase + s·bMove + t.x + n·bInner, with the tile at bNext behind it for
//     columns from 16 on. Row k/2 of a tile of B holds the pairs k, k+1 of its columns.
//
// Here t, aInner and the like count lines: a tile may start at any line.
//
// A call costs about a thousand cycles, most of them for setting up and releasing the tiles, and a
// product of one tap a few hundred. So a call computes many products.
type mulTile struct {
	c     []float32
	a, b  []uint16
	taps  []tap
	spans []span

	bBase                 int // may be negative, bBase + t.x is not
	inner, aInner, bInner int
	aNext, bNext, bMove   int
	cRow, cMove           int // in values
	rows, cols            int // in tiles: 1 or 2
	pairs                 int // pairs of k to multiply: 16 or, except on AMX, 8 (B has no more)
	add                   int // 1: start from c
	at                    int // the kernel's own: bytes from c to the product under way
}

// pairsTile is one call of the kernel of products of a rounded activation ([Rounding]) with packed
// weights. It computes some channels of some neighbouring positions of the destination, for all
// images of a block,
//
//	y = bias + Σ_{t in taps of the position} Σ_{k < 2·inner·pairs} A[row, k] · X[k]
//
// Then follow the addition of plus if there is one, max(floor, ·), and 0 where mask ≤ 0 if there is
// a mask, which is a rounding. A is as in mulTile, 16 rows of weights at a time, aNext lines apart.
// X[k] is channel k of the position at x + spot.x + t.x, in pairs of images.
type pairsTile struct {
	y, bias, plus []float32
	mask, x       []float32 // roundings
	a             []uint16
	taps          []tap
	spots         []spot

	groups, rows int // groups of 32 images, and rows of 8 channels of the destination
	inner, pairs int
	aNext        int
	lanes        int // values of a channel of y
	channels     int // channels of a position of y
	floor        float32
	//lint:ignore U1000 only the assembly reads and writes these
	group, offset int // the kernel's own state
}

const pairsRows = 8 // channels of a tile of pairs

// spot is a position of the destination: the source position that its taps are counted from, and
// the range [from, to) of its taps.
type spot struct{ x, from, to int32 }

// span is the range [from, to) of the taps of one product.
type span struct{ from, to int32 }

// zeroRow is the offset that stands for a row of zeros in the tables of rows to pack.
const zeroRow = -1 << 31

// bit returns the form that tiles have of a condition: 1 or 0.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// vectorWindowTile is one call of the kernel that makes a row of the places of windows, as
// windowTile does, for 16 lanes of every channel of the source. x is windows row by row, whose
// channels lie lanes values apart, and v is [place][channel][lane of 16]. With the two rows a and b
// of the window that the line joins, with s[j] = a[j] ± b[j], and with windowTile's formula,
//
//	v[place·apart + c·16 + j] = place of s at x[lane + c·lanes + j]
type vectorWindowTile struct {
	x [windowArea][]float32
	v []float32

	line                  int // the row of places
	lane, channels, lanes int
	apart                 int
}

// vectorProductTile is one call of the kernel that multiplies some places of windows, which are
// vectorWindowTile's v, with weights,
//
//	m[p.m + r·16 + j] = start + Σ_{c < channels} w[p.w + r·row + c·step] · v[p.v + c·16 + j]
//
// for the first count places p, where start is m's own value if add, else bias[r] in place
// count − biasLeft, else 0. The rows r come in tiles of so many rows as heights says, which ends
// with 0.
type vectorProductTile struct {
	m, v, w, bias []float32
	places        [windowArea]vectorPlace
	heights       []int

	count, biasLeft, channels, row, step int

	add int // 1: add to m

	// Each of the first askSteps tiles prefetches two lines, which lie askStride values apart, from
	// each of these addresses on into the second-level cache, and moves the addresses on.
	// Prefetched all at once, the lines would hold up what follows.
	askAt               [vectorStreams]uintptr
	askSteps, askStride int
}

const vectorStreams = 5 // of addresses that a tile prefetches from

// vectorPlace is a place of vectorProductTile: where its values begin.
type vectorPlace struct{ m, v, w int }

// vectorSquareTile is one call of the kernel that makes a square of the products of all places,
// m[place·apart + c·16 + j], as squareTile does, for 16 lanes of some channels. It begins at
// y[lane]; channels lie lanes values apart, the square's columns col and its rows row values. plus
// and mask are laid out as y, or nil.
type vectorSquareTile struct {
	m, y, plus, mask []float32

	relu                  int // 1: clamp at 0
	lane, channels, lanes int
	col, row              int
	apart                 int
}

// vectorSpreadTile is one call of the kernel that makes a row of places of squares, as spreadTile
// does, for 16 lanes of some channels. y is a square row by row, whose channels lie lanes values
// apart. The values of channel c and lane j are at y[k][lane + c·lanes + j] and, of a place, at
// p[place·apart + c·16 + j].
type vectorSpreadTile struct {
	y [squareSide * squareSide][]float32
	p []float32

	line                  int // the row of places
	lane, channels, lanes int
	apart                 int
}
