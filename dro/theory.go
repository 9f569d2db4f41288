package dro

import (
	"fmt"
	"math"
)

// Assumptions holds the hypotheses of the paper's Theorem 1 about the losses ℓ(·; s), and the
// accuracy asked for. All of them are positive and finite.
type Assumptions struct {
	Epsilon    float64 `json:"epsilon"`    // ε: both parts of the stationarity test
	Rho        float64 `json:"rho"`        // ρ: the radius
	Bound      float64 `json:"bound"`      // B: 0 ≤ ℓ ≤ B
	Lipschitz  float64 `json:"lipschitz"`  // G: |ℓ(x) − ℓ(y)| ≤ G ‖x − y‖
	Smoothness float64 `json:"smoothness"` // L: ‖∇ℓ(x) − ∇ℓ(y)‖ ≤ L ‖x − y‖
	Gap        float64 `json:"gap"`        // Δ: F(x_1; z_1) − inf F
}

// Constants holds the constants of F(x; z) over one box. For Cressie-Read they are those of the
// paper, with the tight L_z of math.md §4. For smoothed CVaR they are those of math.md §4, and σ0
// and σ1 are the bounds that r ≤ 1/μ gives.
type Constants struct {
	Diameter float64   `json:"diameter"` // D, the diameter of the box
	Lz       Magnitude `json:"l_z"`      // smoothness of F in z
	Lx       Magnitude `json:"l_x"`      // smoothness of F in x
	Sigma0   Magnitude `json:"sigma0"`   // bound of ‖∇_x f‖
	Sigma1   Magnitude `json:"sigma1"`   // bound of ‖∇_z f‖
	C        Magnitude `json:"c"`        // max(D² L_z, 2 L_x), the smallest that the theorem allows
	Alpha    Magnitude `json:"alpha"`    // step size α = 1/(2C)
}

// Plan holds what Theorem 1 requires of a run that is to reach ε.
type Plan struct {
	Box Box `json:"-"` // λ0 = ε/(8ρ) and the automatic other ends
	Constants
	T  Magnitude `json:"steps"`   // steps
	Nx Magnitude `json:"batch"`   // samples for x in each step
	Nz Magnitude `json:"batch_z"` // samples for z in each step
}

// Samples returns the number of samples that the plan takes for x and for z, in all its steps.
func (p *Plan) Samples() (x, z Magnitude) { return p.Nx + p.T, p.Nz + p.T }

// LongestStep returns D σ1/C, a bound of the Frank-Wolfe step γ = gap/C. The theorem requires an ε
// at which the bound is at most 1, so that min(γ, 1) cuts no step short.
func (p *Plan) LongestStep() Magnitude { return MagnitudeOf(p.Diameter) + p.Sigma1 - p.C }

// Vacuous reports whether ε is so large that λ0 = ε/(8ρ) is not below λ̄. The box then holds a
// single λ, which need not be near the best one, and the plan proves nothing.
func (p *Plan) Vacuous() bool { return p.Box.Lambda[0] >= p.Box.Lambda[1] }

// Validate checks that every hypothesis is positive and finite.
func (a Assumptions) Validate() error {
	for _, f := range []struct {
		key   string
		value float64
	}{
		{"epsilon", a.Epsilon}, {"rho", a.Rho}, {"bound", a.Bound},
		{"lipschitz", a.Lipschitz}, {"smoothness", a.Smoothness}, {"gap", a.Gap},
	} {
		if !(f.value > 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("%s %v: expected a positive finite value", f.key, f.value)
		}
	}
	return nil
}

// Theorem1 returns the theorem's plan: T = 48CΔ/ε², n_x = 12 L_x σ0²/(Cε²) and
// n_z = max(48 D²σ1²/ε², the n at which the mini-batch bias is ε/4).
func Theorem1(set Set, a Assumptions) (Plan, error) {
	if err := a.Validate(); err != nil {
		return Plan{}, err
	}
	p := Problem{Set: set, Rho: a.Rho, Coordinates: Unshifted}
	if _, ok := set.(CressieRead); ok {
		p.Coordinates = Paper
	}
	p.Box = DefaultBox(set, a.Rho, p.Coordinates, a.Epsilon/(8*a.Rho), a.Bound)
	return p.Plan(a, 0)
}

// Plan returns what the theorem requires of steps on the problem's own box, for C = c or, if the
// theorem does not allow that, for the least C that it allows. ε is a.Epsilon, and ρ is p.Rho.
func (p *Problem) Plan(a Assumptions, c float64) (plan Plan, err error) {
	plan.Box = p.Box
	if plan.Constants, err = p.Constants(a); err != nil {
		return Plan{}, err
	}
	plan.C = max(plan.C, MagnitudeOf(c))
	plan.Alpha = -MagnitudeOf(2) - plan.C
	eps := MagnitudeOf(a.Epsilon)
	plan.T = MagnitudeOf(48*a.Gap) + plan.C - eps.power(2)
	plan.Nx = max(0, MagnitudeOf(12)+plan.Lx+plan.Sigma0.power(2)-plan.C-eps.power(2))
	plan.Nz = max(0, MagnitudeOf(48)+(MagnitudeOf(plan.Diameter)+plan.Sigma1-eps).power(2),
		batchForBias(p.Set, p.Rho, a.Bound, a.Epsilon/4))
	return plan, nil
}

// Constants returns the constants of F on the problem's box. KL and CVaR have none: KL is not
// polynomially smooth, and CVaR is not smooth. a.Epsilon, a.Rho and a.Gap are not used.
func (p *Problem) Constants(a Assumptions) (Constants, error) {
	if err := p.Validate(); err != nil {
		return Constants{}, err
	}
	covered, ok := p.Set.(interface {
		constants(*Problem, Assumptions) Constants
	})
	if !ok {
		return Constants{}, fmt.Errorf(
			"uncertainty %s: the theory covers cressie-read, chi2 and smoothed-cvar", p.Set.Name())
	}
	c := covered.constants(p, a)
	c.Diameter = p.Box.Diameter()
	c.C = max(MagnitudeOf(c.Diameter).power(2)+c.Lz, MagnitudeOf(2)+c.Lx)
	c.Alpha = -MagnitudeOf(2) - c.C
	return c, nil
}

// constants implements math.md §4 and the paper's Section "Mini-Batch Algorithm". There every
// constant follows from λ0 and from the largest q = t + 1/(k−1), since r = ((k−1) q)^(1/(k−1)). In
// the paper's coordinates q is (ℓ − η)/λ, so it is at most (B + η̄)/λ0. In the unshifted ones that
// is t, and the direction (1, t) of the curvature replaces the direction (1, q).
func (c CressieRead) constants(p *Problem, a Assumptions) Constants {
	k, star := c.K, c.K/(c.K-1)
	lambda0, reach := p.Box.Lambda[0], a.Bound-p.Box.Eta[0]
	if p.Coordinates == Unshifted { // the curvature at −t is less than at t
		reach = math.Max(reach, p.Box.Eta[1])
	}
	reach /= lambda0
	far := reach + 1/(k-1) - p.shift()
	q := MagnitudeOf(far)
	base := MagnitudeOf(k-1).power(star) - MagnitudeOf(k) // (k−1)^{k*}/k
	s := MagnitudeOf(star)
	curved := MagnitudeOf((star-1)*a.Lipschitz*a.Lipschitz + far*lambda0*a.Smoothness)
	return Constants{
		Lz: MagnitudeOf(k-1).power(star-2) + q.power(star-2) +
			MagnitudeOf(1).plus(MagnitudeOf(reach).power(2)) - MagnitudeOf(lambda0),
		Lx:     base + s + q.power(star-2) - MagnitudeOf(lambda0) + curved,
		Sigma0: base + s + q.power(star-1) + MagnitudeOf(a.Lipschitz),
		Sigma1: MagnitudeOf(p.Rho + 1 + 1/(k*(k-1))).plus(
			base + q.power(star) + MagnitudeOf(star-1).plus(s-q)),
	}
}

// constants implements math.md §4: L_z = sup φ*″(t)(1+t²)/λ0 over the t that
// the box allows, L_x ≤ L/μ + G²/(4μλ0). ‖∇_x f‖ ≤ G/μ because r ≤ 1/μ, and
// ‖∇_z f‖ ≤ |1 − r| + |ρ − φ(r)|.
func (s SmoothedCVaR) constants(p *Problem, a Assumptions) Constants {
	lambda0 := p.Box.Lambda[0]
	reach := math.Max(a.Bound-p.Box.Eta[0], p.Box.Eta[1]) / lambda0
	largest := math.Max(s.Divergence(0), s.Divergence(1/s.Mu))
	return Constants{
		Lz:     MagnitudeOf(s.maxCurvature(reach) / lambda0),
		Lx:     MagnitudeOf(a.Smoothness/s.Mu + a.Lipschitz*a.Lipschitz/(4*s.Mu*lambda0)),
		Sigma0: MagnitudeOf(a.Lipschitz / s.Mu),
		Sigma1: MagnitudeOf(math.Max(1, 1/s.Mu-1) + math.Max(p.Rho, largest)),
	}
}

// maxCurvature returns the maximum of φ*″(t)(1+t²) over |t| ≤ reach. φ*″ is a
// bell of width 1 around log((1−μ)/μ), so a fine grid within 8 of it finds the
// highest of the at most two maxima.
func (s SmoothedCVaR) maxCurvature(reach float64) float64 {
	const cells = 1 << 14
	mid := math.Log1p(-s.Mu) - math.Log(s.Mu)
	ends := [2]float64{-reach, reach}
	lo, hi := clamp(mid-8, ends), clamp(mid+8, ends)
	var best float64
	for i := 0; i <= cells; i++ {
		t := lo + (hi-lo)*float64(i)/cells
		_, _, _, second := s.Conjugate(t)
		best = math.Max(best, second*(1+t*t))
	}
	return best
}

// TruncationBound returns the most that the lower end λ0 of the box adds to inf F: 0 ≤ inf over the
// box − inf ≤ λ0 ρ, provided λ* ≤ λ̄. The paper's Lemma 1 has 2λ0ρ and allows both signs (math.md
// §4).
func TruncationBound(lambda0, rho float64) float64 { return lambda0 * rho }

// BiasBound returns the paper's Lemma 3 in the form of math.md §4: by how much
// the expectation of min f over a batch of n samples may lie below min F. It is
// never more than bound (B), which is all that is known for KL.
func BiasBound(set Set, rho, bound float64, n int) float64 {
	bias := logBias(set, rho, bound, math.Log(float64(n)))
	return math.Min(bound, bias.Float64())
}

// logBias returns the bound without the minimum, from log n ≥ 0.
//
// For Cressie-Read the mean of §4, (2^{1−k*}/(k*−2))(1/n − n^{−k*/2}), is
// written 2^{1−k*} (log n/2n) (1 − e^{−a})/a with a = (k*/2 − 1) log n, which at
// k* = 2 is the lemma's own other case, log n/(4n).
func logBias(set Set, rho, bound, logN float64) Magnitude {
	switch s := set.(type) {
	case CressieRead:
		k, star := s.K, s.K/(s.K-1)
		fall := 1.0
		if a := (star/2 - 1) * logN; a > 0 {
			fall = -math.Expm1(-a) / a
		}
		tail := math.Log1p(math.Exp2(1-star) * logN / 2 * fall)
		omega := math.Log1p(k*(k-1)*rho) / k
		return Magnitude(math.Log(3*bound) + omega + (tail-logN)/star)
	case SmoothedCVaR:
		return Magnitude(math.Log(3*bound/s.Mu) - logN/2)
	case CVaR: // the derivation uses r ≤ 1/μ only
		return Magnitude(math.Log(3*bound/s.Mu) - logN/2)
	}
	return MagnitudeOf(bound)
}

// batchForBias returns the batch size at which the bias bound falls to target,
// by bisection on log n; the bound decreases in n.
func batchForBias(set Set, rho, bound, target float64) Magnitude {
	if bound <= target {
		return 0
	}
	want := float64(MagnitudeOf(target))
	exceeds := func(logN float64) bool { return float64(logBias(set, rho, bound, logN)) > want }
	lo, hi := 0.0, 1.0
	for exceeds(hi) {
		lo, hi = hi, 2*hi
	}
	for range 100 {
		if mid := lo + (hi-lo)/2; exceeds(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Magnitude(hi)
}
