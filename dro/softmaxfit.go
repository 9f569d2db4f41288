package dro

import "math"

// softmaxFit minimises Σ v_i ℓ_i(W, b) + penalty over a last layer by coordinate descent, where ℓ
// is the cross-entropy. A coordinate goes to the minimum of a parabola above the objective, since
// the curvature of ℓ in a logit is at most ¼. So the objective never rises.
type softmaxFit struct {
	x       [][]float64 // [feature][sample], the last feature 1 for the bias
	labels  []int
	weight  []float64 // v
	classes int

	lasso float64 // penalty lasso·Σ |w|, also on the bias, as in liblinear
	ridge float64 // penalty ridge·Σ (w − start)²
	start []float64

	w      []float64 // [class][feature]
	u, e   []float64 // [class][sample]: logits, and their exponentials, scaled sample by sample
	sum    []float64 // sum of e over the classes, by sample
	bounds []float64 // bounds of the curvature, by feature
}

// The descent ends as liblinear's does by default: after 100 passes over all coordinates, or after
// such a pass that moves none by more than 1e-4. Here that is relative to the largest coordinate,
// or to 1 if all are smaller.
const (
	maxPasses       = 100
	maxActivePasses = 20 // passes over the nonzero coordinates between two of those
	moveTolerance   = 1e-4
)

// newSoftmaxFit returns a fit that starts at w and changes it in place. rows holds features by
// sample.
func newSoftmaxFit(rows [][]float64, labels []int, weight, w []float64, classes int) *softmaxFit {
	n, d := len(rows), len(rows[0])+1
	f := &softmaxFit{labels: labels, weight: weight, classes: classes, w: w,
		u: make([]float64, classes*n), e: make([]float64, classes*n), sum: make([]float64, n),
		bounds: make([]float64, d)}
	for j := range d {
		column := make([]float64, n)
		for i := range column {
			column[i] = 1
			if j < d-1 {
				column[i] = rows[i][j]
			}
			f.bounds[j] += weight[i] * column[i] * column[i] / 4
		}
		f.x = append(f.x, column)
	}
	return f
}

// run descends to the minimum. Under the lasso most coordinates stay 0, so passes over all of them
// are rare. An error of between ends it before the next pass.
func (f *softmaxFit) run(between func() error) error {
	for range maxPasses {
		if err := between(); err != nil {
			return err
		}
		if f.pass(false) {
			return nil
		}
		for range maxActivePasses {
			if err := between(); err != nil {
				return err
			}
			if f.pass(true) {
				break
			}
		}
	}
	return nil
}

// pass moves every coordinate once or, if active, those that are not 0. It reports whether none of
// them moved by much.
func (f *softmaxFit) pass(active bool) (still bool) {
	f.logits()
	d := len(f.x)
	most, largest := 0.0, 1.0
	for k := f.firstClass(); k < f.classes; k++ {
		for j := range d {
			if w := &f.w[k*d+j]; !active || *w != 0 {
				most = max(most, math.Abs(f.move(k, j)))
				largest = max(largest, math.Abs(*w))
			}
		}
	}
	return most <= moveTolerance*largest
}

// firstClass returns the first class that has coordinates. Under the lasso two classes are one
// logistic regression: only the difference of the two rows of W counts, with the same penalty
// whichever row has it. So the first row has no coordinates.
func (f *softmaxFit) firstClass() int {
	if f.lasso > 0 && f.classes == 2 {
		return 1
	}
	return 0
}

// logits computes the logits of all samples, and their exponentials relative to the largest of each
// sample.
func (f *softmaxFit) logits() {
	n, d := len(f.labels), len(f.x)
	clear(f.u)
	for k := range f.classes {
		for j, column := range f.x {
			if w := f.w[k*d+j]; w != 0 {
				for i, x := range column {
					f.u[k*n+i] += w * x
				}
			}
		}
	}
	for i := range n {
		top := math.Inf(-1)
		for k := range f.classes {
			top = max(top, f.u[k*n+i])
		}
		f.sum[i] = 0
		for k := range f.classes {
			f.e[k*n+i] = math.Exp(f.u[k*n+i] - top)
			f.sum[i] += f.e[k*n+i]
		}
	}
}

// move takes coordinate (k, j) to the minimum of its parabola plus the penalty, and returns the
// change.
func (f *softmaxFit) move(k, j int) float64 {
	n, d := len(f.labels), len(f.x)
	column, e := f.x[j], f.e[k*n:][:n]
	slope := 0.0
	for i, x := range column {
		p := e[i] / f.sum[i]
		if f.labels[i] == k {
			p--
		}
		slope += f.weight[i] * p * x
	}
	bound, at := f.bounds[j], &f.w[k*d+j]
	if bound == 0 {
		return 0
	}
	var to float64
	if f.lasso > 0 {
		to = *at - slope/bound
		to = math.Copysign(max(0, math.Abs(to)-f.lasso/bound), to)
	} else {
		to = *at - (slope+2*f.ridge*(*at-f.start[k*d+j]))/(bound+2*f.ridge)
	}
	by := to - *at
	*at = to
	if by == 0 {
		return 0
	}
	for i, x := range column {
		was := e[i]
		e[i] = was * math.Exp(by*x)
		f.sum[i] += e[i] - was
	}
	return by
}

// flatten returns a layer in the form of softmaxFit.w; unflatten is its inverse.
func flatten(l Layer) (w []float64) {
	for k, row := range l.Weights {
		w = append(append(w, row...), l.Bias[k])
	}
	return w
}

func unflatten(w []float64, classes int) (l Layer) {
	d := len(w) / classes
	for k := range classes {
		row := w[k*d:][:d:d]
		l.Weights, l.Bias = append(l.Weights, row[:d-1]), append(l.Bias, row[d-1])
	}
	return l
}
