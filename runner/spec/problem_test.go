package spec

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
)

// A setting that the uncertainty set does not read is refused where it is given. It makes no
// difference between specs, and a fork does not offer it.
func TestSettingsOfASet(t *testing.T) {
	for _, c := range []struct{ set, key, sets string }{
		{"cvar", "rho", "cressie-read, chi2, kl, smoothed-cvar, tv"},
		{"cvar", "lambda0", "cressie-read, chi2, kl, smoothed-cvar, tv"},
		{"kl", "k", "cressie-read"},
		{"cressie-read", "mu", "smoothed-cvar, cvar"},
	} {
		s := Defaults()
		s.Algorithms = []dro.Algorithm{dro.SFK}
		s.Uncertainty = c.set
		row, _ := FindSetting(c.key)
		want := fmt.Sprintf("%s: %s: expected a set that reads it (%s): %s does not", c.key,
			row.Text(&s), c.sets, c.set)
		if err := s.Unread([]string{c.key}); err == nil || err.Error() != want {
			t.Errorf("Unread(%s) = %v, want %q", c.key, err, want)
		}
		if slices.Contains(s.Forkable(), c.key) {
			t.Errorf("a fork with %s offers %s", c.set, c.key)
		}
		other := s
		other.Rho, other.Lambda0, other.K, other.Mu = .3, .2, 1.5, .2
		for _, key := range []string{"rho", "lambda0", "k", "mu"} {
			if row, _ := FindSetting(key); row.ReadIn(&s) {
				if err := other.Assign(key, []byte(row.Text(&s))); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !s.Equal(&other) {
			t.Errorf("%s: what the set does not read makes another run", c.set)
		}
	}
}

// A set without a radius has no λ, and so no bounds of λ.
func TestBounds(t *testing.T) {
	s := Defaults()
	lambda, eta := [2]float64{.1, 10}, [2]float64{-10, 2.5}
	for set, want := range map[string]string{"cvar": "η in [-10, 2.5]",
		"kl": "λ in [0.1, 10], η in [-10, 2.5]"} {
		s.Uncertainty = set
		if got := strings.Join(s.Bounds(lambda, eta), ", "); got != want {
			t.Errorf("%s: %s, want %s", set, got, want)
		}
	}
}
