package dro_test

import (
	"errors"
	"math"
	"testing"

	"drolab/dro"
)

// doubled is a set of another package: its φ is the φ of KL times a parameter.
type doubled struct{ by float64 }

func (doubled) Name() string    { return "doubled" }
func (doubled) Label() string   { return "2 kl" }
func (doubled) HasRadius() bool { return true }
func (d doubled) Validate() error {
	if d.by <= 0 {
		return errors.New("by: expected a positive factor")
	}
	return nil
}
func (d doubled) Divergence(r float64) float64 { return d.by * dro.KL{}.Divergence(r) }

// Conjugate implements Set for c·φ: (cφ)*(t) = c φ*(t/c).
func (d doubled) Conjugate(t float64) (excess, conj, div, second float64) {
	excess, conj, div, second = dro.KL{}.Conjugate(t / d.by)
	return excess, d.by * conj, d.by * div, second / d.by
}

// A registered set can be made by its name. Its worst case is that of KL at the radius divided by
// the factor, since D_{cφ} ≤ ρ where D_φ ≤ ρ/c.
func TestRegisteredSet(t *testing.T) {
	defer dro.RegisterSet("doubled", func(k, _ float64) dro.Set { return doubled{k} })()
	set, err := dro.NewSet("doubled", 2, 0)
	if err != nil {
		t.Fatalf("NewSet of the registered set: %v", err)
	}
	if got := set.Label(); got != "2 kl" {
		t.Errorf("Label() = %q, want %q", got, "2 kl")
	}
	if _, err := dro.NewSet("doubled", -1, 0); err == nil {
		t.Error("a parameter out of its range is taken")
	}
	losses := []float64{.1, 2.5, .7, .7, 1.2, 0, 3.9, .05}
	for _, rho := range []float64{.01, .3, 1, 2, 4, 50} {
		got, want := make([]float64, len(losses)), make([]float64, len(losses))
		w, err := dro.WorstCase(set, got, losses, rho)
		if err != nil {
			t.Fatal(err)
		}
		kl, err := dro.WorstCase(dro.KL{}, want, losses, rho/2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(w.Risk-kl.Risk) > 1e-9 {
			t.Errorf("ρ %g: risk %v, want %v", rho, w.Risk, kl.Risk)
		}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-6 {
				t.Errorf("ρ %g: ratio %d is %v, want %v", rho, i, got[i], want[i])
			}
		}
	}
}
