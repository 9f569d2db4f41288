package dro

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"drolab/dro/testsize"
)

// testGroupDROTrainer returns Group DRO on groups with the given numbers of training samples.
func testGroupDROTrainer(t *testing.T, step float64, samples ...int) *groupDROTrainer {
	t.Helper()
	m, err := Find("group")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, map[string]Auto{"group_step": Fixed(step)})
	start.Groups = samples
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	return trainer.(*groupDROTrainer)
}

// The steps are Algorithm 1 of the source, written out, on batches drawn uniformly over samples,
// some of which lack a group.
func TestGroupDROIsItsAlgorithm(t *testing.T) {
	rng := testRand(61)
	const step = .3
	g := testGroupDROTrainer(t, step, 30, 9, 1)
	q, lacking := []float64{1. / 3, 1. / 3, 1. / 3}, 0
	for range 200 {
		b := Batch{Losses: exponential(rng, 8), Groups: make([]int, 8)}
		var sum, count [3]float64
		for i, l := range b.Losses {
			b.Groups[i] = []int{0, 0, 0, 0, 0, 0, 0, 0, 1, 2}[rng.IntN(10)]
			sum[b.Groups[i]] += l
			count[b.Groups[i]]++
		}
		total := 0.0
		for k := range q {
			if count[k] > 0 {
				q[k] *= math.Exp(step * sum[k] / count[k])
			} else {
				lacking++
			}
			total += q[k]
		}
		for k := range q {
			q[k] /= total
		}
		w := make([]float64, 8)
		g.Before(b)
		g.Weights(w, b)
		for i, k := range b.Groups {
			if want := q[k] / (count[k] / 8); !within(w[i], want, 1e-11) {
				t.Fatalf("weight %v of a sample of group %d, want %v", w[i], k, want)
			}
		}
		if got := reported(g)["group_weight"]; !within(got, slices.Max(q), 1e-11) {
			t.Fatalf("largest weight %v, want %v", got, slices.Max(q))
		}
	}
	if lacking < 100 {
		t.Errorf("only %d times a group was not in a batch", lacking)
	}
}

// The adjustment C/√n_g moves the group weights as a loss larger by that amount would, and changes
// no sample's weight otherwise. Of two methods side by side, one has the adjustment and the other
// is shown the larger losses.
func TestGroupDROAdjusts(t *testing.T) {
	m, err := Find("group")
	if err != nil {
		t.Fatal(err)
	}
	const c = 2.5
	start := task(m, nil, map[string]Auto{"group_adjust": Fixed(c), "group_step": Fixed(.2)})
	start.Groups = []int{30, 9, 4}
	adjusted, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	shown, rng := testGroupDROTrainer(t, .2, 30, 9, 4), testRand(64)
	for range 50 {
		b := testBatch(exponential(rng, 11))
		raised := b
		raised.Losses = slices.Clone(b.Losses)
		for i, g := range b.Groups {
			raised.Losses[i] += c / math.Sqrt([]float64{30, 9, 4}[g])
		}
		got, want := make([]float64, 11), make([]float64, 11)
		adjusted.Before(b)
		shown.Before(raised)
		adjusted.Weights(got, b)
		shown.Weights(want, b)
		for i := range got {
			if !within(got[i], want[i], 1e-12) {
				t.Fatalf("weight %v, want %v", got[i], want[i])
			}
		}
	}
	if q := adjusted.(*groupDROTrainer).q; q[2] < q[0]*1.1 {
		t.Errorf("q %v: the rare group gained nothing", q)
	}
}

// A group of fewer than ten samples is to be merged: drawn as often as the others, its few samples
// would make a good part of every batch.
func TestGroupDROAdvice(t *testing.T) {
	for _, c := range []struct {
		samples []int
		alike   bool
		want    string
	}{
		{[]int{3000, 1}, false, "merge groups, for the smallest has a size of 1, or raise batch"},
		{[]int{3000, 9, 40}, false,
			"merge groups, for the smallest has a size of 9, or raise batch"},
		{[]int{3000, 10, 0}, false,
			"sampler=groups draws each group equally often, or raise batch"},
		{[]int{1000, 1000, 1000}, true, "raise batch"},
	} {
		g := testGroupDROTrainer(t, .1, c.samples...)
		g.alike = c.alike
		g.Before(Batch{Losses: make([]float64, 8), Groups: make([]int, 8)})
		if got := g.Warning(); !strings.HasSuffix(got, "stays: "+c.want) {
			t.Errorf("%v, alike %v: %q, want %q", c.samples, c.alike, got, c.want)
		}
	}
}

// The warning comes where more than a twentieth of batches lack a group, counted over drawn
// batches. The method's probability that a batch lacks the one rare group agrees with that count.
func TestGroupDROWarnsOfBatchesThatLackAGroup(t *testing.T) {
	for _, c := range []struct {
		batch   int
		alike   bool
		samples []int
	}{
		{8, false, []int{30, 9, 1}}, {8, true, []int{30, 9, 1}}, {4, true, []int{30, 9, 1}},
		{30, false, []int{30, 10}}, {5, false, []int{30, 20, 0}}, {39, false, []int{30, 9, 1}},
		{40, false, []int{30, 9, 1}},
	} {
		g := testGroupDROTrainer(t, .1, c.samples...)
		g.alike = c.alike
		if g.Warning() != "" {
			t.Error("a warning before the first batch")
		}
		b := Batch{Losses: make([]float64, c.batch), Groups: make([]int, c.batch)}
		g.Before(b)
		var of, there []int
		for k, n := range c.samples {
			of = append(of, slices.Repeat([]int{k}, n)...)
			if n > 0 {
				there = append(there, k)
			}
		}
		rng, lacking := testRand(65), 0.0
		const trials = 20_000
		for range trials {
			seen := map[int]bool{}
			for i := range c.batch {
				if c.alike {
					seen[there[rng.IntN(len(there))]] = true
					continue
				}
				j := i + rng.IntN(len(of)-i)
				of[i], of[j] = of[j], of[i]
				seen[of[i]] = true
			}
			if len(seen) < len(there) {
				lacking += 1. / trials
			}
		}
		if warned := g.Warning() != ""; warned != (lacking > maxLackingShare) {
			t.Errorf("%+v: %.3f of the batches lack a group: %q", c, lacking, g.Warning())
		}
		if last := len(c.samples) - 1; len(there) == 3 && !c.alike {
			if p := g.lacks(c.samples[last]); math.Abs(p-lacking) > .02+p/10 {
				t.Errorf("%+v: the rare group lacks in %.3f, all in %.3f", c, p, lacking)
			}
		}
	}
}

// A share of exactly a twentieth is still without a warning.
func TestGroupDROToleratesATwentieth(t *testing.T) {
	g := testGroupDROTrainer(t, .1, 23, 2)
	g.Before(Batch{Losses: make([]float64, 19), Groups: make([]int, 19)})
	if p := g.lacks(23) + g.lacks(2); p != maxLackingShare || g.Warning() != "" {
		t.Errorf("%v of the batches lack a group, and %v are tolerated: %q", p, maxLackingShare,
			g.Warning())
	}
}

// The weights over the training split as one batch are n times the derivatives of Σ_g q_g mean_g ℓ.
func TestGroupDROsWeightsOfTheSplitAreAGradient(t *testing.T) {
	rng := testRand(62)
	groups := slices.Concat(slices.Repeat([]int{2}, 5), slices.Repeat([]int{0}, 17),
		slices.Repeat([]int{1}, 8))
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	losses, n := exponential(rng, 30), 30
	g := testGroupDROTrainer(t, .5, 17, 8, 5)
	g.Before(Batch{Losses: losses[:7], Groups: groups[:7]})
	objective := func() (f float64) {
		for k, samples := range []float64{17, 8, 5} {
			for i, l := range losses {
				if groups[i] == k {
					f += math.Exp(g.State().Numbers[fmt.Sprintf("log_q%d", k)]) * l / samples
				}
			}
		}
		return f
	}
	w := make([]float64, n)
	g.Weights(w, Batch{Losses: losses, Groups: groups})
	for i, at := range losses {
		losses[i] = at + 1e-3
		up := objective()
		losses[i] = at - 1e-3
		if want := float64(n) * (up - objective()) / 2e-3; !within(w[i], want, 1e-9) {
			t.Errorf("weight %d is %v, the finite difference %v", i, w[i], want)
		}
		losses[i] = at
	}
}

// A group comes back even if it had no loss for so long that its q is below the smallest float64. A
// group without training samples has no part in q.
func TestGroupDROAtTheEdges(t *testing.T) {
	g := testGroupDROTrainer(t, 1000, 20, 0, 20)
	if got := reported(g)["group_weight"]; !within(got, .5, 1e-15) {
		t.Errorf("largest of two weights at the start %v, want 1/2", got)
	}
	w := make([]float64, 2)
	for _, c := range []struct{ losses, weights []float64 }{
		{[]float64{9, 0}, []float64{2, 0}}, {[]float64{0, 9}, []float64{1, 1}},
		{[]float64{0, 9}, []float64{0, 2}},
	} {
		b := Batch{Losses: c.losses, Groups: []int{0, 2}}
		g.Before(b)
		if g.Weights(w, b); !slices.Equal(w, c.weights) {
			t.Errorf("losses %v: weights %v, want %v", c.losses, w, c.weights)
		}
	}
	if _, err := newGroupDROTrainer(Task{Groups: []int{0, 0}}); err == nil {
		t.Error("groups without a sample were taken")
	}
}

// points returns a problem in one dimension: the squared distance to the samples, which lie at
// centre ± spread of their group.
func points(counts []int, centres, spreads []float64) *regressionProblem {
	l := &regressionProblem{loss: square}
	for k, n := range counts {
		for i := range n {
			sign := float64(1 - i%2*2)
			l.a, l.y = append(l.a, []float64{1}), append(l.y, centres[k]+sign*spreads[k])
			l.groups = append(l.groups, k)
		}
	}
	return l
}

// With full batches, Group DRO finds the point where the worst group's loss ((x − c_g)² + s_g²)/2
// is least, and the weights that make it stationary. One group has 90 samples, the other 10.
func TestGroupDROReachesTheLeastWorstGroupLoss(t *testing.T) {
	for _, c := range []struct {
		name    string
		spreads []float64
		x, q1   float64
	}{
		{"equal: the midrange", []float64{.5, .5}, 1, .5},
		// (x² + s0²) = (x − 2)² + s1² at x = 1 + (s1² − s0²)/4, and 2 q1 = x
		{"unequal: where the losses are equal", []float64{.2, 1}, 1.24, .62},
		{"one group is worse everywhere between", []float64{0, 3}, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := points([]int{90, 10}, []float64{0, 2}, c.spreads)
			g := testGroupDROTrainer(t, .05, 90, 10)
			x := []float64{0}
			l.walk(g, x, 4000, .05, 0, l.all)
			if q := g.q[1]; math.Abs(x[0]-c.x) > 1e-6 || math.Abs(q-c.q1) > 1e-6 {
				t.Errorf("%s: x = %v and q = %v, want %v and %v", c.name, x[0], q, c.x, c.q1)
			}
		})
	}
}

// Batches drawn uniformly over samples sometimes lack a rare group, which then neither gains weight
// nor pulls at x: with P_g the probability that g is in a batch, log q_g drifts with P_g ℓ_g. So
// Group DRO does not converge to the least worst group loss here, but hovers about the x where P_0
// ℓ_0 = P_1 ℓ_1. That x is .74 with batches of 4, a third of which has one of the 10 in 100. It is
// 1 with batches that nearly always have one. (The source draws a group first, then a sample of
// it.)
func TestGroupDROWithRareGroupsIsBiased(t *testing.T) {
	testsize.NotShort(t, "takes 40,000 steps, as TestAlgorithmsReachTheOptimum does in small")
	l := points([]int{90, 10}, []float64{0, 2}, []float64{0, 0})
	for _, batch := range []int{4, 64} {
		rng := rand.New(rand.NewPCG(63, 1))
		index := make([]int, batch)
		draw := func() []int {
			for i := range index {
				index[i] = rng.IntN(100)
			}
			return index
		}
		g, x, mean := testGroupDROTrainer(t, .01, 90, 10), []float64{0}, 0.0
		l.walk(g, x, 2000, .01, 0, draw)
		const steps = 40_000
		for range steps {
			l.walk(g, x, 1, .01, 0, draw)
			mean += x[0] / steps
		}
		rare := math.Sqrt(1 - math.Pow(.9, float64(batch))) // √P_1; √P_0 is 1
		if want := 2 * rare / (1 + rare); math.Abs(mean-want) > .01 {
			t.Errorf("batches of %d: x about %v, want %v", batch, mean, want)
		}
	}
}
