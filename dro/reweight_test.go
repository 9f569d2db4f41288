package dro

import (
	"math"
	"math/big"
	"testing"
)

// weightsOn returns the weight of a sample of each group; samples holds the sizes of the groups.
func weightsOn(t *testing.T, name Algorithm, settings map[string]Auto, samples ...int) []float64 {
	t.Helper()
	m, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, settings)
	start.Groups = samples
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, len(samples))
	trainer.Weights(w, Batch{Losses: make([]float64, len(samples)), Groups: indices(len(samples))})
	return w
}

// The reweighted mean loss of the training split is the mean, over the groups that have samples, of
// the groups' mean losses.
func TestReweightIsTheMeanOverGroups(t *testing.T) {
	rng := testRand(86)
	samples := []int{50, 0, 3, 200}
	w := weightsOn(t, "reweight", nil, samples...)
	var mean, byGroup, n float64
	for g, count := range samples {
		var sum float64
		for _, l := range exponential(rng, count) {
			mean += w[g] * l
			sum += l
			n++
		}
		if count > 0 {
			byGroup += sum / float64(count) / 3
		}
	}
	if !within(mean/n, byGroup, 1e-14) {
		t.Errorf("weighted mean %v, mean over groups %v", mean/n, byGroup)
	}
	if want := 253. / 3 / 50; !within(w[0], want, 1e-15) {
		t.Errorf("weight %v, N/(G n_g) is %v", w[0], want)
	}
}

// The weights agree with the source's formula at 200 binary digits, with 1 − β^n by multiplication,
// also at counts and β where float64 loses all its digits.
func TestBalancedIsItsFormula(t *testing.T) {
	for _, beta := range []float64{1e-12, .5, .9, .9999, 1 - 1e-9, math.Nextafter(1, 0)} {
		for _, samples := range [][]int{{1, 2}, {1, 0, 5000}, {7, 30, 400}} {
			w := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(beta)},
				samples...)
			exact := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
			each := make([]*big.Float, len(samples))
			total, n := exact(0), 0
			for g, count := range samples {
				if count == 0 {
					continue
				}
				power := exact(1)
				for range count {
					power.Mul(power, exact(beta))
				}
				one := exact(1)
				each[g] = exact(0).Quo(exact(0).Sub(one, exact(beta)), one.Sub(one, power))
				total.Add(total, exact(0).Mul(each[g], exact(float64(count))))
				n += count
			}
			for g := range samples {
				if each[g] == nil {
					continue
				}
				want, _ := each[g].Mul(each[g], exact(float64(n))).Quo(each[g], total).Float64()
				if !within(w[g], want, 1e-12) {
					t.Errorf("β = %v, %v: weight %d is %v, want %v", beta, samples, g, w[g], want)
				}
			}
		}
	}
}

// At the ends of β, balanced is the mean loss and the mean over groups.
func TestBalancedIsBetweenERMAndReweight(t *testing.T) {
	samples := []int{1000, 10, 1}
	uniform := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(1e-15)}, samples...)
	inverse := weightsOn(t, "balanced", map[string]Auto{"beta_effective": Fixed(1 - 1e-13)},
		samples...)
	want := weightsOn(t, "reweight", nil, samples...)
	for g := range samples {
		if !within(uniform[g], 1, 1e-12) || !within(inverse[g], want[g], 1e-9) {
			t.Errorf("group %d: %v at β → 0, %v at β → 1, reweight %v", g, uniform[g],
				inverse[g], want[g])
		}
	}
}

func TestGroupWeightsNeedSamples(t *testing.T) {
	for _, name := range []Algorithm{"reweight", "balanced"} {
		m, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		start := task(m, nil, nil)
		start.Groups = []int{0, 0}
		if _, err := m.New(start); err == nil {
			t.Errorf("%s took groups without a sample", name)
		}
	}
}

// With full batches, the methods come to the minimum of their weighted mean, which is the weighted
// mean of the points for squared distances.
func TestReweightReachesTheWeightedMean(t *testing.T) {
	l := points([]int{90, 10}, []float64{0, 2}, []float64{.5, 1})
	// E_90 = (1 − .9^90)/.1, E_10 = (1 − .9^10)/.1: each group pulls with n/E_n
	many, few := 90/(1-math.Pow(.9, 90)), 10/(1-math.Pow(.9, 10))
	for _, c := range []struct {
		name Algorithm
		x    float64
	}{
		{"reweight", 1}, // halfway

		{"balanced", 2 * few / (few + many)},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			m, err := Find(c.name)
			if err != nil {
				t.Fatal(err)
			}
			start := task(m, nil, map[string]Auto{"beta_effective": Fixed(.9)})
			start.Groups = []int{90, 10}
			trainer, err := m.New(start)
			if err != nil {
				t.Fatal(err)
			}
			x := []float64{0}
			l.walk(trainer, x, 500, .1, 0, l.all)
			if math.Abs(x[0]-c.x) > 1e-9 {
				t.Errorf("%s: x = %v, want %v", c.name, x[0], c.x)
			}
		})
	}
}
