package dro

import (
	"math"
	"math/rand/v2"
	"testing"

	"drolab/dro/testsize"
)

// regressionProblem is a regression problem on which the optimum is known from the exact
// risk: x in R^d, ℓ_i = loss(⟨a_i, x⟩, y_i).
type regressionProblem struct {
	a      [][]float64
	y      []float64
	groups []int // groups of the samples, for methods that use them
	loss   func(margin, y float64) (value, slope float64)
}

func square(m, y float64) (float64, float64) { return (m - y) * (m - y) / 2, m - y }

func logistic(m, y float64) (float64, float64) {
	return math.Log1p(math.Exp(-y * m)), -y / (1 + math.Exp(y*m))
}

// losses fills values and slopes for the samples index at x.
func (l *regressionProblem) losses(values, slopes, x []float64, index []int) {
	for j, i := range index {
		var m float64
		for c, v := range x {
			m += l.a[i][c] * v
		}
		values[j], slopes[j] = l.loss(m, l.y[i])
	}
}

// descend subtracts alpha mean r_j ∇ℓ_j.
func (l *regressionProblem) descend(x, ratios, slopes []float64, index []int, alpha float64) {
	for j, i := range index {
		for c := range x {
			x[c] -= alpha * ratios[j] * slopes[j] * l.a[i][c] / float64(len(index))
		}
	}
}

// newRegressionProblem draws n points in d dimensions, with a minority that follows another
// distribution.
func newRegressionProblem(rng *rand.Rand, n, d int, loss func(m, y float64) (float64, float64),
	label func(float64) float64) *regressionProblem {
	l := &regressionProblem{loss: loss}
	for i := range n {
		row := make([]float64, d)
		var m float64
		for c := range row {
			row[c] = rng.NormFloat64() / 2
			sign := 1.0
			if i%10 == 0 {
				sign = -1
			}
			m += row[c] * sign / float64(c+1)
		}
		row[0] += .5
		l.a, l.y = append(l.a, row), append(l.y, label(m+.3*rng.NormFloat64()))
	}
	return l
}

// risk returns R_ρ at x and fills ratios with the worst-case weights.
func (l *regressionProblem) risk(
	t *testing.T, set Set, rho float64, x, ratios, values, slopes []float64, all []int,
) Worst {
	l.losses(values, slopes, x, all)
	w, err := WorstCase(set, ratios, values, rho)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// best minimises R_ρ itself by gradient descent with Danskin's gradient
// mean r ∇ℓ at the exact worst case, halving the step where R_ρ would rise.
func (l *regressionProblem) best(t *testing.T, set Set, rho float64, d int) Worst {
	n := len(l.y)
	all := indices(n)
	ratios, values, slopes := make([]float64, n), make([]float64, n), make([]float64, n)
	x, y := make([]float64, d), make([]float64, d)
	f, alpha := l.risk(t, set, rho, x, ratios, values, slopes, all), 1.0
	for range 600 {
		copy(y, x)
		l.descend(y, ratios, slopes, all, alpha)
		g := l.risk(t, set, rho, y, ratios, values, slopes, all)
		if g.Risk < f.Risk {
			x, y, f, alpha = y, x, g, alpha*1.2
			continue
		}
		alpha /= 2
		l.risk(t, set, rho, x, ratios, values, slopes, all)
	}
	return f
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// walk trains x as the runner does, at each step on the samples whose indices draw returns; β is
// the momentum of a method that averages the gradient.
func (l *regressionProblem) walk(
	trainer Trainer, x []float64, steps int, alpha, beta float64, draw func() []int,
) {
	w := make([]float64, len(l.y))
	values, slopes := make([]float64, len(l.y)), make([]float64, len(l.y))
	v := make([]float64, len(x))
	for i := range steps {
		index := draw()
		b := l.batch(values, index)
		l.losses(values, slopes, x, index)
		trainer.Before(b)
		trainer.Weights(w[:len(index)], b)
		if m, ok := trainer.(Mover); ok {
			addTo(v, beta-1, v)
			l.descend(v, w, slopes, index, beta-1)
			addTo(x, -m.Advance(length(v), alpha), v)
		} else {
			l.descend(x, w, slopes, index, alpha)
		}
		if trainer.Fresh() {
			l.losses(values, slopes, x, index)
		}
		trainer.After(b, Step{T: int64(i + 1), Rate: alpha})
	}
}

// batch returns the batch of the samples index, whose losses are in values.
func (l *regressionProblem) batch(values []float64, index []int) Batch {
	b := Batch{Losses: values[:len(index)], Index: index}
	if l.groups != nil {
		for _, i := range index {
			b.Groups = append(b.Groups, l.groups[i])
		}
	}
	return b
}

// all returns the indices of all samples, for full batches.
func (l *regressionProblem) all() []int { return indices(len(l.y)) }

// addTo adds a·v to x.
func addTo(x []float64, a float64, v []float64) {
	for i := range x {
		x[i] += a * v[i]
	}
}

func length(v []float64) float64 {
	square := 0.0
	for _, c := range v {
		square += c * c
	}
	return math.Sqrt(square)
}

// train runs the method with full batches and returns x, R_ρ and F − R_ρ at the
// end.
func (l *regressionProblem) train(
	t *testing.T, trainer Trainer, p *Problem, steps int, alpha float64,
) (x []float64, risk, gap float64) {
	x = make([]float64, len(l.a[0]))
	l.walk(trainer, x, steps, alpha, .9, l.all)
	n := len(l.y)
	ratios, values, slopes := make([]float64, n), make([]float64, n), make([]float64, n)
	risk = l.risk(t, p.Set, p.Rho, x, ratios, values, slopes, l.all()).Risk
	return x, risk, p.Evaluate(nil, values, trainer.(Dual).Z()).Value - risk
}

// With full batches, sfk-auto, PGD and PAN reach the minimum of the exact risk. PAN's λ is the λ*
// of that minimum, so its penalised problem has the same solution.
//
// After 1500 steps, 400 of squares, all are within 1e-6 of the optimum. (With 200 samples and 3000
// steps, rule 1 of sfk-auto leaves F − R_ρ at up to 6 % of R_ρ in the paper's coordinates. There λ
// and η must move in opposite directions, across a box 38 wide. With SFK and C = 1000 it is 11 % on
// "mean"; with C = 50 the run diverges.)
func TestAlgorithmsReachTheOptimum(t *testing.T) {
	rng := testRand(27)
	sign := func(m float64) float64 { return math.Copysign(1, m) }
	same := func(m float64) float64 { return m }
	problems := []struct {
		name      string
		rho, rate float64
		steps     int
		*regressionProblem
	}{
		{"mean", .3, .05, 400, newRegressionProblem(rng, 50, 1, square, same)},
		{"squares", .3, .05, 400, newRegressionProblem(rng, 50, 3, square, same)},
		{"logistic", .05, .2, 1500, newRegressionProblem(rng, 50, 3, logistic, sign)},
	}
	for _, l := range testsize.Few(2, problems...) {
		d := len(l.a[0])
		list := []Problem{
			{Set: CressieRead{2}, Coordinates: Paper}, {Set: KL{}, Coordinates: Unshifted},
			{Set: CressieRead{1.1}, Coordinates: Unshifted},
			{Set: CressieRead{1.5}, Coordinates: Unshifted},
			{Set: CressieRead{2}, Coordinates: Unshifted},
			{Set: SmoothedCVaR{.2}, Coordinates: Unshifted},
		}
		if l.name == "logistic" { // slow
			list = cases(list[:2:2], list[2:]...)
		}
		list = testsize.Few(2, list...)
		for _, p := range list {
			p.Rho = l.rho
			p.Box = DefaultBox(p.Set, p.Rho, p.Coordinates, .01, 10)
			best := l.best(t, p.Set, p.Rho, d)
			for _, a := range []Algorithm{SFKAuto, PGD, PAN} {
				s := map[string]Auto{}
				if a == PAN {
					s["lambda"] = Fixed(best.Z.Lambda)
				}
				_, risk, gap := l.train(t, newTrainer(t, a, &p, s), &p, l.steps, l.rate)
				t.Logf("%s, %s, %s: R/R* - 1 = %.2g, gap/R* = %.2g", l.name, &p, a,
					risk/best.Risk-1, gap/best.Risk)
				if !(risk <= best.Risk*(1+1e-5)) || !(gap <= best.Risk*1e-5) {
					t.Errorf("%s, %s, %s: R %v, F − R %v, min R %v", l.name, &p, a, risk, gap,
						best.Risk)
				}
			}
		}
	}
}
