package kern

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
)

// Rows is a linear layer on rows of features, one row per image, which may lie anywhere: no row is
// packed, transposed or copied. The products of an output run along a row, and the products of the
// weights' gradient run across rows (the kernel is the convolution's, with features for lanes). The
// outputs are blocked as all activations are. It runs one call at a time.
//
// Its work is to read memory, so it prefetches rows ahead of their turn. This gains only if the
// prefetches come line by line while other rows are read (see rowsTile), because a core can have
// only so many lines under way.
type Rows struct {
	isa       ISA
	batch     Batch
	in, units int
	relu      bool
	taps      []tap // for the gradient, one per image

	// The gradient of few units is computed in parts, one for each run of images, which are then
	// summed. A thread then reads the rows that it read in the forward pass, and may have brought
	// from memory: they lie in its cache and in no other.
	parts       int // 1: all images at once
	partial     []float32
	partOffsets []int32 // where each part begins in partial
	ones        []float32

	call rowsCall
}

// maxRowsParts is the most parts of a gradient, and maxPartUnits the most units with which it has
// parts. Summing the parts is a pass over as many gradients, a small share of the work where units
// are few.
const (
	maxRowsParts = 8
	maxPartUnits = 16
)

// Images holds the rows of a batch.
type Images struct {
	X  []float32 // the memory that the rows lie in
	At []int32   // where in X each row begins
}

// rowsCall is the running call.
type rowsCall struct {
	Images
	y, w, b    []float32
	dw, db, dy []float32
	add        bool
}

// maxRowsUnits is the largest number of units of a layer of rows. It is bounded because every
// vector of images visits all weights. At 100 units a step still takes two thirds of its time with
// packed batches, at 256 a sixth more.
const maxRowsUnits = 128

// RowsFit reports whether Rows can be the linear layer cfg, and gains by it. This takes few units,
// rows of whole vectors, and assembly.
func RowsFit(isa ISA, cfg ConvConfig) bool {
	out, err := cfg.OutShape()
	return err == nil && isa != Generic && out.Height*out.Width == 1 && cfg.Pad == 0 &&
		cfg.In.Len()%vector == 0 && cfg.Out <= maxRowsUnits
}

// RowsParts returns the number of parts that the images of a batch are split into for the gradient
// of the layer cfg.
func RowsParts(b Batch, cfg ConvConfig) int {
	if cfg.Out > maxPartUnits {
		return 1
	}
	return max(1, min(maxRowsParts, b.padded()/(2*vector)))
}

// NewRows returns the layer cfg for batches laid out as b.
func NewRows(isa ISA, b Batch, cfg ConvConfig) (*Rows, error) {
	isa.check()
	if !RowsFit(isa, cfg) || !b.valid() {
		return nil, fmt.Errorf("rows: %+v in %+v: expected a linear layer of a multiple of %d "+
			"features and at most %d units, a batch from NewBatch and assembly",
			cfg, b, vector, maxRowsUnits)
	}
	r := &Rows{isa: isa, batch: b, in: cfg.In.Len(), units: cfg.Out, relu: cfg.ReLU}
	if max(b.padded()*r.in, b.padded()*r.units, r.in*r.units) > math.MaxInt32 {
		return nil, errors.New(
			"rows: a batch or its outputs have 2^31 values or more: use a smaller batch")
	}
	for i := range b.Images {
		block, lane := i/b.Lanes, i%b.Lanes
		r.taps = append(r.taps, tap{int32(i * r.in), int32(block*b.Lanes*r.units + lane)})
	}
	r.parts = RowsParts(b, cfg)
	if r.parts > 1 {
		r.partial = Alloc(r.parts * r.in * r.units)
		r.ones = slices.Repeat([]float32{1}, gradCols)
	}
	for p := range r.parts {
		r.partOffsets = append(r.partOffsets, int32(p*r.in*r.units))
	}
	return r, nil
}

// FLOPs returns the floating-point operations of one direction.
func (r *Rows) FLOPs() float64 {
	return 2 * float64(r.batch.Images) * float64(r.in) * float64(r.units)
}

// Forward computes y, blocked, from the rows of x with weights w, [unit][feature], and bias (one
// value per unit, or nil). x may hold fewer images than the batch; the lanes of the others are set
// to zero. Forward and BackwardWeights panic if x lies in a mapped file that was cut.
func (r *Rows) Forward(t *Team, y []float32, x Images, w, bias []float32) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r.check(x, len(w), len(y))
	r.call = rowsCall{Images: x, y: y, w: w, b: bias}
	t.run(r.batch.padded()/vector, (*rowsForward)(r))
	r.call = rowsCall{}
}

// BackwardWeights computes dw and db (or nil) from the rows of x and the gradient of y, as
// [Conv.BackwardWeights] does.
func (r *Rows) BackwardWeights(t *Team, dw, db []float32, x Images, dy []float32, add bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	r.check(x, len(dw), len(dy))
	r.checkRows(x.X, x.At)
	r.call = rowsCall{Images: x, dw: dw, db: db, dy: dy, add: add}
	if r.parts == 1 {
		for i, at := range x.At {
			r.taps[i].x = at
		}
		t.run(ceilDiv(r.in, maxLanes), (*rowsBackward)(r))
	} else {
		t.run(r.partsHeld(), (*rowsPart)(r))
		r.sumParts(t)
	}
	r.call = rowsCall{}
}

// check panics if the kernels would read or write beyond a slice. The rows are left to checkRows.
func (r *Rows) check(x Images, weights, outputs int) {
	if len(x.At) > r.batch.Images || weights != r.in*r.units ||
		outputs != r.batch.padded()*r.units {
		panic("kern: Rows: slice has the wrong length")
	}
}

// checkRows panics if a row that begins at one of at lies outside x.
func (r *Rows) checkRows(x []float32, at []int32) {
	last := len(x) - r.in
	for _, begin := range at {
		if begin < 0 || int(begin) > last {
			panic("kern: Rows: a row lies outside")
		}
	}
}

// rowsForward's task is a vector of images.
type rowsForward Rows

func (f *rowsForward) task(i int) {
	r := (*Rows)(f)
	r.outputsOf(i*vector, r.call.At[min((i+1)*vector, len(r.call.At)):])
}

// outputsOf computes the outputs of the vector of images from first on, and prefetches the rows of
// the next vector, which begin at next.
func (r *Rows) outputsOf(first int, next []int32) {
	lanes, images := r.batch.Lanes, min(vector, max(0, len(r.call.At)-first))
	y := r.call.y[first/lanes*lanes*r.units+first%lanes:]
	r.checkRows(r.call.X, r.call.At[min(first, len(r.call.At)):][:images])
	for unit := range r.units {
		bias := float32(0)
		if r.call.b != nil {
			bias = r.call.b[unit]
		}
		fill(y[unit*lanes:][:vector], bias)
	}
	tile := rowsTile{x: r.call.X, lanes: r.in, yRow: lanes}
	for image := 0; image < images; image += gradCols {
		tile.cols = min(gradCols, images-image)
		tile.at = r.call.At[first+image:]
		tile.next = tile.at
		if image+tile.cols <= len(next) {
			tile.next = next[image:]
		}
		for unit := 0; unit < r.units; unit += tileRows {
			tile.y, tile.w = y[unit*lanes+image:], r.call.w[unit*r.in:]
			tile.rows = min(tileRows, r.units-unit)
			tile.run(r.isa)
		}
	}
	for unit := range r.units {
		row := y[unit*lanes:][:vector]
		if r.relu {
			mask(r.isa, row, row, row)
		}
		clear(row[images:])
	}
}

// rowsBackward's task is up to 64 features.
type rowsBackward Rows

func (f *rowsBackward) task(i int) {
	r := (*Rows)(f)
	first := i * maxLanes
	width := min(maxLanes, r.in-first)
	var sums [tileRows * maxLanes]float32
	for unit := 0; unit < r.units; unit += tileRows {
		rows := min(tileRows, r.units-unit)
		tile := convTile{
			y: sums[:rows*width], x: r.call.X[first:], w: r.call.dy[unit*r.batch.Lanes:],
			taps: r.taps[:len(r.call.At)], outer: 1, wRow: r.batch.Lanes, rows: rows, lanes: width,
			width: width,
		}
		tile.run(r.isa)
		for u := range rows {
			storeOrAdd(r.call.dw[(unit+u)*r.in+first:][:width], sums[u*width:], r.call.add)
		}
		if first == 0 {
			r.biasGrad(unit, rows)
		}
	}
}

// partStart returns the first image of a part.
func (r *Rows) partStart(part int) int {
	return r.batch.padded() / vector * part / r.parts * vector
}

// partsHeld returns the number of parts that have images.
func (r *Rows) partsHeld() (n int) {
	for n < r.parts && r.partStart(n) < len(r.call.At) {
		n++
	}
	return n
}

// rowsPart's task is the gradient of the images of a part, [unit][feature]. It goes over the images
// once for each group of features whose gradients stay in the first-level cache.
type rowsPart Rows

// maxGradBytes is the number of bytes of that cache that the gradients may fill; the rest is for
// the images.
const maxGradBytes = 16 << 10

func (f *rowsPart) task(part int) {
	r := (*Rows)(f)
	sums := r.sums(part)
	clear(sums)
	r.addImages(sums, r.partStart(part), min(r.partStart(part+1), len(r.call.At)))
}

// sums returns the memory for the gradient of a part.
func (r *Rows) sums(part int) []float32 { return r.partial[part*r.in*r.units:][:r.in*r.units] }

// addImages adds the images [from, to) of a part to sums, the gradient of the part.
func (r *Rows) addImages(sums []float32, from, to int) {
	width, lanes := r.gradFeatures(), r.batch.Lanes
	for first := 0; first < r.in; first += width {
		tile := outerTile{
			x: r.call.X[first:], dwRow: r.in, dyRow: lanes, lanes: min(width, r.in-first),
		}
		for image := from; image < to; image += gradCols {
			tile.at, tile.cols = r.call.At[image:], min(gradCols, to-image)
			block, lane := image/lanes, image%lanes
			dy := r.call.dy[block*lanes*r.units+lane:]
			for unit := 0; unit < r.units; unit += tileRows {
				tile.dw, tile.dy = sums[unit*r.in+first:], dy[unit*lanes:]
				tile.rows = min(tileRows, r.units-unit)
				tile.run(r.isa)
			}
		}
	}
}

// gradFeatures returns how many features have gradients that together fill maxGradBytes, a multiple
// of vector.
func (r *Rows) gradFeatures() int {
	return max(maxGradBytes/4/r.units/vector*vector, vector)
}

// rowsSum's task is up to sumWidth features: it sums the parts, in their order.
type rowsSum Rows

// A task sums many features, because half of the values come from the cache of another core, and a
// processor reads these well only in a row. A gradient of few values is summed by one thread,
// because threads would wait for each other longer than the sum takes.
const (
	sumFeatures = 256
	maxSoloSum  = 4096 // most values of a gradient that one thread sums
)

func (r *Rows) sumWidth() int {
	if r.in*r.units <= maxSoloSum {
		return r.in
	}
	return sumFeatures
}

// sumParts adds up the parts' gradients.
func (r *Rows) sumParts(t *Team) { t.run((r.in-1)/r.sumWidth()+1, (*rowsSum)(r)) }

func (f *rowsSum) task(i int) {
	r := (*Rows)(f)
	first := i * r.sumWidth()
	width := min(r.sumWidth(), r.in-first)
	held := r.partsHeld()
	for unit := range r.units {
		tile := outerTile{
			dw: r.call.dw[unit*r.in+first:][:width], x: r.partial[unit*r.in+first:], dy: r.ones,
			dwRow: width, lanes: width, rows: 1,
		}
		if !r.call.add {
			clear(tile.dw)
		}
		for part := 0; part < held; part += gradCols {
			tile.at, tile.cols = r.partOffsets[part:], min(gradCols, held-part)
			tile.run(r.isa)
		}
	}
	if first == 0 {
		r.biasGrad(0, r.units)
	}
}

// biasGrad sums dy over images for rows units from unit on, if the gradient of the bias is wanted.
func (r *Rows) biasGrad(unit, rows int) {
	if c := &r.call; c.db != nil {
		r.batch.biasGrad(r.isa, c.db[unit:][:rows], c.dy, Shape{r.units, 1, 1}, unit, c.add)
	}
}
