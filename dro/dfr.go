package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// dfr is deep feature reweighting: ERM, and then the last layer again on draws in which all
// groups have as many samples. Where no groups are given, the classes are the groups.
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

// The source's numbers: strengths C of the data against the L1 norm, tried in this order,
// and the draws that the layer is a mean over.
var strengths = []float64{1, .7, .3, .1, .07, .03, .01}

const dfrDraws = 20

// Refit implements Refitter. First C: a balanced draw of one half is fitted with each, the
// features standardised by that draw, and the C is taken that is best for the worst group of
// the other half, the first of equals. Then the layer is the mean of those of 20 balanced
// draws of all samples, standardised by all. Standardising is undone in the layer.
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

// dfrStrength chooses C by halves.
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

// fitLasso minimises C Σ ℓ + ‖W‖₁ over a draw, from w on, which is the solution then.
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

// balancedDraw draws as many of the samples from each group that has any as the smallest has.
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

// worstGroup is the least accuracy of a group over the samples index.
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

// scale standardises features: (x − mean)/deviation, those that are constant by 1.
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

// undone is the layer of features as they were that does what l does of those standardised.
func (s *scale) undone(l Layer) Layer {
	for k, row := range l.Weights {
		for j := range row {
			row[j] /= s.deviation[j]
			l.Bias[k] -= row[j] * s.mean[j]
		}
	}
	return l
}
