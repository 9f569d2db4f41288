package runner

import (
	"fmt"
	"time"

	"drolab/dro/nn"
	"drolab/runner/data"
)

// pass is what one forward pass over a split gives: unaugmented, in order.
type pass struct {
	losses  []float64
	correct []bool
	groups  []int
}

// evaluated tells whether the current step has its evaluation.
func (r *run) evaluated() bool { return r.eval != nil && r.eval.Step == r.step }

// evaluate measures the splits and the certificate as EvalEvent defines them.
func (r *run) evaluate() error {
	r.pauseClock()
	defer func() { r.clock = time.Now() }()
	test, err := r.pass(r.data.Test)
	if err != nil {
		return err
	}
	train, err := r.pass(r.data.Train)
	if err != nil {
		return err
	}
	e := &EvalEvent{Head: r.head(), Epoch: r.epoch(), TrainLoss: Num(mean(train.losses)), TestLoss: Num(mean(test.losses)),
		TestAccuracy: Num(test.accuracy())}
	e.ClassAccuracy, e.ClassLoss = test.byGroup(len(r.data.Groups))
	if err := r.addVal(e); err != nil {
		return err
	}
	if err := r.certify(e, train, test); err != nil {
		return err
	}
	if r.certifyDue() {
		norm, err := r.fullGradNorm()
		if err != nil {
			return err
		}
		e.FullGradNorm = Num(norm)
	}
	if r.step == r.meta.Steps {
		if err := r.measureIterate(); err != nil {
			return err
		}
	}
	r.eval = e
	if e.AboveBound > 0 {
		r.warnOnce(fmt.Sprintf("training losses exceed eta_max = %g, the bound B that the theory assumes: the box may exclude the optimum", r.meta.Spec.EtaMax))
	}
	return r.append(e)
}

func (r *run) addVal(e *EvalEvent) error {
	if r.data.Val == nil {
		return nil
	}
	val, err := r.pass(r.data.Val)
	if err != nil {
		return err
	}
	e.ValLoss, e.ValAccuracy = Num(mean(val.losses)), Num(val.accuracy())
	return nil
}

// certifyDue tells whether this evaluation includes the full gradient.
func (r *run) certifyDue() bool {
	every := int64(r.meta.Spec.CertifyEvery)
	return r.step == r.meta.Steps || every > 0 && (r.step/r.meta.StepsPerEpoch)%every == 0
}

// pass runs the network over a split.
func (r *run) pass(src data.Source) (*pass, error) {
	n := src.Len()
	p := &pass{make([]float64, n), make([]bool, n), make([]int, n)}
	classes := make([]int, r.net.Batch)
	err := r.eachBatch(src, func(b *data.Batch, from int) {
		r.net.Losses(p.losses[from:], b.X, b.Labels)
		r.net.Predictions(classes)
		for i := range b.N {
			p.correct[from+i] = classes[i] == b.Labels[i]
			p.groups[from+i] = b.Groups[i]
		}
	})
	return p, err
}

// eachBatch calls f with every batch of src in order and its first index.
func (r *run) eachBatch(src data.Source, f func(b *data.Batch, from int)) error {
	loader, err := data.NewSequential(src, r.loaderOptions(0, r.net.Batch))
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

func (p *pass) accuracy() float64 {
	hits := 0
	for _, c := range p.correct {
		if c {
			hits++
		}
	}
	return float64(hits) / float64(len(p.correct))
}

// byGroup returns accuracy and mean loss of each group; a group without
// samples has neither.
func (p *pass) byGroup(groups int) (accuracy, loss []Number) {
	hits := make([]float64, len(p.correct))
	for i, c := range p.correct {
		if c {
			hits[i] = 1
		}
	}
	return meanByGroup(hits, p.groups, groups), meanByGroup(p.losses, p.groups, groups)
}

func meanByGroup(values []float64, group []int, groups int) []Number {
	sums, counts := make([]float64, groups), make([]float64, groups)
	for i, v := range values {
		sums[group[i]] += v
		counts[group[i]]++
	}
	means := make([]Number, groups)
	for g := range means {
		means[g] = NumIf(counts[g] > 0, sums[g]/counts[g])
	}
	return means
}

// certify adds the exact worst cases and the dual gap (math.md §3). Losses
// that are not finite have no worst case: then the run is broken.
func (r *run) certify(e *EvalEvent, train, test *pass) error {
	rho := r.problem.Rho
	ratios := make([]float64, len(train.losses))
	w, err := r.problem.Set.WorstCase(ratios, train.losses, rho)
	if err != nil {
		return fmt.Errorf("step %d: training %w", r.step, err)
	}
	v, err := r.problem.Set.WorstCase(nil, test.losses, rho)
	if err != nil {
		return fmt.Errorf("step %d: test %w", r.step, err)
	}
	e.RobustRisk, e.TrainRobustRisk = Num(v.Risk), Num(w.Risk)
	e.Divergence, e.EffectiveSampleSize = Num(w.Divergence), Num(w.EffectiveSampleSize)
	e.ClassWeight = meanByGroup(ratios, train.groups, len(r.data.Groups))
	if r.applies[theObjective] {
		f := r.problem.At(nil, train.losses, r.dual.Z()).Value
		e.TrainObjective, e.DualGap = Num(f), Num(f-w.Risk)
	}
	for _, l := range train.losses {
		if l > r.meta.Spec.EtaMax {
			e.AboveBound++
		}
	}
	return nil
}

// fullGradNorm returns ‖∇_x F(x; z)‖ over the training split; for ERM, of the
// mean loss. It leaves that gradient in the network: a second array of its
// size for every run would be a tenth of all the memory.
func (r *run) fullGradNorm() (float64, error) {
	n := float64(r.data.Train.Len())
	losses, ratios := make([]float64, r.net.Batch), make([]float64, r.net.Batch)
	add := r.net.Gradient
	err := r.eachBatch(r.data.Train, func(b *data.Batch, _ int) {
		r.net.Losses(losses[:b.N], b.X, b.Labels)
		r.dual.Ratios(ratios[:b.N], losses[:b.N])
		for i := range ratios[:b.N] {
			ratios[i] *= float64(b.N) / n // the batch's part of the mean
		}
		add(ratios)
		add = r.net.AddGradient
	})
	return r.net.GradientNorm(), err
}

// measureIterate evaluates the paper's iterate on the test split, with its
// weights in place of the last ones for the time of one pass.
func (r *run) measureIterate() error {
	if r.iterate == nil {
		return nil
	}
	swapTensors(r.net.Parameters(), r.kept)
	defer swapTensors(r.net.Parameters(), r.kept)
	test, err := r.pass(r.data.Test)
	if err != nil {
		return err
	}
	accuracy, _ := test.byGroup(len(r.data.Groups))
	r.iterate.TestLoss, r.iterate.TestAccuracy = Num(mean(test.losses)), Num(test.accuracy())
	r.iterate.WorstClassAccuracy = Least(accuracy)
	return nil
}

// swapTensors exchanges the values of two lists of tensors of the same sizes.
func swapTensors(a, b []nn.Tensor) {
	for i := range a {
		for j, v := range a[i].Data {
			a[i].Data[j], b[i].Data[j] = b[i].Data[j], v
		}
	}
}
