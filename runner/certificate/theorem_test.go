package certificate

import (
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

func TestUnmetOfTheTheorem(t *testing.T) {
	of := func(a dro.Algorithm, change func(*spec.Spec)) string {
		t.Helper()
		s := spec.Defaults()
		s.Algorithms, s.Momentum, s.LRDropEpoch, s.Rho = []dro.Algorithm{a}, 0, 0, 1.5
		s.LambdaMax, s.EtaMin = spec.Fixed(10), spec.Fixed(-10)
		s.SetOwn("c", spec.Fixed(2e8)) // dro/math.md, §4
		s.LR = 1 / 4e8
		change(&s)
		p, err := s.Problem()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(Unmet(&runner.Meta{Spec: s, Box: p.Box}), "; ")
	}
	none := func(*spec.Spec) {}
	if got := of(dro.SFK, none); got != "" {
		t.Errorf("a run that has all is told: %s", got)
	}
	for _, c := range []struct {
		method dro.Algorithm
		change func(*spec.Spec)
		want   []string
	}{
		{dro.SFKAuto, none,
			[]string{"the steps of SFK-DRO (the method is sfk-auto)"}},
		{dro.PGD, none, []string{"(the method is pgd)"}},
		{dro.SFK, func(s *spec.Spec) { s.Momentum = .9 }, []string{"no momentum (0.9)"}},
		{dro.SFK, func(s *spec.Spec) { s.SetOwn("momentum_z", spec.Fixed(.5)) },
			[]string{"no momentum on z (0.5)"}},
		{dro.SFK, func(s *spec.Spec) { s.Model, s.Dropout = "alexnet", .5 },
			[]string{"losses without noise (dropout 0.5)"}},
		{dro.SFK, func(s *spec.Spec) { s.LRDropEpoch = 40 },
			[]string{"0.1 times it from epoch 41 on"}},
		{dro.SFK, func(s *spec.Spec) { s.SetOwn("share_batch", spec.Fixed(1)) },
			[]string{"separate draws"}},
		{dro.SFK, func(s *spec.Spec) { s.Uncertainty = "kl" }, []string{"(kl)"}},
		{dro.SFK, func(s *spec.Spec) { s.SetOwn("c", spec.Fixed(1000)); s.LR = .01 },
			[]string{"C of at least D² L_z = 1.99e+08 on this box (1000)",
				"α = 1/(2C) = 0.0005 (0.01)"}},
	} {
		got := of(c.method, c.change)
		if !slices.Equal(c.want, slices.DeleteFunc(slices.Clone(c.want), func(w string) bool {
			return !strings.Contains(got, w)
		})) {
			t.Errorf("%s: %q, want %q", c.method, got, c.want)
		}
	}
}
