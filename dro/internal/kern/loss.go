package kern

import "math"

// LossKind is a kind of loss: see NewLoss.
type LossKind int

// The kinds of losses.
const (
	CrossEntropy LossKind = iota
	SquaredError
	ErrorProbability
)

// Loss computes a loss for each image from the outputs of the last layer, and its gradient. Each
// kind of loss has a prediction p of the label's unit vector, and the gradient with respect to the
// outputs is p minus that vector. Everything is computed in float64, with the bits of Go's
// exponential and logarithm on every ISA. It runs one call at a time.
type Loss struct {
	isa     ISA
	batch   Batch
	classes int
	kind    LossKind
	exp     []float64 // for each task: the exponentials of a vector of images

	call lossCall
}

// lossCall is the running call.
type lossCall struct {
	losses               []float64
	predictions, outputs []float32
	labels               []int
}

// lossImages is the number of images whose losses a task computes: two vectors, each in one block.
const lossImages = 2 * vector

// NewLoss returns the loss of outputs of shape {classes, 1, 1}. It is the cross-entropy
// −log p[label], where p is their softmax. SquaredError is half the squared distance of the
// outputs, which are p themselves, from the label's unit vector. ErrorProbability is 1 − s[label],
// where s is their softmax: the probability of an error if the class is drawn by s.
func NewLoss(isa ISA, b Batch, classes int, kind LossKind) *Loss {
	b.check(isa, Shape{classes, 1, 1})
	exp := make([]float64, classes*vector*ceilDiv(b.Images, lossImages))
	return &Loss{isa: isa, batch: b, classes: classes, kind: kind, exp: exp}
}

// Losses sets losses[i] to the loss of image i, and predictions, which is laid out as outputs, to
// p. labels may hold fewer images than the batch; predictions is 0 for the others. predictions may
// be outputs, or nil if no gradient is wanted.
func (l *Loss) Losses(t *Team, losses []float64, predictions, outputs []float32, labels []int) {
	if len(losses) != len(labels) || len(labels) > l.batch.Images ||
		len(outputs) != l.classes*l.batch.padded() ||
		predictions != nil && len(predictions) != len(outputs) {
		panic("kern: Loss.Losses: slice has the wrong length")
	}
	l.call = lossCall{losses, predictions, outputs, labels}
	t.run(ceilDiv(len(labels), lossImages), l)
	l.call = lossCall{}
	if predictions != nil {
		l.clear(predictions, len(labels))
	}
}

func (l *Loss) task(k int) {
	end := min((k+1)*lossImages, len(l.call.labels))
	for first := k * lossImages; first < end; first += vector {
		l.lossesOf(k, first, min(vector, end-first))
	}
}

// lossesOf computes the losses of n images from first on, up to a vector of them, in the memory of
// task k.
func (l *Loss) lossesOf(k, first, n int) {
	if l.kind == SquaredError {
		l.squares(first, n)
		return
	}
	l.softmax(l.exp[k*l.classes*vector:][:l.classes*vector], first, n)
	if l.kind == ErrorProbability {
		l.errors(first, n)
	}
}

// clear sets a to 0 for the images from first on.
func (l *Loss) clear(a []float32, first int) {
	for i := first; i < l.batch.padded(); i++ {
		for c := range l.classes {
			a[l.offset(i)+c*l.batch.Lanes] = 0
		}
	}
}

// offset returns where image i begins: its classes are a block's lanes apart.
func (l *Loss) offset(i int) int {
	lanes := l.batch.Lanes
	return i/lanes*l.classes*lanes + i%lanes
}

// softmax computes the probabilities and cross-entropies of n images from first on.
func (l *Loss) softmax(exp []float64, first, n int) {
	c, at := &l.call, l.offset(first)
	tile := lossTile{outputs: c.outputs[at:], exp: exp, classes: l.classes, lanes: l.batch.Lanes}
	if c.predictions != nil {
		tile.predictions = c.predictions[at:]
	}
	if n == vector {
		tile.losses, tile.labels = c.losses[first:], c.labels[first:]
		tile.softmax(l.isa)
		return
	}
	var losses [vector]float64
	var labels [vector]int
	copy(labels[:], c.labels[first:][:n])
	tile.losses, tile.labels = losses[:], labels[:]
	tile.softmax(l.isa)
	copy(c.losses[first:], losses[:n])
}

// squares copies the outputs of n images from first on and computes their squared losses.
func (l *Loss) squares(first, n int) {
	c, at, lanes := &l.call, l.offset(first), l.batch.Lanes
	losses := c.losses[first:][:n]
	clear(losses)
	for k := range l.classes {
		for i, p := range c.outputs[at+k*lanes:][:n] {
			if c.predictions != nil {
				c.predictions[at+k*lanes+i] = p
			}
			d := float64(p)
			if k == c.labels[first+i] {
				d--
			}
			losses[i] += d * d / 2
		}
	}
}

// errors turns the cross-entropies of n images from first on into probabilities of an error. Their
// gradient is that of the cross-entropy times s[label], and so is the prediction's distance from
// the label's unit vector.
func (l *Loss) errors(first, n int) {
	c, at, lanes := &l.call, l.offset(first), l.batch.Lanes
	for i, loss := range c.losses[first:][:n] {
		right, wrong := math.Exp(-loss), -math.Expm1(-loss)
		c.losses[first+i] = wrong
		if c.predictions == nil {
			continue
		}
		for k := range l.classes {
			p := &c.predictions[at+k*lanes+i]
			*p = float32(right * float64(*p))
			if k == c.labels[first+i] {
				*p = float32(1 - float64(right*wrong))
			}
		}
	}
}

// Gradient sets doutputs[i] = weights[i]·(predictions[i] − onehot(labels[i])), and 0 for images
// without a label. For the gradient of (1/n) Σ r_i ℓ_i (math.md §2) the weights are r_i/n. doutputs
// may be predictions.
func (l *Loss) Gradient(doutputs, predictions []float32, labels []int, weights []float64) {
	if len(weights) != len(labels) || len(labels) > l.batch.Images ||
		len(doutputs) != l.classes*l.batch.padded() || len(predictions) != len(doutputs) {
		panic("kern: Loss.Gradient: slice has the wrong length")
	}
	l.gradientOf(doutputs, predictions, labels, weights, 0, len(labels))
	l.clear(doutputs, len(labels))
}

// gradientOf computes Gradient for the images [from, to); from is a multiple of vector.
func (l *Loss) gradientOf(
	doutputs, predictions []float32, labels []int, weights []float64, from, to int,
) {
	for first := from; first < to; first += vector {
		at := l.offset(first)
		tile := lossTile{
			outputs: doutputs[at:], predictions: predictions[at:],
			classes: l.classes, lanes: l.batch.Lanes,
		}
		if to-first >= vector {
			tile.labels, tile.weights = labels[first:], weights[first:]
			tile.gradient(l.isa)
			continue
		}
		var short [vector]int
		var light [vector]float64
		copy(short[:], labels[first:to])
		copy(light[:], weights[first:to])
		tile.labels, tile.weights = short[:], light[:]
		tile.gradient(l.isa)
	}
}
