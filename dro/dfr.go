package dro

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

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
			Key: "dfr_split", Choices: []string{"auto", valSplit, trainSplit},
			Doc: "samples for the last layer: val, train, or auto: val if it has every group, " +
				"or if no training sample has a group, else train",
			Want: "auto, val or train", Default: Fixed(0),
		}},
		New: newDFR,
	}
}

// dfrSplit returns the split that the last layer is fitted to.
func dfrSplit(t *Task) string {
	choice := t.Number("dfr_split")
	if choice == 1 || choice == 0 && (t.Ungrouped || t.complete()) {
		return valSplit
	}
	return trainSplit
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
	f := &dfrTrainer{refitBase: refitBase{on: FitTo{Split: dfrSplit(&t), Share: 1}}}
	if f.on.Split == trainSplit {
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

// dfrTrainer is judged if the validation split chooses the strength of a layer that is fitted to
// training samples.
type dfrTrainer struct {
	refitBase
	judged bool
	// unknown is above 0 for a group that stands for a missing value: the layer is not fitted to
	// its samples. It is nil where all groups are known.
	unknown []int
}

// known returns the samples whose group is known.
func (f *dfrTrainer) known(h Held) Held {
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

// dfrStrengths are the source's strengths C of the data against the L1 norm, tried in this order.
var dfrStrengths = [...]float64{1, .7, .3, .1, .07, .03, .01}

// draws is the number of draws over which the layer is averaged. Both numbers are the source's.
func (f *dfrTrainer) draws() int {
	if f.on.Split == trainSplit {
		return 10
	}
	return 20
}

// Refit implements Refitter. First it chooses C. The layer is then the mean of the fits to balanced
// draws of all samples, with the features standardised by all samples. Refit undoes the
// standardisation in the layer that it returns.
func (f *dfrTrainer) Refit(
	old Layer, of Splits, seed uint64, between func(Fit) error,
) (to Layer, how string, err error) {
	held, err := of(f.on.Split)
	if err != nil {
		return old, "", err
	}
	held = f.known(held)
	classes := len(old.Bias)
	if len(held.Labels) == 0 {
		return old, "", fmt.Errorf("dfr: %w", errNoSample)
	}
	rng, scale := dfrRand(seed), newStandardiser(held.rows())
	count := &fits{Fit{0, dfrDivisions*len(dfrStrengths) + f.draws()}, between}
	choice, err := f.judge(held, of, scale, classes, rng, count)
	if err != nil {
		return old, "", err
	}
	c, by := choice.best(), "the other half of them"
	if f.judged {
		by = "the split val"
	}
	mean := make([]float64, classes*(len(held.Features[0])+1))
	w, size := make([]float64, len(mean)), 0
	for range f.draws() {
		draw := held.balancedDraw(rng)
		size = len(draw.Labels)
		err := fitLasso(w, scale.apply(draw), draw.Labels, c, classes, count.next())
		if err != nil {
			return old, "", err
		}
		for j, v := range w {
			mean[j] += v / float64(f.draws())
		}
	}
	f.done = true
	return scale.undo(unflatten(mean, classes)), fmt.Sprintf("logistic regression with L1 at "+
		"C = %g, whose fits to %d draws are the best for the worst group of %s; the mean of %d "+
		"draws of %d samples", c, dfrDivisions, by, f.draws(), size), nil
}

// judge fits every C to balanced draws, and has other samples judge each fit. If the validation
// split judges, the draws are of all training samples, with the features standardised by all of
// them. Otherwise a draw is of one half of the samples, which it also standardises, and the other
// half judges.
func (f *dfrTrainer) judge(
	held Held, of Splits, scale standardiser, classes int, rng *rand.Rand, count *fits,
) (d dfrChoice, err error) {
	if f.judged {
		val, err := of(valSplit)
		if err != nil {
			return d, err
		}
		for range dfrDivisions {
			err := d.add(held.balancedDraw(rng), val, scale, classes, count)
			if err != nil {
				return d, err
			}
		}
		return d, nil
	}
	for range dfrDivisions {
		draw, other, err := f.divide(held, rng)
		if err != nil {
			return d, fmt.Errorf("dfr: %w", err)
		}
		if err := d.add(draw, other, newStandardiser(draw.rows()), classes, count); err != nil {
			return d, err
		}
	}
	return d, nil
}

// CheckHeld implements Refitter.
func (f *dfrTrainer) CheckHeld(held Held, seed uint64) error {
	held = f.known(held)
	if len(held.Labels) == 0 {
		return errNoSample
	}
	if f.judged {
		return nil
	}
	rng := dfrRand(seed)
	for range dfrDivisions {
		if _, _, err := f.divide(held, rng); err != nil {
			return err
		}
	}
	return nil
}

// divide draws from one half of the samples. The other half judges.
func (f *dfrTrainer) divide(held Held, rng *rand.Rand) (draw, other Held, err error) {
	other, rest := held.halves(rng)
	if len(other.Labels) == 0 || len(rest.Labels) == 0 {
		return draw, other, fmt.Errorf("the samples of the split %s cannot be halved: %w",
			f.on.Split, errFewKeys)
	}
	return rest.balancedDraw(rng), other, nil
}

// dfrRand returns the random numbers of divisions and draws.
func dfrRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x646672)) }

// dfrDivisions is the number of draws over which the accuracies of a C are averaged, as the
// source's num_retrains does; our reading, since the source leaves that at 1. A rare group has few
// samples in a half, so a C that one division prefers is often good by chance alone.
const dfrDivisions = 10

// dfrChoice has the sum of the worst groups' accuracies of each of dfrStrengths.
type dfrChoice [len(dfrStrengths)]float64

// add adds the accuracies on other samples of the fits to draw.
func (d *dfrChoice) add(
	draw, other Held, s standardiser, classes int, count *fits,
) error {
	rows, judging := s.apply(draw), s.apply(other)
	w := make([]float64, classes*(len(rows[0])+1))
	for i, c := range dfrStrengths {
		if err := fitLasso(w, rows, draw.Labels, c, classes, count.next()); err != nil {
			return err
		}
		layer := unflatten(w, classes)
		d[i] += worstGroup(&layer, judging, &other)
	}
	return nil
}

// best returns the first C of those with the highest sum.
func (d *dfrChoice) best() float64 {
	return dfrStrengths[slices.Index(d[:], slices.Max(d[:]))]
}

// errNoSample is the error of a refit without samples.
var errNoSample = errors.New("there is no sample to fit the last layer to")

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

// fitLasso minimises C Σ ℓ + ‖(W, b)‖₁. It starts at w and leaves the solution there.
func fitLasso(
	w []float64, rows [][]float64, labels []int, c float64, classes int, between func() error,
) error {
	weight := make([]float64, len(rows))
	fill(weight, c)
	f := newSoftmaxFit(rows, labels, weight, w, classes)
	f.lasso = 1
	return f.run(between)
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

// standardiser standardises features to (x − mean)/deviation. The deviation of a constant feature
// is taken as 1.
type standardiser struct{ mean, deviation []float64 }

func newStandardiser(rows [][]float64) standardiser {
	s := standardiser{make([]float64, len(rows[0])), make([]float64, len(rows[0]))}
	n := float64(len(rows))
	for j := range s.mean {
		for _, row := range rows {
			s.mean[j] += row[j] / n
		}
		square := 0.0
		for _, row := range rows {
			square += (row[j] - s.mean[j]) * (row[j] - s.mean[j]) / n
		}
		s.deviation[j] = math.Sqrt(square)
		if s.deviation[j] == 0 {
			s.deviation[j] = 1
		}
	}
	return s
}

// apply returns the samples' features, standardised.
func (s *standardiser) apply(h Held) [][]float64 {
	rows := h.rows()
	for _, row := range rows {
		for j := range row {
			row[j] = (row[j] - s.mean[j]) / s.deviation[j]
		}
	}
	return rows
}

// undo returns the layer that computes from the original features what l computes from the
// standardised ones.
func (s *standardiser) undo(l Layer) Layer {
	for k, row := range l.Weights {
		for j := range row {
			row[j] /= s.deviation[j]
			l.Bias[k] -= row[j] * s.mean[j]
		}
	}
	return l
}
