package dro

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

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
		return nil, fmt.Errorf("uncertainty %q: expected one of %s", name,
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
	return fmt.Errorf("mu %v: expected a value in (0, 1)", mu)
}

// validateRho checks the radius of a set that has one.
func validateRho(set Set, rho float64) error {
	if !set.HasRadius() || rho > 0 && !math.IsInf(rho, 1) {
		return nil
	}
	return fmt.Errorf("rho %v: expected a positive finite radius", rho)
}

// expm1 returns math.Expm1(t), computed by the faster math.Exp where that loses no digit.
func expm1(t float64) float64 {
	if math.Abs(t) > 1 {
		return math.Exp(t) - 1
	}
	return math.Expm1(t)
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
