package kern

import (
	"fmt"
	"math"
)

// Loss is a loss an image, of the last layer's outputs, and its gradient. Each has a prediction p of the
// label's unit vector, and its gradient by the outputs is p less that vector. It is plain Go in float64 for
// every ISA: ten classes cost a thousandth of a training step. One call at a time.
type Loss struct {
	batch   Batch
	classes int
	squared bool
	exp     []float64 // of a vector of images, for each task

	call lossCall
}

// lossCall is the running call.
type lossCall struct {
	losses               []float64
	predictions, outputs []float32
	labels               []int
}

// lossImages is how many images a task has the losses of: two vectors, each in one block.
const lossImages = 2 * vector

// NewSoftmax returns the cross-entropy −log p[label] of outputs of shape {classes, 1, 1}, p being their
// softmax.
func NewSoftmax(b Batch, classes int) (*Loss, error) {
	if !b.valid() || classes < 1 {
		return nil, fmt.Errorf("a loss over %d classes in %+v: needs a class and a batch from NewBatch",
			classes, b)
	}
	return &Loss{batch: b, classes: classes, exp: make([]float64, classes*vector*lossTasks(b.Images))}, nil
}

// NewSquared returns half the squared distance of the outputs, which are p themselves, from the label's unit
// vector.
func NewSquared(b Batch, classes int) (*Loss, error) {
	l, err := NewSoftmax(b, classes)
	if err == nil {
		l.squared = true
	}
	return l, err
}

func lossTasks(images int) int { return (images + lossImages - 1) / lossImages }

// Losses sets losses[i] to image i's loss and predictions, which lies as outputs does, to p. There may be
// fewer labels than the batch has images; predictions is 0 for the others. It may be outputs, or nil if no
// gradient is wanted.
func (l *Loss) Losses(t *Team, losses []float64, predictions, outputs []float32, labels []int) {
	if len(losses) != len(labels) || len(labels) > l.batch.Images ||
		len(outputs) != l.classes*l.batch.Padded() || predictions != nil && len(predictions) != len(outputs) {
		panic("kern: Loss.Losses: slice has the wrong length")
	}
	l.call = lossCall{losses, predictions, outputs, labels}
	t.run(lossTasks(len(labels)), (*lossJob)(l))
	l.call = lossCall{}
	if predictions == nil {
		return
	}
	l.clear(predictions, len(labels))
}

type lossJob Loss

func (j *lossJob) task(k int) {
	l := (*Loss)(j)
	end := min((k+1)*lossImages, len(l.call.labels))
	for first := k * lossImages; first < end; first += vector {
		l.lossesOf(k, first, min(vector, end-first))
	}
}

// lossesOf computes the losses of n images from first on, up to a vector of them, in the memory of task k.
func (l *Loss) lossesOf(k, first, n int) {
	if l.squared {
		l.squares(first, n)
	} else {
		l.softmax(l.exp[k*l.classes*vector:][:l.classes*vector], first, n)
	}
}

// clear sets a to 0 for the images from first on.
func (l *Loss) clear(a []float32, first int) {
	for i := first; i < l.batch.Padded(); i++ {
		for c := range l.classes {
			a[l.at(i)+c*l.batch.Lanes] = 0
		}
	}
}

// at returns where image i begins: its classes are a block's lanes apart.
func (l *Loss) at(i int) int {
	lanes := l.batch.Lanes
	return i/lanes*l.classes*lanes + i%lanes
}

// softmax computes the probabilities and cross-entropies of n images from first on.
// What is asked of each image, an exponential and a logarithm too, is asked of all before the next: they do
// not wait for each other.
func (l *Loss) softmax(exp []float64, first, n int) {
	c, at, lanes := &l.call, l.at(first), l.batch.Lanes
	var largest, sum [vector]float64
	for i := range n {
		largest[i] = math.Inf(-1)
	}
	for k := range l.classes {
		for i, v := range c.outputs[at+k*lanes:][:n] {
			largest[i] = max(largest[i], float64(v))
		}
	}
	for k := range l.classes {
		e := exp[k*vector:][:n]
		for i, v := range c.outputs[at+k*lanes:][:n] {
			e[i] = math.Exp(float64(v) - largest[i])
			sum[i] += e[i]
		}
	}
	losses := c.losses[first:][:n]
	for i, label := range c.labels[first:][:n] {
		losses[i] = math.Log(sum[i]) - (float64(c.outputs[at+label*lanes+i]) - largest[i])
	}
	if c.predictions == nil {
		return
	}
	for k := range l.classes {
		p := c.predictions[at+k*lanes:][:n]
		for i, e := range exp[k*vector:][:n] {
			p[i] = float32(e / sum[i])
		}
	}
}

// squares copies the outputs of n images from first on and computes their squared losses.
func (l *Loss) squares(first, n int) {
	c, at, lanes := &l.call, l.at(first), l.batch.Lanes
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

// Gradient sets doutputs[i] = weights[i]·(predictions[i] − onehot(labels[i])), and 0 for images without a
// label. For the gradient of (1/n) Σ r_i ℓ_i (math.md §2) the weights are r_i/n.
// doutputs may be predictions.
func (l *Loss) Gradient(doutputs, predictions []float32, labels []int, weights []float64) {
	if len(weights) != len(labels) || len(labels) > l.batch.Images ||
		len(doutputs) != l.classes*l.batch.Padded() || len(predictions) != len(doutputs) {
		panic("kern: Loss.Gradient: slice has the wrong length")
	}
	l.gradientOf(doutputs, predictions, labels, weights, 0, len(labels))
	l.clear(doutputs, len(labels))
}

// gradientOf is Gradient for the images from to to.
func (l *Loss) gradientOf(doutputs, predictions []float32, labels []int, weights []float64, from, to int) {
	for i, label := range labels[from:to] {
		at, w := l.at(from+i), weights[from+i]
		for c := range l.classes {
			p := float64(predictions[at+c*l.batch.Lanes])
			if c == label {
				p--
			}
			doutputs[at+c*l.batch.Lanes] = float32(w * p)
		}
	}
}
