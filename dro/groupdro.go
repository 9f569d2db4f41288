package dro

import (
	"fmt"
	"math"
)

// groupDRO is Group DRO, Algorithm 1 of its paper: exponentiated gradient
// ascent on the groups' weights q, with batches drawn uniformly over samples as
// for every method here. Where no groups are given, the classes are the groups.
func groupDRO() Method {
	return Method{
		Name: "group", Doc: "Group DRO: weights of the groups by exponentiated gradient",
		Source: "Sagawa, Koh, Hashimoto, Liang 2020 (arXiv 1911.08731), Algorithm 1, batches uniform over samples",
		Groups: true,
		Settings: []Setting{{Key: "group_step", Doc: "step size of Group DRO's weights, η_q", Default: Fixed(.01),
			Want: "a number > 0", Check: above0, Live: true}},
		Measures: []Measure{{Name: "group_weight", Title: "largest group weight", Scale: Percent,
			Doc: "the largest q_g of Group DRO, after the step; the weights sum to 1"}},
		New: func(t Task) (Trainer, error) { return newGroupWeights(t) },
	}
}

// groupWeights holds q, one weight a group, summing to 1.
type groupWeights struct {
	Base
	step   float64
	q      []float64
	sums   []float64 // of the batch's losses, by group
	counts []float64 // of its samples
	split  []int     // training samples of each group
}

func newGroupWeights(t Task) (*groupWeights, error) {
	n := len(t.Groups)
	if n == 0 {
		return nil, fmt.Errorf("algorithm group: the data have no groups")
	}
	g := &groupWeights{step: t.Number("group_step"), q: make([]float64, n), sums: make([]float64, n), counts: make([]float64, n),
		split: t.Groups}
	fill(g.q, 1/float64(n))
	return g, nil
}

// count adds up the batch by group.
func (g *groupWeights) count(b Batch) {
	clear(g.sums)
	clear(g.counts)
	for i, l := range b.Losses {
		g.sums[b.Groups[i]] += l
		g.counts[b.Groups[i]]++
	}
}

// Before implements Trainer: q_g ← q_g exp(η_q ℓ̄_g) for the groups in the
// batch, the others keep theirs, then all are normalised. The largest exponent
// is taken off first, which the normalisation takes back: no overflow. What is
// not in the batch has the exponent 0.
func (g *groupWeights) Before(b Batch) {
	g.count(b)
	most := 0.0
	for i, n := range g.counts {
		if n > 0 {
			most = math.Max(most, g.step*g.sums[i]/n)
		}
	}
	total := 0.0
	for i, n := range g.counts {
		exponent := 0.0
		if n > 0 {
			exponent = g.step * g.sums[i] / n
		}
		g.q[i] *= math.Exp(exponent - most)
		total += g.q[i]
	}
	for i := range g.q {
		g.q[i] /= total
	}
}

// Weights implements Trainer: q_g over the share of g in the batch.
func (g *groupWeights) Weights(w []float64, b Batch) {
	g.count(b)
	n := float64(len(b.Losses))
	for i := range b.Losses {
		k := b.Groups[i]
		w[i] = g.q[k] * n / g.counts[k]
	}
}

// SplitWeights implements Wide: q_g over the share of g in the training split.
func (g *groupWeights) SplitWeights(w []float64, b Batch) {
	n := 0
	for _, count := range g.split {
		n += count
	}
	for i, k := range b.Groups {
		w[i] = g.q[k] * float64(n) / float64(g.split[k])
	}
}

// Report implements Trainer.
func (g *groupWeights) Report(put func(string, float64)) {
	most := 0.0
	for _, q := range g.q {
		most = math.Max(most, q)
	}
	put("group_weight", most)
}

func weightName(group int) string { return fmt.Sprintf("q%d", group) }

// State implements Trainer.
func (g *groupWeights) State() State {
	s := State{Numbers: map[string]float64{}}
	for i, q := range g.q {
		s.Numbers[weightName(i)] = q
	}
	return s
}

// Restore implements Trainer.
func (g *groupWeights) Restore(s State) error {
	for i := range g.q {
		v, err := s.numbers(weightName(i))
		if err != nil {
			return err
		}
		g.q[i] = v[0]
	}
	return nil
}
