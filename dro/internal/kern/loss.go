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
	exp     []float64 // of one image, for each task

	call lossCall
}

// lossCall is the running call.
type lossCall struct {
	losses               []float64
	predictions, outputs []float32
	labels               []int
}

// lossImages is how many images a task has the losses of.
const lossImages = 32

// NewSoftmax returns the cross-entropy −log p[label] of outputs of shape {classes, 1, 1}, p being their
// softmax.
func NewSoftmax(b Batch, classes int) (*Loss, error) {
	if !b.valid() || classes < 1 {
		return nil, fmt.Errorf("a loss over %d classes in %+v: needs a class and a batch from NewBatch",
			classes, b)
	}
	return &Loss{batch: b, classes: classes, exp: make([]float64, classes*lossTasks(b.Images))}, nil
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
	l, c := (*Loss)(j), &j.call
	exp := l.exp[k*l.classes:][:l.classes]
	for i := k * lossImages; i < min((k+1)*lossImages, len(c.labels)); i++ {
		if l.squared {
			c.losses[i] = l.square(c.predictions, c.outputs, i, c.labels[i])
		} else {
			c.losses[i] = l.softmax(exp, c.predictions, c.outputs, i, c.labels[i])
		}
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

// softmax computes image i's probabilities and returns its cross-entropy.
func (l *Loss) softmax(exp []float64, probs, logits []float32, i, label int) float64 {
	at, lanes := l.at(i), l.batch.Lanes
	largest := math.Inf(-1)
	for c := range exp {
		largest = max(largest, float64(logits[at+c*lanes]))
	}
	sum := 0.0
	for c := range exp {
		exp[c] = 1
		if below := float64(logits[at+c*lanes]) - largest; below != 0 {
			exp[c] = math.Exp(below)
		}
		sum += exp[c]
	}
	loss := math.Log(sum) - (float64(logits[at+label*lanes]) - largest)
	if probs != nil {
		for c, e := range exp {
			probs[at+c*lanes] = float32(e / sum)
		}
	}
	return loss
}

// square copies image i's outputs and returns its squared loss.
func (l *Loss) square(predictions, outputs []float32, i, label int) (loss float64) {
	at, lanes := l.at(i), l.batch.Lanes
	for c := range l.classes {
		p := float64(outputs[at+c*lanes])
		if predictions != nil {
			predictions[at+c*lanes] = float32(p)
		}
		if c == label {
			p--
		}
		loss += p * p / 2
	}
	return loss
}

// Gradient sets doutputs[i] = weights[i]·(predictions[i] − onehot(labels[i])), and 0 for images without a
// label. For the gradient of (1/n) Σ r_i ℓ_i (math.md §2) the weights are r_i/n.
// doutputs may be predictions.
func (l *Loss) Gradient(doutputs, predictions []float32, labels []int, weights []float64) {
	if len(weights) != len(labels) || len(labels) > l.batch.Images ||
		len(doutputs) != l.classes*l.batch.Padded() || len(predictions) != len(doutputs) {
		panic("kern: Loss.Gradient: slice has the wrong length")
	}
	for i, label := range labels {
		at := l.at(i)
		for c := range l.classes {
			p := float64(predictions[at+c*l.batch.Lanes])
			if c == label {
				p--
			}
			doutputs[at+c*l.batch.Lanes] = float32(weights[i] * p)
		}
	}
	l.clear(doutputs, len(labels))
}
