package dro

import (
	"fmt"
	"math"
	"slices"
)

// groupDRO is Group DRO, Algorithm 1 of its paper: exponentiated gradient ascent on the weights q
// of the groups. The setting sampler decides how batches are drawn, as for every method. Batches
// that are uniform over samples sometimes lack a rare group: a warning says so, and math.md §5 has
// the cost. Batches by groups are those of the source. Where no groups are given, the classes are
// the groups.
func groupDRO() Method {
	return Method{
		Name: "group", Doc: "Group DRO: weights of the groups by exponentiated gradient",
		Source: "Sagawa, Koh, Hashimoto, Liang 2020 (arXiv 1911.08731), Algorithm 1; batches " +
			"are uniform over samples or, with sampler: groups, as in the authors' code",
		Uses: "groups", GroupsOf: groupsOfTrain,
		Settings: []Setting{
			{Key: "group_step", Doc: "step size of Group DRO's weights, η_q",
				Default: Fixed(.01), Want: "a number > 0", Check: above0, Live: true},
			{Key: "group_adjust", Doc: "C in C/√n_g, which is added to the loss of a group " +
				"with n_g samples when it is weighed",
				Want: "a number ≥ 0", Default: Fixed(0),
				Check: func(x float64) bool { return x >= 0 }},
		},
		Measures: []Measure{{Name: "group_weight", Title: "largest group weight", Scale: Percent,
			Doc: "the largest q_g of Group DRO, after the step; the weights sum to 1"}},
		New: func(t Task) (Trainer, error) { return newGroupDROTrainer(t) },
	}
}

// groupDROTrainer holds q, one weight for each group. The weights sum to 1, and a group without
// training samples has none. The state is log q: a weight that falls below the smallest float64
// comes back when its group's losses rise.
type groupDROTrainer struct {
	Base
	step    float64
	adjust  []float64 // C/√n_g
	q, logs []float64
	sums    []float64 // sums of the batch's losses, by group
	counts  []float64 // numbers of the batch's samples, by group
	split   []int     // training samples of each group
	alike   bool      // batches draw the groups equally often
	batch   int       // size of the first batch; 0 before it
	warning string    // that batches of this size lack a group, if they do
}

func newGroupDROTrainer(t Task) (*groupDROTrainer, error) {
	n := len(t.Groups)
	if n == 0 || slices.Max(t.Groups) == 0 {
		return nil, fmt.Errorf("algorithm group: the data have no groups")
	}
	g := &groupDROTrainer{
		step: t.Number("group_step"), split: t.Groups, alike: t.ByGroup,
		adjust: make([]float64, n),
		q:      make([]float64, n), logs: make([]float64, n),
		sums: make([]float64, n), counts: make([]float64, n),
	}
	for i, samples := range t.Groups {
		if samples == 0 {
			g.logs[i] = math.Inf(-1)
			continue
		}
		g.adjust[i] = t.Number("group_adjust") / math.Sqrt(float64(samples))
	}
	g.normalise()
	return g, nil
}

// normalise makes the weights sum to 1. It first subtracts the largest logarithm, so that nothing
// overflows.
func (g *groupDROTrainer) normalise() {
	most, total := slices.Max(g.logs), 0.0
	for _, l := range g.logs {
		total += math.Exp(l - most)
	}
	all := most + math.Log(total)
	for i := range g.logs {
		g.logs[i] -= all
		g.q[i] = math.Exp(g.logs[i])
	}
}

// count sums the losses and counts the samples of the batch, by group.
func (g *groupDROTrainer) count(b Batch) {
	clear(g.sums)
	clear(g.counts)
	for i, l := range b.Losses {
		g.sums[b.Groups[i]] += l
		g.counts[b.Groups[i]]++
	}
}

// Before implements Trainer: q_g ← q_g exp(η_q (ℓ̄_g + C/√n_g)) for the groups in the batch. The
// other groups keep their weights, as in Algorithm 1, where the authors' code gives them C/√n_g;
// then all weights are normalised.
func (g *groupDROTrainer) Before(b Batch) {
	if g.batch == 0 {
		g.batch = len(b.Losses)
		g.warning = g.rareGroups()
	}
	g.count(b)
	for i, n := range g.counts {
		if n > 0 {
			g.logs[i] += g.step*g.sums[i]/n + g.step*g.adjust[i]
		}
	}
	g.normalise()
}

// Weights implements Trainer. A sample of group g weighs q_g divided by the share of g in the
// batch.
func (g *groupDROTrainer) Weights(w []float64, b Batch) {
	g.count(b)
	n := float64(len(b.Losses))
	for i := range b.Losses {
		k := b.Groups[i]
		w[i] = g.q[k] * n / g.counts[k]
	}
}

// Report implements Trainer.
func (g *groupDROTrainer) Report(record func(string, float64)) {
	record("group_weight", slices.Max(g.q))
}

// maxLackingShare is the largest share of batches that may lack a group without a warning.
const maxLackingShare = .05

// Warning implements Warner.
func (g *groupDROTrainer) Warning() string { return g.warning }

// rareGroups returns a warning if batches lack a group too often. It adds up, over the groups, the
// probability that a batch lacks the group. The sum bounds the probability that a batch lacks any
// group, and is close to it where it is small.
func (g *groupDROTrainer) rareGroups() string {
	const few = 10 // samples of a group, which would be drawn over and over
	lacking, smallest := 0.0, math.MaxInt
	for _, samples := range g.split {
		if samples > 0 {
			lacking += g.lacks(samples)
			smallest = min(smallest, samples)
		}
	}
	if lacking <= maxLackingShare {
		return ""
	}
	cure := "sampler=groups draws each group equally often, or raise batch"
	switch {
	case g.alike:
		cure = "raise batch"
	case smallest < few:
		cure = fmt.Sprintf("merge groups, for the smallest has a size of %d, or raise batch",
			smallest)
	}
	return fmt.Sprintf("up to %.0f %% of the batches of %d lack a group, whose weight then "+
		"stays: %s", 100*min(1, lacking), g.batch, cure)
}

// lacks returns the probability that a batch has no sample of a group with the given number of
// samples. The batches of an epoch are drawn without replacement, batches by groups with
// replacement.
func (g *groupDROTrainer) lacks(samples int) float64 {
	all, there := 0, 0
	for _, n := range g.split {
		all += n
		if n > 0 {
			there++
		}
	}
	if g.alike {
		return math.Pow(1-1/float64(there), float64(g.batch))
	}
	p := 1.0
	for i := range g.batch {
		p *= max(0, float64(all-samples-i)/float64(all-i))
	}
	return p
}

func weightName(group int) string { return fmt.Sprintf("log_q%d", group) }

// State implements Trainer.
func (g *groupDROTrainer) State() State {
	s := State{Numbers: map[string]float64{}}
	for i, samples := range g.split {
		if samples > 0 {
			s.Numbers[weightName(i)] = g.logs[i]
		}
	}
	return s
}

// Restore implements Trainer.
func (g *groupDROTrainer) Restore(s State) error {
	for i, samples := range g.split {
		if samples == 0 {
			continue
		}
		v, err := s.numbers(weightName(i))
		if err != nil {
			return err
		}
		g.logs[i], g.q[i] = v[0], math.Exp(v[0])
	}
	return nil
}

// Form implements Trainer.
func (g *groupDROTrainer) Form(into []float64) Form {
	numbers := append(append(append(into, g.step), g.logs...), g.adjust...)
	return Form{Kind: FormGroups, Numbers: numbers}
}
