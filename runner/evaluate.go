package runner

import (
	"fmt"

	"drolab/dro"
	"drolab/dro/nn"
	"drolab/runner/data"
)

// evaluated tells whether the current step has its evaluation.
func (r *run) evaluated() bool { return r.eval != nil && r.eval.Step == r.step }

// evaluate measures what EvalMeasures lists.
func (r *run) evaluate() error {
	defer r.stopClock()()
	now, err := r.look()
	if err != nil {
		return err
	}
	e := &EvalEvent{Head: r.head(), Epoch: r.epoch()}
	for _, m := range EvalMeasures() {
		m.of(now, &e.Values, &e.ByGroup)
	}
	if r.step == r.meta.Steps {
		if err := r.measureIterate(); err != nil {
			return err
		}
	}
	r.eval = e
	now.warn(&r.spec, r.warnOnce)
	return r.append(e)
}

// look passes over the splits and finds the exact worst cases (math.md §3).
// Losses that are not finite have no worst case: then the run is broken.
func (r *run) look() (e *Evaluation, err error) {
	e = &Evaluation{Spec: &r.meta.Spec, Problem: r.problem, Groups: len(r.data.Groups)}
	for _, split := range []struct {
		to  **Pass
		src data.Source
	}{{&e.Test, r.data.Test}, {&e.Train, r.data.Train}, {&e.Val, r.data.Val}} {
		if split.src == nil {
			continue
		}
		if *split.to, err = r.pass(split.src); err != nil {
			return nil, err
		}
	}
	e.Ratios = make([]float64, len(e.Train.Losses))
	if e.Worst, err = r.problem.Set.WorstCase(e.Ratios, e.Train.Losses, r.problem.Rho); err != nil {
		return nil, fmt.Errorf("step %d: training %w", r.step, err)
	}
	if e.TestWorst, err = r.problem.Set.WorstCase(nil, e.Test.Losses, r.problem.Rho); err != nil {
		return nil, fmt.Errorf("step %d: test %w", r.step, err)
	}
	if err := r.lookAtZ(e); err != nil {
		return nil, fmt.Errorf("step %d: training %w", r.step, err)
	}
	if r.certifyDue() {
		norm, err := r.fullGradNorm(e.Train)
		if err != nil {
			return nil, err
		}
		e.GradNorm = Num(norm)
	}
	return e, nil
}

// lookAtZ adds the method's z, if it has one, and the exact solution of the
// problem that it minimises.
func (r *run) lookAtZ(e *Evaluation) (err error) {
	d, ok := r.method.(dro.Dual)
	if !ok {
		return nil
	}
	z := d.Z()
	e.Z = &z
	m, err := dro.Find(r.spec.Algorithm())
	if err == nil && m.Penalised {
		var w dro.Worst
		w, err = dro.Penalised(r.problem.Set, nil, e.Train.Losses, z.Lambda)
		e.Penalised = &w
	}
	return err
}

// certifyDue tells whether this evaluation includes the full gradient.
func (r *run) certifyDue() bool {
	every := int64(r.meta.Spec.CertifyEvery)
	return r.step == r.meta.Steps || every > 0 && (r.step/r.meta.StepsPerEpoch)%every == 0
}

// pass runs the network over a split.
func (r *run) pass(src data.Source) (*Pass, error) {
	n := src.Len()
	p := &Pass{make([]float64, n), make([]bool, n), make([]int, n), make([]int, n)}
	classes := make([]int, len(r.losses))
	r.net.SetMode(nn.Evaluate)
	defer r.net.SetMode(nn.Train)
	err := r.eachBatch(src, func(b *data.Batch, from int) {
		r.net.Losses(p.Losses[from:], b.X, b.Labels)
		r.net.Predictions(classes)
		for i := range b.N {
			p.Correct[from+i] = classes[i] == b.Labels[i]
			p.Labels[from+i], p.Groups[from+i] = b.Labels[i], b.Groups[i]
		}
	})
	return p, err
}

// batch is what a method sees of the training split as a whole, in its order.
func (p *Pass) batch() dro.Batch {
	index := make([]int, len(p.Losses))
	for i := range index {
		index[i] = i
	}
	return dro.Batch{Losses: p.Losses, Labels: p.Labels, Groups: p.Groups, Index: index, Correct: p.Correct}
}

// eachBatch calls f with every batch of src in order and its first index.
func (r *run) eachBatch(src data.Source, f func(b *data.Batch, from int)) error {
	loader, err := data.NewSequential(src, r.loaderOptions(0, len(r.losses)))
	if err != nil {
		return err
	}
	defer loader.Close()
	for from := 0; from < src.Len(); {
		b := loader.Next()
		f(b, from)
		from += b.N
	}
	return nil
}

// fullGradNorm returns the norm of the gradient of the method's own objective
// over the training split, whose pass is given; for ERM, of the mean loss. It
// leaves that gradient in the network: a second array of its size for every run
// would be a tenth of all the memory.
func (r *run) fullGradNorm(train *Pass) (float64, error) {
	n := len(train.Losses)
	weights := make([]float64, n)
	r.method.Weights(weights, train.batch())
	losses := make([]float64, len(r.losses))
	r.net.SetMode(nn.Evaluate)
	defer r.net.SetMode(nn.Train)
	add := r.net.Gradient
	err := r.eachBatch(r.data.Train, func(b *data.Batch, from int) {
		r.net.Losses(losses, b.X, b.Labels)
		part := weights[from:][:b.N]
		for i := range part {
			part[i] *= float64(b.N) / float64(n) // the batch's part of the mean
		}
		add(part)
		add = r.net.AddGradient
	})
	return r.net.GradientNorm(), err
}

// measureIterate evaluates the x that the method's output rule has chosen on
// the test split, with its weights in place of the last ones for one pass.
func (r *run) measureIterate() error {
	if r.iterate = r.pickedNow(); r.iterate == nil {
		return nil
	}
	swapTensors(r.x, r.picked)
	defer swapTensors(r.x, r.picked)
	test, err := r.pass(r.data.Test)
	if err != nil {
		return err
	}
	e := Evaluation{Groups: len(r.data.Groups)}
	r.iterate.TestLoss, r.iterate.TestAccuracy = test.loss(), test.accuracy()
	r.iterate.WorstClassAccuracy = Least(e.byGroup(test, (*Pass).hits))
	return nil
}

// pickedNow is what the method's output rule has chosen so far; nil where there
// is nothing yet, or no rule.
func (r *run) pickedNow() *PaperIterate {
	if r.picker == nil || r.picker.Picked().Step == 0 {
		return nil
	}
	p := r.picker.Picked()
	return &PaperIterate{Step: int64(p.Step), Lambda: Num(p.Z.Lambda), Eta: Num(p.Z.Eta),
		GradNorm: Num(p.GradNorm), Gap: Num(p.Gap)}
}

// swapTensors exchanges the values of two lists of tensors of the same sizes.
func swapTensors(a, b []nn.Tensor) {
	for i := range a {
		for j, v := range a[i].Data {
			a[i].Data[j], b[i].Data[j] = b[i].Data[j], v
		}
	}
}
