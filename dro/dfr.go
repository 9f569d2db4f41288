package dro

import (
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
		Uses: "groups", CrossEntropy: true, Refits: true,
		Settings: []Setting{{
			Key: "dfr_split", Choices: []string{"auto", refitVal, refitTrain},
			Doc: "samples for the last layer: val, train, or auto: val if it has every group, " +
				"else train",
			Want: "auto, val or train", Default: Fixed(0),
		}},
		New: newDFR,
	}
}

func newDFR(t Task) (Trainer, error) {
	complete := len(t.Val) > 0
	for g, n := range t.Val {
		complete = complete && (n > 1 || t.Groups[g] == 0)
	}
	switch t.Number("dfr_split") {
	case 0:
		if complete {
			return &deepFeatures{refitting{split: refitVal}}, nil
		}
	case 1:
		if !complete {
			return nil, fmt.Errorf("dfr_split is val, but no validation split has samples of " +
				"every group: set val_fraction, or set dfr_split to train")
		}
		return &deepFeatures{refitting{split: refitVal}}, nil
	}
	return &deepFeatures{refitting{split: refitTrain}}, nil
}

type deepFeatures struct{ refitting }

// strengths are the strengths C of the data against the L1 norm, tried in this order. dfrDraws is
// the number of draws over which the layer is averaged. Both are the source's.
var strengths = []float64{1, .7, .3, .1, .07, .03, .01}

const dfrDraws = 20

// Refit implements Refitter. First it chooses C. Each C is fitted to a balanced draw of one half,
// with the features standardised by that draw. The C that is best for the worst group of the other
// half is taken, the first of equals. The layer is then the mean of the fits to 20 balanced draws
// of all samples, with the features standardised by all samples. Refit undoes the standardisation
// in the layer that it returns.
func (f *deepFeatures) Refit(at Layer, on Held, seed uint64) (to Layer, how string, err error) {
	rng := rand.New(rand.NewPCG(seed, 0x646672))
	rows, classes := on.wide(), len(at.Bias)
	c := dfrStrength(rows, &on, classes, rng)
	scale := scaleOf(rows)
	scale.apply(rows)
	all := make([]int, len(rows))
	for i := range all {
		all[i] = i
	}
	mean := make([]float64, classes*(len(rows[0])+1))
	w, size := make([]float64, len(mean)), 0
	for range dfrDraws {
		draw := balancedDraw(all, on.Groups, rng)
		if size = len(draw); size == 0 {
			return at, "", fmt.Errorf("dfr: there is no sample to fit the last layer to")
		}
		fitLasso(w, rows, on.Labels, draw, c, classes)
		for j, v := range w {
			mean[j] += v / dfrDraws
		}
	}
	f.done = true
	return scale.undone(layerOf(mean, classes)), fmt.Sprintf("logistic regression with L1 at "+
		"C = %g, the mean of %d draws of %d samples", c, dfrDraws, size), nil
}

// dfrStrength chooses C by fits to one half of the samples and accuracies on the other.
func dfrStrength(rows [][]float64, on *Held, classes int, rng *rand.Rand) float64 {
	order := rng.Perm(len(rows))
	held, rest := order[:len(order)/2], order[len(order)/2:]
	draw := balancedDraw(rest, on.Groups, rng)
	if len(draw) == 0 || len(held) == 0 {
		return strengths[0]
	}
	var drawn [][]float64
	for _, i := range draw {
		drawn = append(drawn, rows[i])
	}
	scale := scaleOf(drawn)
	scaled := make([][]float64, len(rows))
	for i, row := range rows {
		scaled[i] = slices.Clone(row)
	}
	scale.apply(scaled)
	best, most := strengths[0], -1.0
	w := make([]float64, classes*(len(rows[0])+1))
	for _, c := range strengths {
		fitLasso(w, scaled, on.Labels, draw, c, classes)
		layer := layerOf(w, classes)
		if worst := worstGroup(&layer, scaled, on, held); worst > most {
			best, most = c, worst
		}
	}
	return best
}

// fitLasso minimises C Σ ℓ + ‖(W, b)‖₁ over a draw. It starts at w and leaves the solution there.
func fitLasso(w []float64, rows [][]float64, labels, draw []int, c float64, classes int) {
	var x [][]float64
	var y []int
	weight := make([]float64, len(draw))
	for k, i := range draw {
		x, y, weight[k] = append(x, rows[i]), append(y, labels[i]), c
	}
	f := newSoftmaxFit(x, y, weight, w, classes)
	f.lasso = 1
	f.run()
}

// balancedDraw draws m of the samples from each group that has any, where m is the size of the
// smallest such group.
func balancedDraw(from []int, groups []int, rng *rand.Rand) (draw []int) {
	var of [][]int
	for _, i := range from {
		for len(of) <= groups[i] {
			of = append(of, nil)
		}
		of[groups[i]] = append(of[groups[i]], i)
	}
	of = slices.DeleteFunc(of, func(list []int) bool { return len(list) == 0 })
	least := len(from)
	for _, list := range of {
		least = min(least, len(list))
	}
	for _, list := range of {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		draw = append(draw, list[:least]...)
	}
	return draw
}

// worstGroup returns the lowest accuracy of any group over the samples in index.
func worstGroup(l *Layer, rows [][]float64, on *Held, index []int) float64 {
	right, all := map[int]float64{}, map[int]float64{}
	for _, i := range index {
		all[on.Groups[i]]++
		if l.class(rows[i]) == on.Labels[i] {
			right[on.Groups[i]]++
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

func (s *scale) apply(rows [][]float64) {
	for _, row := range rows {
		for j := range row {
			row[j] = (row[j] - s.mean[j]) / s.deviation[j]
		}
	}
}

// undone returns the layer that computes from the original features what l computes from the
// standardised ones.
func (s *scale) undone(l Layer) Layer {
	for k, row := range l.Weights {
		for j := range row {
			row[j] /= s.deviation[j]
			l.Bias[k] -= row[j] * s.mean[j]
		}
	}
	return l
}
