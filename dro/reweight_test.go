package dro

import (
	"math"
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
