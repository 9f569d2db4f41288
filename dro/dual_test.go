package dro

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestDualSteps(t *testing.T) {
	losses := exponential(testRand(21), 64)
	b := Batch{Losses: losses}
	w, ratios := make([]float64, len(losses)), make([]float64, len(losses))
	for _, p := range testProblems(.5) {
		z := p.Box.Project(Z{1, .3})
		eval := p.Evaluate(ratios, losses, z)
		corner := p.Box.Corner(eval.Grad)
		gap := -corner.sub(z).dot(eval.Grad)

		d := newTrainer(t, SFK, p, startAt(z)).(*sfkTrainer)
		d.Weights(w, b)
		if d.last != eval {
			t.Errorf("%v: Weights evaluates F to %+v, Evaluate to %+v", p, d.last, eval)
		}
		if !slices.Equal(w, ratios) {
			t.Errorf("%v: Weights gives %v, Evaluate the ratios %v", p, w, ratios)
		}
		d.After(b, Step{T: 1, Rate: math.NaN()}) // SFK does not use the rate
		if gap < 0 {
			t.Errorf("%v: gap %v, want none below 0", p, gap)
		}
		if d.gap != gap {
			t.Errorf("%v: After reports the gap %v, want %v", p, d.gap, gap)
		}
		if want := math.Min(gap/1000, 1); d.gamma != want {
			t.Errorf("%v: After reports γ = %v, want %v", p, d.gamma, want)
		}
		if !d.Fresh() {
			t.Errorf("%v: SFK steps z on the batch of x, want one of its own", p)
		}
		if want := z.along(d.gamma, corner.sub(z)); d.Z() != want {
			t.Errorf("%v: z %v, want %v", p, d.Z(), want)
		}

		numbers := d.State().Numbers
		if got := numbers["momentum_eta"]; got != 0 {
			t.Errorf("%v: momentum_eta = %v in the state, want 0 without momentum", p, got)
		}
		if len(numbers) != 7 {
			t.Errorf("%v: the state has %d numbers, want 7: %v", p, len(numbers), numbers)
		}

		shared := with(startAt(z), "share_batch", Fixed(1))
		auto := newTrainer(t, SFKAuto, p, with(shared, "c_rule", Fixed(1))).(*sfkAutoTrainer)
		auto.After(b, Step{T: 1, Rate: math.NaN()})
		after := p.Evaluate(nil, losses, auto.Z()).Value
		if most := eval.Value - auto.gamma*gap/2*(1-1e-9); after > most {
			t.Errorf("%v: automatic C: F from %v to %v, want at most %v", p, eval.Value, after,
				most)
		}
		if auto.Fresh() {
			t.Errorf("%v: automatic C wants a second batch, want none", p)
		}

		pgd := newTrainer(t, PGD, p, startAt(z))
		pgd.After(b, Step{Rate: .05})
		want := p.Box.Project(z.along(-.05, eval.Grad))
		if got := pgd.(Dual).Z(); got != want || pgd.Fresh() {
			t.Errorf("%v: PGD to %v, want %v", p, got, want)
		}
		if !p.Set.HasRadius() {
			continue
		}
		pan := newTrainer(t, PAN, p, startAt(z))
		pan.After(b, Step{Rate: .05})
		if got, want := pan.(Dual).Z(), (Z{z.Lambda, want.Eta}); got != want {
			t.Errorf("%v: PAN to %v, want %v", p, got, want)
		}
	}
}

func TestWarning(t *testing.T) {
	p := testProblems(.5)[0]
	for _, c := range []struct {
		name Algorithm
		eta  float64
		set  map[string]Auto
		want string
	}{
		{PGD, 1, nil, ""}, {PGD, 10, nil, "ratio of a batch is 0"}, {SFK, 1, nil, ""},
		{SFK, 1, map[string]Auto{"c": Fixed(1e-6)}, "raise c, take sfk-auto"},
		{SFKAuto, 1, nil, ""},
	} {
		t.Run(string(c.name), func(t *testing.T) {
			settings := startAt(Z{.1, c.eta})
			for k, v := range c.set {
				settings[k] = v
			}
			chi := &Problem{Set: CressieRead{2}, Rho: .5, Coordinates: Unshifted, Box: p.Box}
			f := newTrainer(t, c.name, chi, settings)
			step(f, make([]float64, 4), Batch{Losses: []float64{.1, 1, 1.1, 2}},
				Step{T: 1, Rate: .01})
			if got := f.(Warner).Warning(); !strings.Contains(got, c.want) || c.want == "" &&
				got != "" {
				t.Errorf("%s at η = %v: %q, want %q", c.name, c.eta, got, c.want)
			}
		})
	}
}
