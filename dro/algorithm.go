package dro

import "fmt"

// Algorithm is a way to move (x, z) together.
type Algorithm string

const (
	// ERM minimises the mean loss; z does not move and has no meaning.
	ERM Algorithm = "erm"
	// SFK is SFK-DRO, the paper's Algorithm 1: Frank-Wolfe on z over the box.
	SFK Algorithm = "sfk"
	// PGD takes one projected gradient step on (x, λ, η) as a whole.
	PGD Algorithm = "pgd"
	// PAN is PAN-DRO: λ stays at its start (the penalised problem) and η takes
	// projected gradient steps.
	PAN Algorithm = "pan"
)

// Algorithms lists every algorithm, the paper's own first.
func Algorithms() []Algorithm { return []Algorithm{SFK, PGD, PAN, ERM} }

// ParseAlgorithm accepts "sfk", "pgd", "pan" and "erm".
func ParseAlgorithm(s string) (Algorithm, error) {
	for _, a := range Algorithms() {
		if s == string(a) {
			return a, nil
		}
	}
	return "", fmt.Errorf("algorithm %q: want sfk, pgd, pan or erm", s)
}

// Applies returns nil where the algorithm is defined for the set, otherwise
// what is missing. Only PAN on CVaR is refused: it fixes λ, and CVaR has none.
// SFK and PGD on CVaR move η only.
func Applies(a Algorithm, set Set) error {
	if _, err := ParseAlgorithm(string(a)); err != nil {
		return err
	}
	if a == PAN && !set.HasRadius() {
		return fmt.Errorf("algorithm pan on uncertainty %s: the set has no lambda to fix; want sfk, pgd or erm, or the set smoothed-cvar", set.Name())
	}
	return nil
}
