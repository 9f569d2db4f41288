package dro

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// evals is EVaLS: it trains by ERM, then refits the last layer to the held-out samples with the
// largest and the smallest losses of each class. Samples on which ERM errs are a part of their own
// in the choice of the layer, so nothing needs groups.
func evals() Method {
	return Method{
		Name: "evals",
		Doc: "ERM, then the last layer refitted to the largest and the smallest losses of " +
			"each class",
		Source: "Ghaznavi and others 2024 (arXiv 2410.05345), with the environments of Creager, " +
			"Jacobsen, Zemel 2021 (arXiv 2010.07249) at their optimum; the grid and the " +
			"standardised features are our reading",
		Uses: "labels", CrossEntropy: true, Refits: true,
		New: func(t Task) (Trainer, error) {
			if len(t.Val) == 0 {
				return nil, fmt.Errorf("there is no validation split to fit the last layer to: " +
					"set val_fraction, or use data with a validation split")
			}
			return &evalsTrainer{refitBase{on: FitTo{Split: valSplit, Share: 1}}}, nil
		},
	}
}

type evalsTrainer struct{ refitBase }

// The grid of the choice, our reading: shares of the largest k, and strengths λ of the
// penalty λ‖(W, b)‖₁ beside the mean loss.
var (
	evalsShares  = []float64{1, .5, .25, .125, .0625}
	evalsLambdas = []float64{.1, .03, .01, .003, .001}
)

// Refit implements Refitter. One half of the samples, drawn at random, gives those to fit to: of
// each class the k with the largest and the k with the smallest losses of ERM. The features are
// standardised by that half. With the largest k the smallest class has all its samples, or all but
// one. The other half is divided by class and environment, and the layer with the highest accuracy
// on the worst of these parts is taken, the first of equals.
func (e *evalsTrainer) Refit(
	old Layer, of Splits, seed uint64, between func(Fit) error,
) (to Layer, how string, err error) {
	held, err := of(e.on.Split)
	if err != nil {
		return old, "", err
	}
	other, rest, least, err := e.divide(held, seed)
	if err != nil {
		return old, "", fmt.Errorf("evals: %w", err)
	}
	classes := len(old.Bias)
	losses, _ := old.lossesAndSlopes(&rest)
	_, slopes := old.lossesAndSlopes(&other)
	other.Groups = environments(slopes, other.Labels)
	scale := newStandardiser(rest.rows())
	judging := scale.apply(other)
	best, most := 0, -1.0
	count := fits{Fit{0, len(evalsShares) * len(evalsLambdas)}, between}
	for _, share := range evalsShares {
		k := max(1, int(share*float64(least/2)))
		some := rest.at(extremes(losses, rest.Labels, classes, k))
		rows := scale.apply(some)
		w := make([]float64, classes*(len(rows[0])+1))
		for _, lambda := range evalsLambdas {
			c := 1 / (lambda * float64(len(rows)))
			if err := fitLasso(w, rows, some.Labels, c, classes, count.next()); err != nil {
				return old, "", err
			}
			layer := unflatten(slices.Clone(w), classes)
			if worst := worstGroup(&layer, judging, &other); worst > most {
				best, most, to = len(rows), worst, layer
				how = fmt.Sprintf("the %d largest and the %d smallest losses of each class, with "+
					"L1 at λ = %g", k, k, lambda)
			}
		}
	}
	e.done = true
	return scale.undo(to), fmt.Sprintf("logistic regression on %d of them, %s, the best for the "+
		"worst of ERM's environments in the other half", best, how), nil
}

// CheckHeld implements Refitter.
func (e *evalsTrainer) CheckHeld(held Held, seed uint64) error {
	_, _, _, err := e.divide(held, seed)
	return err
}

// divide divides the samples into the half that judges and the rest, which the layer is fitted to.
// least is the number of samples that the smallest class has in the rest.
func (e *evalsTrainer) divide(held Held, seed uint64) (other, rest Held, least int, err error) {
	other, rest = held.halves(evalsRand(seed))
	if len(other.Labels) == 0 || len(rest.Labels) == 0 {
		return other, rest, 0, fmt.Errorf("the samples of the split %s cannot be halved: %w",
			e.on.Split, errFewKeys)
	}
	class, least := smallestClass(held.Labels, rest.Labels)
	if few := 2; least < few {
		return other, rest, 0, &FewError{class, least, few, fmt.Sprintf("the half of the split "+
			"%s that the last layer is fitted to", e.on.Split)}
	}
	return other, rest, least, nil
}

// evalsRand returns the random numbers of the division into halves.
func evalsRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6576616c73)) }

// lossesAndSlopes returns the cross-entropy of each sample, and its slope in a factor of all
// logits: Σ_k p_k u_k − u_y. The small losses differ to the last digits.
func (l *Layer) lossesAndSlopes(of *Held) (losses, slopes []float64) {
	u := make([]float64, len(l.Bias))
	for i, features := range of.rows() {
		y := of.Labels[i]
		for k := range u {
			u[k] = l.logit(k, features)
		}
		top, rest, mean := slices.Max(u), 0.0, 0.0
		for k, v := range u {
			if k != y {
				rest += math.Exp(v - top)
				mean += math.Exp(v-top) * (v - u[y])
			}
		}
		own := math.Exp(u[y] - top)
		losses = append(losses, math.Log1p(rest/own))
		slopes = append(slopes, mean/(own+rest))
	}
	return losses, slopes
}

// environments numbers the parts of the samples, by class and inferred environment. An environment
// of EIIL maximises ½(A² + B²) over 0 ≤ q ≤ 1, with A = mean q_i s_i, B = mean (1 − q_i) s_i and
// the slopes s. A + B does not depend on q, so this is convex in A, and one end of A's range is the
// maximum: q is 1 exactly where s > 0, or where s < 0, which is the same division. For two classes
// these are ERM's errors.
func environments(slopes []float64, labels []int) []int {
	of := make([]int, len(labels))
	for i, s := range slopes {
		of[i] = 2 * labels[i]
		if s > 0 {
			of[i]++
		}
	}
	return of
}

// extremes returns, of each class, the k samples with the largest losses and the k with the
// smallest. Of equal losses the first counts as the largest. A class with fewer than 2k samples
// does not occur.
func extremes(losses []float64, labels []int, classes, k int) (index []int) {
	byClass := make([][]int, classes)
	for i, y := range labels {
		byClass[y] = append(byClass[y], i)
	}
	for _, list := range byClass {
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(losses[b], losses[a]) })
		index = append(index, list[:k]...)
		index = append(index, list[len(list)-k:]...)
	}
	return index
}

// smallestClass returns the class of all that has the fewest samples among some of them, the first
// of equals, and their number.
func smallestClass(all, some []int) (class, least int) {
	counts := map[int]int{}
	for _, y := range all {
		counts[y] = 0
	}
	for _, y := range some {
		counts[y]++
	}
	class = slices.MinFunc(slices.Sorted(maps.Keys(counts)), func(a, b int) int {
		return cmp.Compare(counts[a], counts[b])
	})
	return class, counts[class]
}
