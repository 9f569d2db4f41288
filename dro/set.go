package dro

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Eval is the dual objective of one batch at one point z.
type Eval struct {
	// Value is F(z) = mean f_i, an upper bound of the batch's worst-case risk
	// for every z with λ > 0.
	Value float64
	// Grad is ∂F/∂z, in the coordinates that z was given in.
	Grad Z
	// MeanRatio is mean r; it is 1 where F is minimal in η.
	MeanRatio float64
	// Divergence is mean φ(r); it is ρ where F is minimal in an interior λ.
	Divergence float64
}

// Set is one family of uncertainty sets {Q : D_φ(Q‖P0) ≤ ρ} around the empirical distribution P0 of
// n losses. Its methods use the unshifted dual of math.md §2: t = (ℓ − η)/λ, f = λ φ*(t) + λρ + η,
// r = φ*′(t).
//
// A Set is a small immutable value. Other packages may have sets of their own:
// see "Adding a set" in the package comment.
type Set interface {
	// Name returns the set's name as NewSet accepts it.
	Name() string
	// Label returns the name with the parameters, short enough for tables: "χ²", "k=1.5",
	// "cvar 0.1".
	Label() string
	// Validate returns an error if a parameter of the set is out of its range.
	Validate() error
	// HasRadius reports whether the set depends on ρ and its dual on λ. CVaR
	// does not.
	HasRadius() bool
	// Divergence returns φ(r), +Inf outside its domain.
	Divergence(ratio float64) float64
	// Conjugate evaluates everything that the dual needs of one t = (ℓ − η)/λ:
	// r − 1, φ*(t), φ(r) and φ*″(t), with r = φ*′(t). At a kink of φ*′ the
	// second derivative is that of the flat side, 0.
	Conjugate(t float64) (excess, conj, div, second float64)
}

// family is a named set, made from the settings k and mu.
type family struct {
	name   string
	newSet func(k, mu float64) Set
}

// families is the registry of sets, one line for each set.
var families = []family{
	{"cressie-read", func(k, _ float64) Set { return CressieRead{K: k} }},
	{"chi2", func(_, _ float64) Set { return CressieRead{K: 2} }},
	{"kl", func(_, _ float64) Set { return KL{} }},
	{"smoothed-cvar", func(_, mu float64) Set { return SmoothedCVaR{Mu: mu} }},
	{"cvar", func(_, mu float64) Set { return CVaR{Mu: mu} }},
	{"tv", func(_, _ float64) Set { return TV{} }},
}

// RegisterSet adds a set to the registry, made from the settings k and mu, and returns a function
// that removes it again. Call it at the start of a program or in tests, not while runs go on. It
// panics if the name is taken.
func RegisterSet(name string, newSet func(k, mu float64) Set) (remove func()) {
	if slices.Contains(SetNames(), name) {
		panic("dro: RegisterSet wants a new name")
	}
	return register(&families, family{name, newSet}, func(f family) bool { return f.name == name })
}

// SetNames lists the names that NewSet accepts.
func SetNames() (names []string) {
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// SetReads reports whether the set of that name depends on a parameter: "rho", "k" or "mu". It
// returns true for a name that is not known.
func SetReads(name, parameter string) bool {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return true
	}
	set := families[i].newSet
	switch parameter {
	case "rho":
		return set(2, .5).HasRadius()
	case "k":
		return !reflect.DeepEqual(set(2, .5), set(1.5, .5))
	case "mu":
		return !reflect.DeepEqual(set(2, .5), set(2, .25))
	}
	panic("dro: SetReads wants rho, k or mu, not " + parameter)
}

// NewSet returns the uncertainty set of that name: "cressie-read" with
// k in (1, 2], "chi2" (Cressie-Read with k = 2), "kl", "smoothed-cvar" and
// "cvar" with mu in (0, 1), "tv", and those of RegisterSet. A parameter that the
// set does not have is ignored.
func NewSet(name string, k, mu float64) (Set, error) {
	i := slices.IndexFunc(families, func(f family) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("uncertainty %q: want one of %s", name,
			strings.Join(SetNames(), ", "))
	}
	set := families[i].newSet(k, mu)
	if err := set.Validate(); err != nil {
		return nil, fmt.Errorf("uncertainty %s: %w", name, err)
	}
	return set, nil
}

func validateMu(mu float64) error {
	if mu > 0 && mu < 1 {
		return nil
	}
	return fmt.Errorf("mu %v: want a value in (0, 1)", mu)
}

// validateRho checks the radius of a set that has one.
func validateRho(set Set, rho float64) error {
	if !set.HasRadius() || rho > 0 && !math.IsInf(rho, 1) {
		return nil
	}
	return fmt.Errorf("rho %v: want a positive finite radius", rho)
}

// CVaR is the conditional value at risk at level μ in (0, 1): the mean of the
// worst fraction μ of the losses. As an uncertainty set it is {r ≤ 1/μ}; it has
// no radius, and its dual η + (1/μ) mean (ℓ−η)₊ has no λ. (The paper's display
// puts η inside the mean's factor 1/μ, which is wrong; math.md §3.)
type CVaR struct{ Mu float64 }

// Name returns "cvar".
func (CVaR) Name() string { return "cvar" }

// Label returns the name with μ.
func (c CVaR) Label() string { return fmt.Sprintf("cvar %.3g", c.Mu) }

// HasRadius returns false.
func (CVaR) HasRadius() bool { return false }

// Validate checks that μ lies in (0, 1).
func (c CVaR) Validate() error { return validateMu(c.Mu) }

// Divergence implements Set: 0 on [0, 1/μ], +Inf elsewhere.
func (c CVaR) Divergence(r float64) float64 {
	if r < 0 || c.Mu*r > 1+ratioSlack {
		return math.Inf(1)
	}
	return 0
}

// Conjugate implements Set: φ*(t) = t₊/μ, r = 1/μ where t > 0 and 0 elsewhere, a
// subgradient. λ φ*((ℓ−η)/λ) is the same for every λ > 0, so the dual of the
// other sets serves with ρ = 0.
func (c CVaR) Conjugate(t float64) (excess, conj, div, second float64) {
	if t <= 0 {
		return -1, 0, 0, 0
	}
	return 1/c.Mu - 1, t / c.Mu, 0, 0
}

// saturate implements saturating: there is no radius that could bind.
func (c CVaR) saturate(s *sample, room *room) saturation {
	return saturation{divergence: math.Inf(-1), tail: s.tail(c.Mu, room)}
}

// tail describes the worst distribution with r ≤ 1/μ: r = top above the loss
// edge, r = share on the losses equal to it, 0 below.
type tail struct {
	edge       float64
	top, share float64
	above, tie int     // number of losses above edge, and equal to it
	excess     float64 // Σ over the losses above edge of (ℓ − edge)/span
}

// tail finds the worst distribution with r ≤ 1/μ from a sorted copy of the losses. The ties at the
// edge share the remaining mass evenly, which also gives the least divergence.
func (s *sample) tail(mu float64, room *room) tail {
	sorted := room.values(len(s.losses))
	copy(sorted, s.losses)
	slices.Sort(sorted)
	n := len(sorted)
	// The edge is the first loss, from the top, whose full mass no longer fits.
	full := min(int(mu*s.n()), n-1)
	t := tail{edge: sorted[n-1-full], top: 1 / mu}
	first, _ := slices.BinarySearch(sorted, t.edge)
	for t.above = 0; sorted[n-1-t.above] > t.edge; t.above++ {
		t.excess += (sorted[n-1-t.above] - t.edge) / s.span
	}
	t.tie = n - t.above - first
	t.share = math.Max(0, s.n()-float64(t.above)*t.top) / float64(t.tie)
	return t
}

// tailWorst returns the Worst of a tail, with the risk edge + mean r (ℓ − edge), and fills ratios,
// if any.
func (s *sample) tailWorst(ratios []float64, t tail, phi func(float64) float64) Worst {
	for i, l := range s.losses[:len(ratios)] {
		switch {
		case l > t.edge:
			ratios[i] = t.top
		case l == t.edge:
			ratios[i] = t.share
		default:
			ratios[i] = 0
		}
	}
	n := s.n()
	w := s.worst()
	w.Risk = math.Min(t.edge+s.span*(t.excess*t.top/n), s.max)
	w.Z.Eta, w.Saturated = t.edge, true
	above, tie := float64(t.above)/n, float64(t.tie)/n
	w.Divergence = above*phi(t.top) + tie*phi(t.share)
	if rest := 1 - above - tie; t.above+t.tie < len(s.losses) {
		w.Divergence += rest * phi(0)
	}
	w.EffectiveSampleSize = n / (above*t.top*t.top + tie*t.share*t.share)
	return w
}

// SmoothedCVaR is the set of the smoothed conditional value at risk,
// φ(t) = t log t + ((1−μt)/μ) log((1−μt)/(1−μ)) on [0, 1/μ], μ in (0, 1).
// Ratios stay below 1/μ. At large ρ its risk is that of CVaR at the same μ.
type SmoothedCVaR struct{ Mu float64 }

// Name returns "smoothed-cvar".
func (SmoothedCVaR) Name() string { return "smoothed-cvar" }

// Label returns the short name with μ.
func (s SmoothedCVaR) Label() string { return fmt.Sprintf("scvar %.3g", s.Mu) }

// HasRadius returns true.
func (SmoothedCVaR) HasRadius() bool { return true }

// Validate checks that μ lies in (0, 1).
func (s SmoothedCVaR) Validate() error { return validateMu(s.Mu) }

// Divergence implements Set. A ratio that rounding put just above 1/μ counts as
// 1/μ.
func (s SmoothedCVaR) Divergence(r float64) float64 {
	rest := 1 - s.Mu*r
	switch {
	case r < 0 || rest < -ratioSlack:
		return math.Inf(1)
	case rest <= ratioSlack:
		return -math.Log(s.Mu) / s.Mu
	case r == 0:
		return -math.Log1p(-s.Mu) / s.Mu
	}
	// rest/(1−μ) = 1 − μ(r−1)/(1−μ)
	return r*math.Log(r) + rest/s.Mu*math.Log1p(-s.Mu*(r-1)/(1-s.Mu))
}

// ratioSlack is how far rounding may carry μr from 1.
const ratioSlack = 1e-15

// Conjugate implements Set: φ*(t) = log(1 − μ + μe^t)/μ,
// r = e^t/(1 − μ + μe^t), φ*″ = r(1 − μr). The second branch divides by e^t, which keeps a
// large t from overflowing.
func (s SmoothedCVaR) Conjugate(t float64) (excess, conj, div, second float64) {
	if t <= 1 {
		e := expm1(t)
		den := 1 + s.Mu*e
		r := (1 + e) / den
		if r == 0 { // t r would be NaN at t = −Inf
			conj = math.Log1p(-s.Mu) / s.Mu
			return -1, conj, -conj, 0
		}
		conj = math.Log1p(s.Mu*e) / s.Mu
		return (1 - s.Mu) * e / den, conj, t*r - conj, r * (1 - s.Mu) / den
	}
	small := (1 - s.Mu) * math.Exp(-t)
	r := 1 / (s.Mu + small)
	log := math.Log(s.Mu + small)
	// φ(r) = t r − φ* with r − 1/μ = −small r/μ, which leaves no difference of
	// two terms of the size of t.
	return (1 - s.Mu - small) * r, (t + log) / s.Mu, -(t*small*r + log) / s.Mu, small * r * r
}

// Saturation returns ρ_sat = log(1/μ) + ((1−μ)/μ) log(1/(1−μ)). From this radius on the constraint
// does not bind and the risk is that of CVaR. If μn is not an integer, that happens at a slightly
// smaller radius, which WorstCase finds exactly.
func (s SmoothedCVaR) Saturation() float64 {
	return -math.Log(s.Mu) - (1-s.Mu)/s.Mu*math.Log1p(-s.Mu)
}

// saturate implements saturating. The radius binds until the set contains the worst case of CVaR in
// which the ties at the edge share their mass evenly.
func (s SmoothedCVaR) saturate(b *sample, room *room) saturation {
	w := b.tail(s.Mu, room)
	divergence := b.tailWorst(nil, w, s.Divergence).Divergence
	return saturation{divergence: divergence, tail: w, origin: w.edge}
}

// CressieRead is the set of the Cressie-Read divergence
// φ_k(t) = (t^k − kt + k − 1)/(k(k−1)), k in (1, 2]. At k = 2 it is χ² with the
// factor ½: φ_2(t) = (t−1)²/2. As k → 1 it tends to KL.
type CressieRead struct{ K float64 }

// Name returns "cressie-read".
func (CressieRead) Name() string { return "cressie-read" }

// Label returns "χ²" at k = 2, else k.
func (c CressieRead) Label() string {
	if c.K == 2 {
		return "χ²"
	}
	return fmt.Sprintf("k=%.3g", c.K)
}

// HasRadius returns true.
func (CressieRead) HasRadius() bool { return true }

// Validate checks that k lies in (1, 2].
func (c CressieRead) Validate() error {
	if c.K > 1 && c.K <= 2 {
		return nil
	}
	return fmt.Errorf("k %v: want a value in (1, 2] (the limit k = 1 is the set kl)", c.K)
}

// Divergence implements Set.
func (c CressieRead) Divergence(r float64) float64 {
	switch {
	case r < 0:
		return math.Inf(1)
	case r == 0:
		return 1 / c.K
	}
	t := math.Expm1((c.K-1)*math.Log(r)) / (c.K - 1)
	return (t*r - (r - 1)) / c.K
}

// Conjugate implements Set with r = (1 + (k−1)t)₊^{1/(k−1)}. Expm1 and Log1p
// give e = r − 1 without cancellation for every k, and then
//
//	φ*(t) = (e + (k−1) t r)/k        φ(r) = (t r − e)/k        φ*″(t) = r^{2−k} = r/r^{k−1}
//
// where r > 0, because r^{k−1} = 1 + (k−1)t and φ(r) = t r − φ*(t) (Fenchel).
func (c CressieRead) Conjugate(t float64) (excess, conj, div, second float64) {
	w := (c.K - 1) * t
	switch {
	case w <= -1:
		return -1, -1 / c.K, 1 / c.K, 0
	case c.K == 2:
		return t, t + t*t/2, t * t / 2, 1
	}
	e := expm1(math.Log1p(w) / (c.K - 1))
	r := 1 + e
	return e, (e + w*r) / c.K, (t*r - e) / c.K, r / (1 + w)
}

// saturate implements saturating. From ρ = ((n/m)^{k−1} − 1)/(k(k−1)) on, the radius does not bind:
// this is the divergence of all mass on the m largest losses.
func (c CressieRead) saturate(s *sample, _ *room) saturation {
	top := s.n() / float64(s.ties)
	return s.atMax(math.Expm1((c.K-1)*math.Log(top)) / (c.K * (c.K - 1)))
}

// KL is the set of the Kullback-Leibler divergence, φ(t) = t log t − t + 1: the
// limit k → 1 of CressieRead.
type KL struct{}

// Name returns "kl".
func (KL) Name() string { return "kl" }

// Label returns "kl".
func (KL) Label() string { return "kl" }

// HasRadius returns true.
func (KL) HasRadius() bool { return true }

// Validate returns nil: the set has no parameter.
func (KL) Validate() error { return nil }

// Divergence implements Set.
func (KL) Divergence(r float64) float64 {
	switch {
	case r < 0:
		return math.Inf(1)
	case r == 0:
		return 1
	}
	return r*math.Log(r) - (r - 1)
}

// Conjugate implements Set: φ*(t) = e^t − 1, r = φ*″ = e^t. The dual with η
// eliminated, λ log mean e^{ℓ/λ} + λρ, is not used: its mini-batch estimate is
// biased (math.md §2).
func (KL) Conjugate(t float64) (excess, conj, div, second float64) {
	e := expm1(t)
	r := 1 + e
	if r == 0 { // φ(0) = 1; t r would be NaN at t = −Inf
		return -1, -1, 1, 0
	}
	return e, e, t*r - e, r
}

// saturate implements saturating. With m ties at the maximum, the radius does not bind from
// ρ = log(n/m) on.
func (k KL) saturate(s *sample, _ *room) saturation {
	return s.atMax(math.Log(s.n() / float64(s.ties)))
}

// expm1 returns math.Expm1(t), computed by the faster math.Exp where that loses no digit.
func expm1(t float64) float64 {
	if math.Abs(t) > 1 {
		return math.Exp(t) - 1
	}
	return math.Expm1(t)
}

// TV is the set of total variation, φ(t) = |t − 1|/2: Q may move at most a share ρ of the mass of
// the samples. The worst Q takes it off the smallest losses and puts it on the largest, so that R_ρ
// = (1−ρ) CVaR_{1−ρ} + ρ max ℓ. CVaR_μ is the mean of the worst fraction μ (math.md §3; Jiang,
// Guan, Operations Research 2018, 66(5), 1390–1405).
//
// φ grows no faster than t, so φ* is +Inf above ½ (Ben-Tal, den Hertog, De Waegenaere, Melenberg,
// Rennen, Management Science 2013, 59(2), table 2, for 2φ). The dual is then infinite unless
// η̃ + λ/2 reaches the largest of all losses, and no method can keep such a z. At ρ ≥ 1 the set has
// every distribution on the samples, and R_ρ is the largest loss.
type TV struct{}

// Name returns "tv".
func (TV) Name() string { return "tv" }

// Label returns "tv".
func (TV) Label() string { return "tv" }

// HasRadius returns true.
func (TV) HasRadius() bool { return true }

// Validate returns nil: there are no parameters.
func (TV) Validate() error { return nil }

// Divergence implements Set.
func (TV) Divergence(r float64) float64 {
	if r < 0 {
		return math.Inf(1)
	}
	return math.Abs(r-1) / 2
}

// Conjugate implements Set: φ*(t) = max(t, −½), with r = 1 above −½ and r = 0 from −½ down. Above ½
// it is +Inf.
func (TV) Conjugate(t float64) (excess, conj, div, second float64) {
	switch {
	case t > .5:
		return math.Inf(1), math.Inf(1), math.Inf(1), 0
	case t > -.5:
		return 0, t, 0, 0
	}
	return -1, -.5, .5, 0
}

// saturate implements saturating. With m ties at the maximum, no more than the mass of the other
// losses, 1 − m/n, can move. The sorted losses are left in room.
func (TV) saturate(s *sample, room *room) saturation {
	copy(room.values(len(s.losses)), s.losses)
	slices.Sort(room.values(len(s.losses)))
	return s.atMax(1 - float64(s.ties)/s.n())
}

// direct implements direct. With c the loss up to which mass is taken off, the dual is R_ρ = min
// over c of mean max(ℓ, c) + ρ (max ℓ − c). It is the dual of the other sets at λ = max ℓ − c,
// η̃ = (max ℓ + c)/2.
func (TV) direct(s *sample, sorted, ratios []float64, rho float64) Worst {
	n := s.n()
	// The edge is the first loss that keeps some of its mass. Rounding must not carry it to the
	// largest loss, which gives up no mass.
	edge := sorted[min(int(rho*n), len(sorted)-s.ties-1)]
	below, _ := slices.BinarySearch(sorted, edge)
	tie, _ := slices.BinarySearch(sorted[below:], math.Nextafter(edge, math.Inf(1)))
	share := clamp(1-(rho*n-float64(below))/float64(tie), [2]float64{0, 1})
	top := 1 + rho*n/float64(s.ties)
	// The mass that a loss gives up gains the distance to the largest loss: no terms cancel.
	gain := (1 - share) * float64(tie) * (1 - s.scaled(edge))
	for _, l := range sorted[:below] {
		gain += 1 - s.scaled(l)
	}
	for i, l := range s.losses[:len(ratios)] {
		switch {
		case l < edge:
			ratios[i] = 0
		case l == edge:
			ratios[i] = share
		case l < s.max:
			ratios[i] = 1
		default:
			ratios[i] = top
		}
	}
	w := s.worst()
	w.Risk = math.Min(s.min+s.span*(s.mean+gain/n), s.max)
	w.Z = Z{Lambda: s.max - edge, Eta: edge + (s.max-edge)/2}
	w.Divergence = (float64(below) + (1-share)*float64(tie)) / n
	whole := n - float64(below+tie+s.ties) // losses that keep their mass
	w.EffectiveSampleSize = n * n / (share*share*float64(tie) + whole + top*top*float64(s.ties))
	return w
}

// checkDual returns an error if a set has no dual to train or search by, because φ* is infinite at
// a t that losses may well have.
func checkDual(set Set) error {
	if _, conj, _, _ := set.Conjugate(100); math.IsInf(conj, 1) {
		return fmt.Errorf("uncertainty %s: its conjugate is infinite, so it has no dual",
			set.Name())
	}
	return nil
}
