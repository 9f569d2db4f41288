package dro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// erm is empirical risk minimisation: the mean loss.
func erm() Method {
	return Method{
		Name: ERM, Baseline: true, Doc: "empirical risk minimisation: the mean loss",
		New: func(Task) (Trainer, error) { return &uniform{}, nil },
	}
}

// uniform weighs every sample with 1.
type uniform struct{ Base }

// Weights implements Trainer.
func (*uniform) Weights(w []float64, b Batch) { fill(w[:len(b.Losses)], 1) }

// Samplewise implements Trainer.
func (*uniform) Samplewise() func(w, losses []float64) {
	return func(w, _ []float64) { fill(w, 1) }
}

func fill(w []float64, v float64) {
	for i := range w {
		w[i] = v
	}
}

// byFlag weighs a sample by a flag. Without flags every sample weighs 1.
type byFlag struct {
	Base
	flags         []bool  // one for each training sample, or nil
	plain, marked float64 // weights of the samples without the flag and with it
}

// Weights implements Trainer.
func (f *byFlag) Weights(w []float64, b Batch) {
	fill(w[:len(b.Losses)], 1)
	if f.flags == nil {
		return
	}
	for i, sample := range b.Index {
		w[i] = f.plain
		if f.flags[sample] {
			w[i] = f.marked
		}
	}
}

// balanced weighs each group by its effective number of samples,
// (1 − β^n)/(1 − β): between reweight (β → 1) and ERM (β → 0).
func balanced() Method {
	return Method{
		Name: "balanced",
		Doc: "a sample weighs inversely to the effective number of samples of its group, " +
			"(1 − β^n)/(1 − β)",
		Source: "Cui, Jia, Lin, Song, Belongie 2019 (arXiv 1901.05555), scaled to mean 1 over " +
			"the samples",
		Uses: "groups", GroupsOf: ofTrain,
		Settings: []Setting{{
			Key:     "beta_effective",
			Doc:     "β in the effective number of samples, 0 < β < 1",
			Default: Fixed(.9999),
			Want:    "a number in (0, 1)",
			Check:   func(x float64) bool { return x > 0 && x < 1 },
		}},
		New: func(t Task) (Trainer, error) {
			// 1 − β^n without cancellation. The factor 1 − β is left out, because newPerGroup
			// scales the weights.
			log := math.Log(t.Number("beta_effective"))
			return newPerGroup(t.Groups, func(samples float64) float64 {
				return -1 / math.Expm1(samples*log)
			})
		},
	}
}

// subsample is ERM on a training split in which every group is cut to the size of the
// smallest, anew in each pass through it. Where no groups are given, the classes are the
// groups.
func subsample() Method {
	m := erm()
	m.Name, m.Baseline, m.Subsamples = "subsample", false, true
	m.Doc = "cuts every group to the size of the smallest, anew in each pass"
	m.Source = "Idrissi, Arjovsky, Pezeshki, Lopez-Paz 2022 (arXiv 2110.14503), SUBG; the source " +
		"cuts once"
	m.Uses, m.GroupsOf = "groups", ofTrain
	return m
}

// reweight gives every group the same total weight: a sample of group g weighs N/(G n_g), where G
// is the number of groups that have samples. Where no groups are given, the classes are the groups.
func reweight() Method {
	return Method{
		Name:   "reweight",
		Doc:    "every group weighs the same: samples weigh inversely to their group's size",
		Source: "inverse frequency, as in every survey of imbalanced learning",
		Uses:   "groups", GroupsOf: ofTrain,
		New: func(t Task) (Trainer, error) {
			return newPerGroup(t.Groups, func(samples float64) float64 { return 1 / samples })
		},
	}
}

// perGroup weighs a sample by its group alone.
type perGroup struct {
	Base
	weight []float64
}

// newPerGroup returns weights that are proportional to weigh(n) for a group of n samples and have
// mean 1 over the training samples.
func newPerGroup(groups []int, weigh func(samples float64) float64) (*perGroup, error) {
	p := &perGroup{weight: make([]float64, len(groups))}
	var sum, n float64
	for g, count := range groups {
		if count > 0 {
			p.weight[g] = weigh(float64(count))
			sum += p.weight[g] * float64(count)
			n += float64(count)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("the data have no groups")
	}
	for g := range p.weight {
		p.weight[g] *= n / sum
	}
	return p, nil
}

// Weights implements Trainer.
func (p *perGroup) Weights(w []float64, b Batch) {
	for i, g := range b.Groups {
		w[i] = p.weight[g]
	}
}

// focal minimises the focal loss (1 − e^{−ℓ})^γ ℓ, where e^{−ℓ} is the probability that the network
// gives the right class. A sample that is already right adds little to it.
func focal() Method {
	return Method{
		Name: "focal", Doc: "focal loss (1 − e^{−ℓ})^γ ℓ: samples that are already right " +
			"count less",
		Source: "Lin, Goyal, Girshick, He, Dollár 2017 (arXiv 1708.02002), " +
			"of the cross-entropy",
		CrossEntropy: true,
		Settings: []Setting{{
			Key: "focal_gamma", Doc: "γ of the focal loss; 0 would be ERM",
			Default: Fixed(2), Want: "a number ≥ 1", Check: atLeast1,
		}},
		Measures: []Measure{{
			Name: "focal_loss", Title: "focal loss",
			Unit: "nats", Scale: Log, Better: Lower, Noisy: true,
			Doc: "mean (1 − e^{−ℓ})^γ ℓ of the x-batch, which is minimised",
		}},
		New: func(t Task) (Trainer, error) { return &focused{gamma: t.Number("focal_gamma")}, nil },
	}
}

// focused weighs each sample by the derivative of its focal loss with respect to ℓ.
type focused struct {
	Base
	gamma float64
	loss  float64 // the mean focal loss of the last batch that was weighed
}

// Weights implements Trainer: with q = 1 − e^{−ℓ}, the derivative of q^γ ℓ is
// q^γ + γ q^{γ−1} e^{−ℓ} ℓ, which tends to 0 as ℓ does.
func (f *focused) Weights(w []float64, b Batch) {
	f.loss = 0
	for i, l := range b.Losses {
		q := -math.Expm1(-l)
		power := math.Pow(q, f.gamma-1)
		w[i] = power * (q + f.gamma*math.Exp(-l)*l)
		f.loss += power * q * l / float64(len(b.Losses))
	}
}

// Report implements Trainer.
func (f *focused) Report(record func(string, float64)) { record("focal_loss", f.loss) }

// tilted minimises the tilted loss (1/t) log mean e^{tℓ} of each batch, which lies between the mean
// (t → 0) and the largest loss (t → ∞). It is the penalised problem of KL at λ = 1/t with the
// batch's own η.
func tilted() Method {
	return Method{
		Name: "tilted", Doc: "tilted loss (1/t) log mean e^{tℓ} of the batch: weights e^{tℓ}",
		Source: "Li, Beirami, Sanjabi, Smith 2021 (TERM, arXiv 2007.01162), batch form",
		Settings: []Setting{{
			Key: "tilt", Doc: "t of the tilted loss; near 0 it is the mean, at ∞ the largest " +
				"loss",
			Default: Fixed(1), Want: "a number > 0", Check: above0, Live: true,
		}},
		Measures: []Measure{
			{Name: "tilted_loss", Title: "tilted loss",
				Unit: "nats", Scale: Log, Better: Lower, Noisy: true,
				Doc: "(1/t) log mean e^{tℓ} of the x-batch: on average below its value over " +
					"all samples"},
			effectiveBatch(),
		},
		New: func(t Task) (Trainer, error) { return &tilting{t: t.Number("tilt")}, nil },
	}
}

// tilting has no state, since the mean is over the batch alone.
type tilting struct {
	Base
	t               float64
	loss, effective float64 // of the last batch that was weighed
}

// Weights implements Trainer: e^{tℓ}/mean e^{tℓ}, computed relative to the largest loss, so that
// nothing overflows.
func (t *tilting) Weights(w []float64, b Batch) {
	n, most := float64(len(b.Losses)), slices.Max(b.Losses)
	var sum, squares float64
	for i, l := range b.Losses {
		w[i] = math.Exp(t.t * (l - most))
		sum += w[i]
		squares += w[i] * w[i]
	}
	for i := range b.Losses {
		w[i] *= n / sum
	}
	t.loss, t.effective = most+math.Log(sum/n)/t.t, sum*sum/squares
}

// Report implements Trainer.
func (t *tilting) Report(record func(string, float64)) {
	record("tilted_loss", t.loss)
	record("effective_batch", t.effective)
}

// doro is DORO, Algorithm 1 of its paper. It leaves out the ⌊εn⌋ samples of each batch with the
// largest losses, as outliers, and takes the exact worst case of the others.
func doro() Method {
	return Method{
		Name: "doro",
		Doc:  "DORO: drops a batch's largest losses, takes the exact worst case of the others",
		Source: "Zhai, Dan, Kolter, Ravikumar 2021 (arXiv 2106.06142), Algorithm 1; the source " +
			"has χ² and CVaR",
		Adversarial: true,
		Settings: []Setting{{
			Key: "doro_epsilon", Doc: "ε of DORO: the share of a batch that is dropped",
			Default: Fixed(.05), Want: "a number in [0, 1)",
			Check: func(x float64) bool { return x >= 0 && x < 1 },
		}},
		Measures: batchRisk().Measures,
		New: func(t Task) (Trainer, error) {
			b, err := newBatchWorst(t)
			return &trimmed{batchWorst: b, epsilon: t.Number("doro_epsilon")}, err
		},
	}
}

// trimmed takes the worst case of the samples that ε leaves. It has no state, like batchWorst.
type trimmed struct {
	batchWorst
	epsilon   float64
	order     []int // indices of the batch's samples, the largest losses first
	rest      room  // losses of the samples that are left, then their ratios
	untrimmed bool  // no sample of the last batch was left out
}

// Weights implements Trainer. The objective is the worst case R of the m samples that are left, so
// the weights are n ∂R/∂ℓ_i = (n/m) r_i. If one of the losses that are left is not finite, all
// weights are NaN, as in batch.
func (d *trimmed) Weights(w []float64, b Batch) {
	n := len(b.Losses)
	out := int(d.epsilon * float64(n))
	d.untrimmed = out == 0
	d.order = d.order[:0]
	for i := range n {
		d.order = append(d.order, i)
	}
	slices.SortFunc(d.order, func(i, j int) int { // the first of equals is out first
		return cmp.Or(cmp.Compare(b.Losses[j], b.Losses[i]), i-j)
	})
	m := n - out
	memory := d.rest.values(2 * m)
	losses, ratios := memory[:m], memory[m:]
	for k, i := range d.order[out:] {
		losses[k] = b.Losses[i]
	}
	d.batchWorst.Weights(ratios, Batch{Losses: losses})
	outlier := 0.0
	if math.IsNaN(d.last.Risk) {
		outlier = d.last.Risk
	}
	fill(w[:n], outlier)
	for k, i := range d.order[out:] {
		w[i] = ratios[k] * float64(n) / float64(m)
	}
}

// Warning implements Warner.
func (d *trimmed) Warning() string {
	if d.untrimmed && d.epsilon > 0 {
		return "doro_epsilon · batch is below 1: no sample is left out; raise one of them"
	}
	return ""
}

// jtt is Just Train Twice: ERM for some epochs finds the training samples that
// it gets wrong; then x starts anew and these weigh more (math.md §5).
func jtt() Method {
	return Method{
		Name: "jtt", Doc: "Just Train Twice: samples that ERM got wrong weigh more in a " +
			"second run",
		Source: "Liu, Haghgoo, Chen, Raghunathan, Koh, Sagawa, Liang, Finn 2021 (arXiv 2107.09044)",

		Restarts: true,
		Settings: []Setting{
			{Key: "jtt_epochs", Doc: "epochs of ERM after which the wrong samples are found",
				Default: Fixed(2), Want: "a whole number ≥ 1", Check: atLeast1, Whole: true,
				Below: "epochs"},
			{Key: "jtt_up", Doc: "weight of a wrong sample, before all are scaled to mean 1; " +
				"up_weight + 1 of the authors' code",
				Default: Fixed(20), Want: "a number > 0", Check: above0},
		},
		Measures: []Measure{{Name: "upweighted", Title: "upweighted samples", Scale: Percent,
			Doc: "share of the training samples that Just Train Twice found wrong; 0 until " +
				"then"}},
		New: func(t Task) (Trainer, error) {
			epochs, up := int(t.Number("jtt_epochs")), t.Number("jtt_up")
			return &twice{epochs: epochs, up: up, samples: t.Samples}, nil
		},
	}
}

// twice marks the wrong samples, none of which is known in the first run.
type twice struct {
	byFlag
	epochs  int
	up      float64
	samples int
	count   int // number of wrong samples
}

// EndEpoch implements Epochal.
func (j *twice) EndEpoch(epoch int, split func() (Batch, error)) (restart bool, err error) {
	if epoch < j.epochs || j.flags != nil {
		return false, nil
	}
	b, err := split()
	if err != nil {
		return false, err
	}
	wrong := make([]bool, j.samples)
	for i, sample := range b.Index {
		wrong[sample] = !b.Correct[i]
	}
	j.remember(wrong)
	return true, nil
}

// remember sets the wrong samples: the second run begins with them; nil stands for the first run.
// In the second run the weights have mean 1 over the training split.
func (j *twice) remember(wrong []bool) {
	j.flags, j.count = wrong, 0
	for _, is := range wrong {
		if is {
			j.count++
		}
	}
	share := float64(j.count) / float64(j.samples)
	j.plain = 1 / (1 + share*(j.up-1))
	j.marked = j.plain * j.up
}

// Report implements Trainer.
func (j *twice) Report(record func(string, float64)) {
	record("upweighted", float64(j.count)/float64(j.samples))
}

// State implements Trainer.
func (j *twice) State() State {
	if j.flags == nil {
		return State{}
	}
	return State{Flags: map[string][]bool{"wrong": slices.Clone(j.flags)}}
}

// Restore implements Trainer.
func (j *twice) Restore(s State) error {
	wrong, ok := s.Flags["wrong"]
	if ok && len(wrong) != j.samples {
		return fmt.Errorf("the method's state has flags of %d samples, the training split has %d",
			len(wrong), j.samples)
	}
	j.remember(slices.Clone(wrong))
	return nil
}
