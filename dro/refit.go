package dro

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Layer is the last layer of a network: the logits of features f are W f + b.
type Layer struct {
	Weights [][]float64 // [class][feature]
	Bias    []float64   // [class]
}

// Held holds the samples that a last layer is fitted to, in the order of their split. The features
// of a sample are the input of the network's last layer, in evaluation mode.
type Held struct {
	Features       [][]float32 // [sample][feature]
	Labels, Groups []int       // Groups has the classes where no groups are given
	Keys           []uint32    // as in Task, for these samples
}

// at returns the samples that index lists.
func (h *Held) at(index []int) (some Held) {
	for _, i := range index {
		some.Features = append(some.Features, h.Features[i])
		some.Labels = append(some.Labels, h.Labels[i])
		some.Groups = append(some.Groups, h.Groups[i])
		if h.Keys != nil {
			some.Keys = append(some.Keys, h.Keys[i])
		}
	}
	return some
}

// Splits returns the samples of a split.
type Splits func(split string) (Held, error)

// Refitter is a Trainer whose method refits the last layer, once, when training is over.
type Refitter interface {
	// RefitsOn returns the samples that the layer is fitted to. A validation split that is fitted
	// to measures nothing any more.
	RefitsOn() FitTo
	// Refit returns the layer that replaces old, and a clause for people that says how it was
	// found. It asks for the samples of the splits that it needs. Random choices depend on the seed
	// alone. From then on Refitted returns true, which is part of State: a run that is interrupted
	// before that begins the refit again.
	Refit(old Layer, of Splits, seed uint64) (to Layer, how string, err error)
	Refitted() bool
}

// FitTo says which samples a last layer is fitted to.
type FitTo struct {
	Split   string  // "val" or "train"
	Share   float64 // of the split
	Instead bool    // of the validation split, which lacks a group
}

// The splits of FitTo.
const (
	refitVal   = "val"
	refitTrain = "train"
)

// refitting is the part that refitters share: ERM, until the last layer is fitted again.
type refitting struct {
	uniform
	on   FitTo
	done bool
}

// RefitsOn implements Refitter.
func (r *refitting) RefitsOn() FitTo { return r.on }

// Refitted implements Refitter.
func (r *refitting) Refitted() bool { return r.done }

// After implements Trainer. A fork of a refitted run trains on, and is refitted again.
func (r *refitting) After(Batch, Step) { r.done = false }

// State implements Trainer.
func (r *refitting) State() State {
	if !r.done {
		return State{}
	}
	return State{Numbers: map[string]float64{"refitted": 1}}
}

// Restore implements Trainer.
func (r *refitting) Restore(s State) error {
	r.done = s.Numbers["refitted"] == 1
	return nil
}

// afr is automatic feature reweighting: it trains by ERM, then refits the last layer to held-out
// samples. The less sure ERM is of a sample's class, the more the sample weighs. It does not use
// groups.
func afr() Method {
	return Method{
		Name: "afr",
		Doc: "ERM, then the last layer refitted to held-out samples, weighted by ERM's " +
			"confidence",
		Source: "Qiu, Potapczynski, Izmailov, Wilson 2023 (arXiv 2306.11074), both stages; " +
			"the last layer goes to its minimum, not a fixed number of steps",
		Uses: "labels", CrossEntropy: true, Refits: true,
		Settings: []Setting{
			{Key: "afr_gamma",
				Doc: "γ in a sample's weight exp(−γ p), where p is ERM's probability of " +
					"its class",
				Default: Fixed(4), Want: "a number ≥ 0",
				Check: func(x float64) bool { return x >= 0 }},
			{Key: "afr_lambda", Doc: "λ in λ‖W − ERM's W‖², which keeps the last layer near " +
				"ERM's",
				Default: Fixed(.001), Want: "a number > 0", Check: above0},
			{Key: "afr_split", Choices: []string{refitVal, refitTrain},
				Doc: "samples for the last layer: val, or a fifth of train, which ERM then " +
					"does without",
				Want: "val or train", Default: Fixed(0), Fixed: true},
		},
		New: newAFR,
	}
}

func newAFR(t Task) (Trainer, error) {
	a := &confident{refitting: refitting{on: FitTo{Split: refitVal, Share: 1}},
		gamma: t.Number("afr_gamma"), lambda: t.Number("afr_lambda")}
	if t.Number("afr_split") == 1 {
		a.on, a.flags = FitTo{Split: refitTrain, Share: apartShare}, setApart(t.Samples, t.Keys)
		kept := slices.DeleteFunc(slices.Clone(a.flags), func(apart bool) bool { return apart })
		if t.Keys != nil && (len(kept) == t.Samples || len(kept) == 0) {
			return nil, fmt.Errorf("a fifth of the training samples is set apart for the last "+
				"layer, which their keys do not allow: %w", errFewKeys)
		}
		a.plain = float64(t.Samples) / float64(len(kept)) // so that the weights have mean 1
		return a, nil
	}
	if len(t.Val) == 0 {
		return nil, fmt.Errorf("there is no validation split to fit the last layer to: set " +
			"val_fraction, use data with a validation split, or set afr_split to train")
	}
	return a, nil
}

// confident marks the training samples that are kept for the last layer. None are if the layer is
// fitted to the validation split.
type confident struct {
	refitting
	byFlag
	gamma, lambda float64
}

// apartShare is the share of the training samples that is set apart for the last layer. As in the
// source, ERM has the other four fifths.
const apartShare = .2

// errFewKeys is the error of samples that cannot be divided, since too many have one key.
var errFewKeys = errors.New("too many of them have the same value in the column of split_by=")

// setApart draws the part of n training samples that the last layer is fitted to. The draw depends
// on n and the keys alone, so all seeds share it and a resumed run repeats it.
func setApart(n int, keys []uint32) []bool {
	rng := rand.New(rand.NewPCG(uint64(n), 0x616672))
	if keys != nil {
		return drawKeys(rng, keys, apartShare)
	}
	apart := make([]bool, n)
	order := rng.Perm(n)
	for _, i := range order[:int(apartShare*float64(n))] {
		apart[i] = true
	}
	return apart
}

// drawKeys marks about a share of the samples, and all samples of a key or none. It takes the keys
// in a random order, and each that brings the number of marked samples nearer to the share.
func drawKeys(rng *rand.Rand, keys []uint32, share float64) []bool {
	var order []uint32 // the keys as they first occur
	count := map[uint32]int{}
	for _, k := range keys {
		if count[k] == 0 {
			order = append(order, k)
		}
		count[k]++
	}
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	marked, missing := map[uint32]bool{}, share*float64(len(keys))
	for _, k := range order {
		if n := float64(count[k]); n < 2*missing {
			marked[k] = true
			missing -= n
		}
	}
	flags := make([]bool, len(keys))
	for i, k := range keys {
		flags[i] = marked[k]
	}
	return flags
}

// Samplewise implements Trainer. It returns nil where samples are set apart, because a weight then
// depends on the sample's index.
func (a *confident) Samplewise() func(w, losses []float64) {
	if a.flags != nil {
		return nil
	}
	return a.refitting.Samplewise()
}

// Refit implements Refitter. The layer minimises Σ μ_i ℓ_i + λ‖(W, b) − (W, b)_ERM‖², with
// μ_i ∝ exp(−γ p_i)/n_y and Σ μ_i = 1. Here p_i is ERM's probability of i's class, and n_y the
// number of samples of that class. Nothing is drawn at random.
func (a *confident) Refit(old Layer, of Splits, _ uint64) (to Layer, how string, err error) {
	held, err := of(a.on.Split)
	if err != nil {
		return old, "", err
	}
	if a.flags != nil {
		var apart []int
		for i, is := range a.flags {
			if is {
				apart = append(apart, i)
			}
		}
		held = held.at(apart)
	}
	rows, classes := held.rows(), len(old.Bias)
	if len(rows) == 0 {
		return old, "", fmt.Errorf("afr: there is no sample to fit the last layer to")
	}
	mu := a.weights(&old, rows, held.Labels)
	f := newSoftmaxFit(rows, held.Labels, mu, flatten(old), classes)
	f.ridge, f.start = a.lambda, flatten(old)
	f.run()
	a.done = true
	how = fmt.Sprintf("cross-entropy weighted by exp(−%g p) over the size of the class, held "+
		"near ERM's layer by λ = %g", a.gamma, a.lambda)
	if a.flags != nil {
		how += fmt.Sprintf("; it used the %d samples that are set apart", len(rows))
	}
	return unflatten(f.w, classes), how, nil
}

// weights returns the weights μ of Refit, one for each row; old is ERM's layer.
func (a *confident) weights(old *Layer, rows [][]float64, labels []int) []float64 {
	classes := len(old.Bias)
	counts, mu, sum := make([]float64, classes), make([]float64, len(rows)), 0.0
	for _, y := range labels {
		counts[y]++
	}
	f := newSoftmaxFit(rows, labels, mu, flatten(*old), classes)
	f.logits()
	for i, y := range labels {
		p := f.e[y*len(rows)+i] / f.sum[i]
		mu[i] = math.Exp(-a.gamma*p) / counts[y]
		sum += mu[i]
	}
	for i := range mu {
		mu[i] /= sum
	}
	return mu
}

// dfr is deep feature reweighting: it trains by ERM, then refits the last layer to draws in which
// all groups have the same number of samples. Where no groups are given, the classes are the
// groups.
func dfr() Method {
	return Method{
		Name: "dfr",
		Doc:  "ERM, then the last layer refitted to group-balanced draws of held-out samples",
		Source: "Kirichenko, Izmailov, Wilson 2023 (arXiv 2204.02937), the steps of its " +
			"dfr_evaluate_spurious.py",
		Uses: "groups", GroupsOf: dfrSplit, CrossEntropy: true, Refits: true,
		Settings: []Setting{{
			Key: "dfr_split", Choices: []string{"auto", refitVal, refitTrain},
			Doc: "samples for the last layer: val, train, or auto: val if it has every group, " +
				"or if no training sample has a group, else train",
			Want: "auto, val or train", Default: Fixed(0),
		}},
		New: newDFR,
	}
}

// dfrSplit returns the split that the last layer is fitted to.
func dfrSplit(t *Task) string {
	switch choice := t.Number("dfr_split"); {
	case choice == 1, choice == 0 && (t.Ungrouped || t.complete()):
		return refitVal
	}
	return refitTrain
}

// complete reports whether the validation split has samples of every known group that training has
// or, where the groups of training samples are not known, of every known group.
func (t *Task) complete() bool {
	for g, n := range t.Val {
		if n < 2 && (t.Groups[g] > 0) != t.Ungrouped {
			return false
		}
	}
	return len(t.Val) > 0
}

func newDFR(t Task) (Trainer, error) {
	f := &deepFeatures{refitting: refitting{on: FitTo{Split: dfrSplit(&t), Share: 1}}}
	if f.on.Split == refitTrain {
		f.judged = t.complete()
		f.on.Instead = t.Number("dfr_split") == 0
		return f, nil
	}
	if !t.complete() {
		remedy := "set val_fraction, or set dfr_split to train"
		if t.Ungrouped {
			remedy = "no training sample has a group, so give groups to more validation samples"
		}
		return nil, fmt.Errorf("the last layer needs validation samples of every group: %s", remedy)
	}
	if t.Ungrouped {
		f.unknown = t.Groups
	}
	return f, nil
}

// deepFeatures is judged if the validation split chooses the strength of a layer that is fitted to
// training samples.
type deepFeatures struct {
	refitting
	judged bool
	// unknown is above 0 for a group that stands for a missing value: the layer is not fitted to
	// its samples. It is nil where all groups are known.
	unknown []int
}

// known returns the samples whose group is known.
func (f *deepFeatures) known(h Held) Held {
	if f.unknown == nil {
		return h
	}
	var places []int
	for i, g := range h.Groups {
		if f.unknown[g] == 0 {
			places = append(places, i)
		}
	}
	return h.at(places)
}

// strengths are the source's strengths C of the data against the L1 norm, tried in this order.
var strengths = []float64{1, .7, .3, .1, .07, .03, .01}

// draws is the number of draws over which the layer is averaged. Both numbers are the source's.
func (f *deepFeatures) draws() int {
	if f.on.Split == refitTrain {
		return 10
	}
	return 20
}

// Refit implements Refitter. First it chooses C: each C is fitted to a balanced draw, and the first
// of those that are best for the worst group of other samples is taken. If the validation split
// judges, the draw is of all training samples, with the features standardised by all of them.
// Otherwise the draw is of one half of the samples, which it also standardises, and the other half
// judges. The layer is then the mean of the fits to balanced draws of all samples, with the
// features standardised by all samples. Refit undoes the standardisation in the layer that it
// returns.
func (f *deepFeatures) Refit(old Layer, of Splits, seed uint64) (to Layer, how string, err error) {
	held, err := of(f.on.Split)
	held = f.known(held)
	n, classes := len(held.Labels), len(old.Bias)
	if err != nil || n == 0 {
		return old, "", cmp.Or(err, errors.New("dfr: there is no sample to fit the last layer to"))
	}
	rng, scale := rand.New(rand.NewPCG(seed, 0x646672)), scaleOf(held.rows())
	by, c := "one half of them", 0.
	if f.judged {
		val, err := of(refitVal)
		if err != nil {
			return old, "", err
		}
		by, c = "the split val", dfrStrength(held.balancedDraw(rng), val, scale, classes)
	} else {
		other, rest := held.halves(rng)
		if len(other.Labels) == 0 || len(rest.Labels) == 0 {
			return old, "", fmt.Errorf("dfr: the samples of the split %s cannot be halved: %w",
				f.on.Split, errFewKeys)
		}
		draw := rest.balancedDraw(rng)
		c = dfrStrength(draw, other, scaleOf(draw.rows()), classes)
	}
	mean := make([]float64, classes*(len(held.Features[0])+1))
	w, size := make([]float64, len(mean)), 0
	for range f.draws() {
		draw := held.balancedDraw(rng)
		size = len(draw.Labels)
		fitLasso(w, scale.applied(draw), draw.Labels, c, classes)
		for j, v := range w {
			mean[j] += v / float64(f.draws())
		}
	}
	f.done = true
	return scale.unscale(unflatten(mean, classes)), fmt.Sprintf("logistic regression with L1 at "+
		"C = %g, the best for the worst group of %s; the mean of %d draws of %d samples", c, by,
		f.draws(), size), nil
}

// halves divides the samples at random. The samples of a key stay together.
func (h *Held) halves(rng *rand.Rand) (one, other Held) {
	n := len(h.Labels)
	if h.Keys == nil {
		order := rng.Perm(n)
		return h.at(order[:n/2]), h.at(order[n/2:])
	}
	var marked, rest []int
	for i, is := range drawKeys(rng, h.Keys, .5) {
		if is {
			marked = append(marked, i)
		} else {
			rest = append(rest, i)
		}
	}
	return h.at(marked), h.at(rest)
}

// dfrStrength chooses C by fits to draw and accuracies on other samples.
func dfrStrength(draw, other Held, s scale, classes int) float64 {
	rows, judging := s.applied(draw), s.applied(other)
	best, most := strengths[0], -1.0
	w := make([]float64, classes*(len(rows[0])+1))
	for _, c := range strengths {
		fitLasso(w, rows, draw.Labels, c, classes)
		layer := unflatten(w, classes)
		if worst := worstGroup(&layer, judging, &other); worst > most {
			best, most = c, worst
		}
	}
	return best
}

// fitLasso minimises C Σ ℓ + ‖(W, b)‖₁. It starts at w and leaves the solution there.
func fitLasso(w []float64, rows [][]float64, labels []int, c float64, classes int) {
	weight := make([]float64, len(rows))
	fill(weight, c)
	f := newSoftmaxFit(rows, labels, weight, w, classes)
	f.lasso = 1
	f.run()
}

// balancedDraw draws m of the samples of each group that has any, where m is the size of the
// smallest such group.
func (h *Held) balancedDraw(rng *rand.Rand) Held {
	byGroup := make([][]int, slices.Max(h.Groups)+1)
	for i, g := range h.Groups {
		byGroup[g] = append(byGroup[g], i)
	}
	byGroup = slices.DeleteFunc(byGroup, func(list []int) bool { return len(list) == 0 })
	least := len(h.Groups)
	for _, list := range byGroup {
		least = min(least, len(list))
	}
	var draw []int
	for _, list := range byGroup {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		draw = append(draw, list[:least]...)
	}
	return h.at(draw)
}

// worstGroup returns the lowest accuracy of any group of the samples, whose features are rows.
func worstGroup(l *Layer, rows [][]float64, of *Held) float64 {
	right, all := map[int]float64{}, map[int]float64{}
	for i, g := range of.Groups {
		all[g]++
		if l.class(rows[i]) == of.Labels[i] {
			right[g]++
		}
	}
	worst := 1.0
	for g, n := range all {
		worst = min(worst, right[g]/n)
	}
	return worst
}

// scale standardises features to (x − mean)/deviation. The deviation of a constant feature is taken
// as 1.
type scale struct{ mean, deviation []float64 }

func scaleOf(rows [][]float64) scale {
	s := scale{make([]float64, len(rows[0])), make([]float64, len(rows[0]))}
	n := float64(len(rows))
	for j := range s.mean {
		for _, row := range rows {
			s.mean[j] += row[j] / n
		}
		square := 0.0
		for _, row := range rows {
			square += (row[j] - s.mean[j]) * (row[j] - s.mean[j]) / n
		}
		if s.deviation[j] = math.Sqrt(square); s.deviation[j] == 0 {
			s.deviation[j] = 1
		}
	}
	return s
}

// applied returns the samples' features, standardised.
func (s *scale) applied(h Held) [][]float64 {
	rows := h.rows()
	for _, row := range rows {
		for j := range row {
			row[j] = (row[j] - s.mean[j]) / s.deviation[j]
		}
	}
	return rows
}

// unscale returns the layer that computes from the original features what l computes from the
// standardised ones.
func (s *scale) unscale(l Layer) Layer {
	for k, row := range l.Weights {
		for j := range row {
			row[j] /= s.deviation[j]
			l.Bias[k] -= row[j] * s.mean[j]
		}
	}
	return l
}

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
	mostPasses  = 100
	mostBetween = 20 // passes over the nonzero coordinates between two of those
	fitted      = 1e-4
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
// are rare.
func (f *softmaxFit) run() {
	for range mostPasses {
		if f.pass(false) {
			return
		}
		for range mostBetween {
			if f.pass(true) {
				break
			}
		}
	}
}

// pass moves every coordinate once or, if active, those that are not 0. It reports whether none of
// them moved by much.
func (f *softmaxFit) pass(active bool) (still bool) {
	f.logits()
	d, most, largest, first := len(f.x), 0.0, 1.0, 0
	// Under the lasso two classes are one logistic regression: only the difference of the two rows
	// of W counts, with the same penalty whichever row has it. So the first has no coordinates.
	if f.lasso > 0 && f.classes == 2 {
		first = 1
	}
	for k := first; k < f.classes; k++ {
		for j := range d {
			if w := &f.w[k*d+j]; !active || *w != 0 {
				most = max(most, math.Abs(f.move(k, j)))
				largest = max(largest, math.Abs(*w))
			}
		}
	}
	return most <= fitted*largest
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
	column, e, slope := f.x[j], f.e[k*n:][:n], 0.0
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
	if *at = to; by == 0 {
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

// class returns the class with the greatest logit of the features, the first of equals.
func (l *Layer) class(features []float64) int {
	best, most := 0, math.Inf(-1)
	for k, row := range l.Weights {
		u := l.Bias[k]
		for j, x := range features {
			u += row[j] * x
		}
		if cmp.Less(most, u) {
			best, most = k, u
		}
	}
	return best
}

// rows returns the features as float64, sample by sample.
func (h *Held) rows() [][]float64 {
	rows := make([][]float64, len(h.Features))
	for i, f := range h.Features {
		rows[i] = make([]float64, len(f))
		for j, v := range f {
			rows[i][j] = float64(v)
		}
	}
	return rows
}
