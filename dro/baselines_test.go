package dro

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
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

// The weights are the derivatives of (1 − e^{−ℓ})^γ ℓ, by finite differences of
// the source's form −(1 − p)^γ log p.
func TestFocalWeightsAreItsDerivative(t *testing.T) {
	for _, gamma := range []float64{1, 1.5, 2, 5} {
		trainer := newTrainer(t, "focal", nil, map[string]Auto{"focal_gamma": Fixed(gamma)})
		loss := func(l float64) float64 {
			p := math.Exp(-l)
			return -math.Pow(1-p, gamma) * math.Log(p)
		}
		losses, sum := []float64{.01, .3, 1, 2.3, 6, 12}, 0.0
		w := make([]float64, len(losses))
		trainer.Weights(w, Batch{Losses: losses})
		for i, l := range losses {
			h := 1e-5 * l
			if want := (loss(l+h) - loss(l-h)) / (2 * h); math.Abs(w[i]-want) > 1e-7 {
				t.Errorf("γ = %v, ℓ = %v: weight %v, the finite difference %v", gamma, l,
					w[i], want)
			}
			sum += loss(l) / float64(len(losses))
		}
		if got := reported(trainer)["focal_loss"]; !within(got, sum, 1e-12) {
			t.Errorf("γ = %v: loss %v, want %v", gamma, got, sum)
		}
	}
}

// A sample without loss weighs nothing, for every γ; a sample with a huge loss weighs as in ERM.
// Where 1 − e^{−ℓ} would cancel, the weight is (1 + γ) ℓ^γ.
func TestFocalAtTheEdges(t *testing.T) {
	for _, gamma := range []float64{1, 2, 3.5} {
		trainer := newTrainer(t, "focal", nil, map[string]Auto{"focal_gamma": Fixed(gamma)})
		w := make([]float64, 3)
		trainer.Weights(w, Batch{Losses: []float64{0, 1e-20, 1e4}})
		if w[0] != 0 || w[2] != 1 || !within(w[1], (1+gamma)*math.Pow(1e-20, gamma), 1e-12) {
			t.Errorf("γ = %v: weights %v", gamma, w)
		}
	}
}

// On logistic losses, focal converges to a point where the finite-difference gradient of its own
// mean loss is 0. That point is not ERM's.
func TestFocalReachesAStationaryPoint(t *testing.T) {
	l := newLeast(testRand(87), 100, 2, logistic,
		func(m float64) float64 { return math.Copysign(1, m) })
	trainer := newTrainer(t, "focal", nil, nil)
	x, erm := make([]float64, 2), make([]float64, 2)
	l.walk(trainer, x, 20_000, .5, 0, l.all)
	l.walk(newTrainer(t, ERM, nil, nil), erm, 20_000, .5, 0, l.all)
	objective := func(x []float64) (f float64) {
		values, slopes := make([]float64, 100), make([]float64, 100)
		l.losses(values, slopes, x, l.all())
		for _, v := range values {
			f += math.Pow(1-math.Exp(-v), 2) * v / 100
		}
		return f
	}
	for c, at := range x {
		x[c] = at + 1e-5
		up := objective(x)
		x[c] = at - 1e-5
		if slope := (up - objective(x)) / 2e-5; math.Abs(slope) > 1e-8 {
			t.Errorf("slope %d is %v", c, slope)
		}
		x[c] = at
	}
	if objective(x) >= objective(erm)-1e-4 {
		t.Errorf("focal loss %v, at ERM's x %v", objective(x), objective(erm))
	}
}

// The tilted loss is the penalised problem of KL at λ = 1/t with the best η, whose exact solver
// computes the weights and the value independently.
func TestTiltedIsThePenalisedProblemOfKL(t *testing.T) {
	rng := testRand(88)
	for _, tilt := range []float64{.01, 1, 30} {
		trainer := newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(tilt)})
		for _, n := range []int{1, 2, 50} {
			losses := exponential(rng, n)
			w, want := make([]float64, n), make([]float64, n)
			worst, err := Penalised(KL{}, want, losses, 1/tilt)
			if err != nil {
				t.Fatal(err)
			}
			trainer.Weights(w, Batch{Losses: losses})
			for i := range w {
				if math.Abs(w[i]-want[i]) > 1e-9*(1+want[i]) {
					t.Errorf("t = %v, n = %d: weight %d is %v, want %v", tilt, n, i, w[i], want[i])
				}
			}
			got := reported(trainer)
			if value := worst.Risk - worst.Divergence/tilt; !within(got["tilted_loss"],
				value, 1e-9) ||
				!within(got["effective_batch"], worst.EffectiveSampleSize, 1e-9) {
				t.Errorf("t = %v, n = %d: %v, want %v and %v", tilt, n, got, value,
					worst.EffectiveSampleSize)
			}
		}
	}
}

// The weights stay exact for losses whose exponentials overflow or vanish.
func TestTiltedIsStable(t *testing.T) {
	trainer := newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(100)})
	w := make([]float64, 4)
	for _, base := range []float64{0, 1e6} {
		trainer.Weights(w, Batch{Losses: []float64{base, base + 1e4, base + 1e4, base + 5e3}})
		if !slices.Equal(w, []float64{0, 2, 2, 0}) {
			t.Errorf("from %v: weights %v, want 0 2 2 0", base, w)
		}
		got, want := reported(trainer)["tilted_loss"], base+1e4-math.Log(2)/100
		if !within(got, want, 1e-12) {
			t.Errorf("from %v: tilted loss %v, want %v", base, got, want)
		}
	}
}

// With full batches, the method comes to the minimum of the tilted loss, where finite differences
// of log-sum-exp vanish. It lies between the mean of the points, at .2, and the middle of the
// outermost points, at .75.
func TestTiltedReachesTheOptimum(t *testing.T) {
	l := points([]int{90, 10}, []float64{0, 2}, []float64{.5, 0})
	before := .2
	for _, tilt := range []float64{1e-6, .5, 2, 20} {
		x := []float64{0}
		l.walk(newTrainer(t, "tilted", nil, map[string]Auto{"tilt": Fixed(tilt)}), x, 4000, .05,
			0, l.all)
		objective := func(x float64) float64 {
			values, slopes, sum := make([]float64, 100), make([]float64, 100), 0.0
			l.losses(values, slopes, []float64{x}, l.all())
			for _, v := range values {
				sum += math.Exp(tilt*v) / 100
			}
			return math.Log(sum) / tilt
		}
		if slope := (objective(x[0]+1e-3) - objective(x[0]-1e-3)) / 2e-3; math.Abs(slope) > 1e-5 {
			t.Errorf("t = %v: x = %v, where the slope is %v", tilt, x[0], slope)
		}
		if x[0] < before-1e-6 || x[0] > .75 {
			t.Errorf("t = %v: x = %v, want more than at the tilt before, %v, and below .75", tilt,
				x[0], before)
		}
		before = x[0]
	}
}

func doroTrainer(t *testing.T, p *Problem, epsilon float64) *trimmed {
	t.Helper()
	return newTrainer(t, "doro", p, map[string]Auto{"doro_epsilon": Fixed(epsilon)}).(*trimmed)
}

// doroObjective returns the source's F(θ, η) = c (mean (ℓ − η)₊^β)^{1/β} + η over the losses that
// are left, minimised over η by golden section. It uses none of this package's sets and solvers.
func doroObjective(losses []float64, epsilon float64, rho, mu float64) float64 {
	sorted := slices.Clone(losses)
	slices.Sort(sorted)
	rest := sorted[:len(sorted)-int(epsilon*float64(len(sorted)))]
	f := func(eta float64) float64 {
		sum := 0.0
		for _, l := range rest {
			u := max(0, l-eta)
			if mu == 0 {
				u *= u
			}
			sum += u
		}
		if sum /= float64(len(rest)); mu > 0 {
			return sum/mu + eta
		}
		return math.Sqrt((1+2*rho)*sum) + eta
	}
	lo, hi := -20.0, rest[len(rest)-1]
	for range 200 {
		a, b := hi-(hi-lo)/math.Phi, lo+(hi-lo)/math.Phi
		if f(a) < f(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return f((lo + hi) / 2)
}

// The weights are n times the derivatives of the source's objective, and 0 for outliers.
func TestDOROIsItsAlgorithm(t *testing.T) {
	rng := testRand(91)
	for _, c := range []struct{ epsilon, rho, mu float64 }{
		{.1, .3, 0}, {.3, 1, 0}, {0, .3, 0}, {.1, 0, .23}, {.25, 0, .5},
	} {
		p := &Problem{Set: CressieRead{2}, Rho: c.rho, Coordinates: Unshifted}
		if c.mu > 0 {
			p = &Problem{Set: CVaR{c.mu}, Rho: 1, Coordinates: Unshifted}
		}
		p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .1, 10)
		const n = 37
		d, losses, w := doroTrainer(t, p, c.epsilon), exponential(rng, n), make([]float64, n)
		d.Weights(w, Batch{Losses: losses})
		risk := doroObjective(losses, c.epsilon, c.rho, c.mu)
		if got := reported(d)["batch_risk"]; !within(got, risk, 1e-9) {
			t.Errorf("%+v: risk %v, want %v", c, got, risk)
		}
		for i, at := range losses {
			h := min(1e-5, at/2)
			losses[i] = at + h
			up := doroObjective(losses, c.epsilon, c.rho, c.mu)
			losses[i] = at - h
			slope := n * (up - doroObjective(losses, c.epsilon, c.rho, c.mu)) / (2 * h)
			losses[i] = at
			if math.Abs(slope-w[i]) > 1e-3*(1+w[i]) {
				t.Errorf("%+v: weight %d is %v, the finite difference %v", c, i, w[i], slope)
			}
		}
		if zero := slices.Index(losses, slices.Max(losses)); (w[zero] == 0) != (c.epsilon > 0) {
			t.Errorf("%+v: the largest loss weighs %v", c, w[zero])
		}
	}
}

// With full batches, and a share ε of outliers far from the other samples, the optimum is the least
// R_ρ of the other samples alone.
func TestDOROReachesTheOptimumWithoutOutliers(t *testing.T) {
	clean := newLeast(testRand(92), 90, 2, square, func(m float64) float64 { return m })
	whole := *clean
	for i := range 10 {
		whole.a = append(slices.Clip(whole.a), []float64{0, .1})
		whole.y = append(slices.Clip(whole.y), float64(50+i))
	}
	for _, set := range []Set{CressieRead{2}, KL{}} {
		p := Problem{Set: set, Rho: .3, Coordinates: Unshifted}
		p.Box = DefaultBox(set, p.Rho, Unshifted, .01, 10)
		x := make([]float64, 2)
		whole.walk(doroTrainer(t, &p, .1), x, 3000, .05, 0, whole.all)
		ratios, values, slopes := make([]float64, 90), make([]float64, 90), make([]float64, 90)
		got := clean.risk(t, set, p.Rho, x, ratios, values, slopes, clean.all()).Risk
		if want := clean.best(t, set, p.Rho, 2).Risk; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: R of the clean samples %v, the minimum is %v", &p, got, want)
		}
	}
}

// Among equal losses, as many are left out as among different ones. A loss that is NaN breaks the
// run. Where ε leaves out nothing, a warning says so.
func TestDOROAtTheEdges(t *testing.T) {
	d, w := doroTrainer(t, testProblems(.4)[0], .5), make([]float64, 4)
	d.Weights(w, Batch{Losses: []float64{1, 1, 1, 1}})
	if !slices.Equal(w, []float64{0, 0, 2, 2}) || d.Warning() != "" {
		t.Errorf("equal losses weigh %v, warning %q", w, d.Warning())
	}
	d.Weights(w, Batch{Losses: []float64{1, math.NaN(), 1, 1}})
	if !math.IsNaN(w[0]) || !math.IsNaN(w[3]) {
		t.Errorf("weights %v with a loss that is NaN", w)
	}
	d.Weights(w, Batch{Losses: []float64{3}})
	if w[0] != 1 || !strings.Contains(d.Warning(), "doro_epsilon") {
		t.Errorf("a batch of one: weights %v, warning %q", w, d.Warning())
	}
}

// jttOf returns Just Train Twice on the given number of training samples, with jtt_epochs 3.
func jttOf(t *testing.T, samples int, up float64) *twice {
	t.Helper()
	m, err := Find("jtt")
	if err != nil {
		t.Fatal(err)
	}
	start := task(m, nil, map[string]Auto{"jtt_epochs": Fixed(3), "jtt_up": Fixed(up)})
	start.Samples = samples
	trainer, err := m.New(start)
	if err != nil {
		t.Fatal(err)
	}
	return trainer.(*twice)
}

// spurious returns a separable problem. The label is the sign of the second feature, which is weak;
// the first is strong and follows the label in 20 samples, and its contrary in the last 2.
func spurious() *least {
	l := &least{loss: logistic}
	for i := range 22 {
		y, strong := float64(1-i%2*2), 1.0
		if i >= 20 {
			strong = -1
		}
		l.a, l.y = append(l.a, []float64{strong * y, .5 * y}), append(l.y, y)
	}
	return l
}

// correct reports for each sample whether the linear classifier x gets it right.
func (l *least) correct(x []float64) []bool {
	right := make([]bool, len(l.y))
	for i, a := range l.a {
		right[i] = l.y[i]*(a[0]*x[0]+a[1]*x[1]) > 0
	}
	return right
}

// split returns the training split at x, as a runner does.
func (l *least) split(x []float64) func() (Batch, error) {
	return func() (Batch, error) {
		return Batch{Losses: make([]float64, len(l.y)), Index: l.all(), Correct: l.correct(x)}, nil
	}
}

// The method matches the source, written out: ERM finds the samples that it gets wrong, then ERM
// trains anew on a training set that holds those samples up times. The minority is wrong after the
// first run and right after the second. ERM alone, for as many steps as both runs together, still
// gets it wrong.
func TestJustTrainTwiceIsERMOnAnUpsampledSet(t *testing.T) {
	const up, perEpoch, second, alpha = 20, 4, 60, .1
	l := spurious()
	j, x := jttOf(t, 22, up), []float64{0, 0}
	for epoch := 1; epoch <= 3; epoch++ {
		l.walk(j, x, perEpoch, alpha, 0, l.all)
		restart, err := j.EndEpoch(epoch, l.split(x))
		if restart != (epoch == 3) || err != nil {
			t.Fatalf("epoch %d: restart %v, error %v", epoch, restart, err)
		}
	}
	erm := []float64{0, 0}
	l.walk(&uniform{}, erm, 3*perEpoch, alpha, 0, l.all)
	if !slices.Equal(x, erm) {
		t.Errorf("x %v after the first run, ERM's is %v", x, erm)
	}
	upsampled := &least{loss: logistic}
	for i, right := range l.correct(erm) {
		copies := 1
		if !right {
			copies = up
		}
		if right != (i < 20) {
			t.Errorf("ERM gets sample %d right: %v", i, right)
		}
		upsampled.a = append(upsampled.a, slices.Repeat([][]float64{l.a[i]}, copies)...)
		upsampled.y = append(upsampled.y, slices.Repeat([]float64{l.y[i]}, copies)...)
	}

	x, want := []float64{0, 0}, []float64{0, 0}
	l.walk(j, x, second, alpha, 0, l.all)
	upsampled.walk(&uniform{}, want, second, alpha, 0, upsampled.all)
	if math.Abs(x[0]-want[0])+math.Abs(x[1]-want[1]) > 1e-12 {
		t.Errorf("x %v, ERM on the upsampled set comes to %v", x, want)
	}
	l.walk(&uniform{}, erm, second, alpha, 0, l.all)
	if right := l.correct(x); slices.Contains(right, false) {
		t.Errorf("the second run gets right %v", right)
	}
	if right := l.correct(erm); right[20] || right[21] {
		t.Errorf("ERM gets the minority right, so that nothing is shown: %v", right)
	}
}

// The wrong samples weigh up times as much as the others, and the mean weight over the training
// samples is 1, in any order within a batch.
func TestJustTrainTwiceWeights(t *testing.T) {
	for _, c := range []struct {
		wrong []int
		up    float64
	}{{[]int{2, 5}, 20}, {nil, 20}, {[]int{0, 1, 2, 3, 4, 5, 6, 7}, 7}, {[]int{1}, .5}} {
		t.Run(fmt.Sprint(c.wrong), func(t *testing.T) {
			j := jttOf(t, 8, c.up)
			if got := reported(j)["upweighted"]; got != 0 {
				t.Errorf("upweighted %v before the first look", got)
			}
			b := Batch{Losses: make([]float64, 8), Index: []int{7, 3, 5, 1, 0, 2, 6, 4},
				Correct: make([]bool, 8)}
			for i, sample := range b.Index {
				b.Correct[i] = !slices.Contains(c.wrong, sample)
			}
			restart, err := j.EndEpoch(3, func() (Batch, error) { return b, nil })
			if !restart || err != nil {
				t.Fatalf("restart %v, error %v", restart, err)
			}
			w, sum := make([]float64, 8), 0.0
			j.Weights(w, b)
			for i, sample := range b.Index {
				sum += w[i]
				right := slices.Index(b.Correct, true)
				if slices.Contains(c.wrong, sample) && right >= 0 &&
					!within(w[i], c.up*w[right], 1e-14) {
					t.Errorf("wrong sample %d weighs %v, a right one %v", sample, w[i], w[right])
				}
			}
			if !within(sum, 8, 1e-14) || c.wrong == nil &&
				!slices.Equal(w, slices.Repeat([]float64{1}, 8)) {
				t.Errorf("weights %v of sum %v", w, sum)
			}
			if got := reported(j)["upweighted"]; got != float64(len(c.wrong))/8 {
				t.Errorf("upweighted %v of %v", got, c.wrong)
			}
			again := jttOf(t, 8, c.up)
			err = again.Restore(j.State())
			if err != nil || !slices.Equal(again.flags, j.flags) || again.count != j.count {
				t.Errorf("restored %v, was %v: %v", again.flags, j.flags, err)
			}
		})
	}
}

// JTT looks once for the samples that are wrong. If the pass over the training split fails, it
// finds nothing. Earlier epochs ask for no pass, nor does an epoch after the samples are found. A
// fork may look later than jtt_epochs.
func TestJustTrainTwiceLooksOnce(t *testing.T) {
	j, failure := jttOf(t, 8, 20), errors.New("unreadable")
	for epoch, want := range map[int]error{1: nil, 2: nil, 3: failure, 4: failure} {
		restart, err := j.EndEpoch(epoch, func() (Batch, error) { return Batch{}, failure })
		if restart || err != want || j.State().Flags != nil {
			t.Errorf("epoch %d: restart %v, error %v, state %v", epoch, restart, err, j.State())
		}
	}
	j.remember(make([]bool, 8))
	restart, err := j.EndEpoch(4, func() (Batch, error) { return Batch{}, failure })
	if restart || err != nil {
		t.Errorf("it looks twice: restart %v, error %v", restart, err)
	}
}
