package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/presets"
	"drolab/runner/spec"
)

// as returns a change that gives a run every setting of a preset but the method, the seeds and the
// radius.
func as(t *testing.T, name string) func(*spec.Spec) {
	p, err := presets.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(s *spec.Spec) {
		one := p.Spec
		one.Algorithms, one.Seed, one.Seeds, one.Rho = s.Algorithms, s.Seed, 1, s.Rho
		*s = one
	}
}

// own returns the part of a report that is about the claims' own arms.
func own(t *testing.T, r *Report) string {
	t.Helper()
	var all []any
	for _, p := range r.Problems {
		for i, a := range p.arms {
			if a.name == "" {
				continue
			}
			for j, c := range p.Table.Columns {
				cell := p.Table.Rows[i].Cells[j]
				all = append(all, p.Label, a.label, c.Name, c.Class, cell)
			}
			all = append(all, p.Costs[i])
			for _, row := range p.Classes {
				if at := slices.Index(row.Arms, a.label); at >= 0 {
					all = append(all, row.Class, row.Differences[at])
				}
			}
		}
	}
	b, err := json.MarshalIndent([]any{r.Families, r.Reproduction,
		r.Departures, all}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A report says the same of the claims' own arms when ten runs of any other arm are added, whether
// the runs have the same seeds, are older, or come first in the list.
func TestOtherArmsChangeNoVerdict(t *testing.T) {
	for _, base := range []struct {
		preset  string
		classes []string
	}{{"testdata/shapes.yaml", nil}, {"paper-gentle", strings.Fields("a b c d e f g h i j")}} {
		like := as(t, base.preset)
		also := func(change func(*spec.Spec)) func(*spec.Spec) {
			return func(s *spec.Spec) { like(s); change(s) }
		}
		tell := func(a dro.Algorithm, x float64) told {
			w := told{
				algorithm: a, rho: .5, preset: base.preset, classes: base.classes, change: like,
				trainLoss: x, testLoss: .9 + x, worst: .4 + x/10, risk: 2 + x*x,
				objective: []float64{3 + x, 2, 1 + x/3},
			}
			for i := range base.classes {
				w.accuracy = append(w.accuracy, .5+x/20+float64(i)/100)
			}
			return w
		}
		f := newFolder(t)
		f.four(tell(dro.SFK, .5))
		f.four(tell(dro.PGD, .4))
		f.four(tell(dro.PAN, .35))
		for seed := uint64(1); seed <= 4; seed++ {
			w := tell(dro.ERM, .1+wobble(2*seed))
			w.seed = seed
			f.add(w)
		}
		before := f.report()
		want, runs := own(t, before), len(f.runs)
		if len(before.claims()) < 8 || before.claims()[0].Seeds == nil {
			t.Fatalf("%s: %d claims", base.preset, len(before.claims()))
		}
		for _, c := range []struct {
			name   string
			method dro.Algorithm
			rho    float64
			change func(*spec.Spec)
		}{
			{"another C", dro.SFK, .5, func(s *spec.Spec) { s.SetOwn("c", spec.Fixed(5)) }},
			{"sfk-auto", dro.SFKAuto, .5, func(*spec.Spec) {}},
			{"batch", "batch", .5, func(*spec.Spec) {}},
			{"PAN with a step of its own", dro.PAN, .5,
				func(s *spec.Spec) { s.LRZ = spec.Fixed(.1) }},
			{"another start of z", dro.PGD, .5, func(s *spec.Spec) { s.Lambda = 3 }},
			{"another network", dro.ERM, .5, func(s *spec.Spec) { s.WeightDecay = .1 }},
			{"another radius", dro.SFK, .1, func(*spec.Spec) {}},
		} {
			t.Run(base.preset+", "+c.name, func(t *testing.T) {
				f := folder{TB: t, store: f.store, runs: slices.Clone(f.runs[:runs])}
				for seed := range uint64(10) {
					w := tell(c.method, -.7)
					w.seed, w.rho, w.change = seed+1, c.rho, also(c.change)
					w.age = int(seed) - 5
					f.add(w)
				}
				slices.Reverse(f.runs) // the newest first, as lists have them
				after := f.report()
				if got := own(t, after); got != want {
					t.Errorf("another report of the claims' own arms: %s",
						firstDifference(got, want))
				}
				if beside := c.rho == .5 &&
					c.name != "another network"; beside != (len(after.Further) > 0) &&
					c.method != dro.PGD { // no claim is PGD's
					t.Errorf("%d judgements of further arms", len(after.Further))
				}
			})
		}
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %q, was %q", i+1, x[max(0, i-3):i+1], y[max(0, i-3):i+1])
		}
	}
	return fmt.Sprintf("%d lines, were %d", len(x), len(y))
}

// A claim with an arm that has no run, or one, says so, whatever other arms there are.
func TestTooFewRunsAreTold(t *testing.T) {
	like := as(t, "paper-gentle")
	f := newFolder(t)
	ten := strings.Fields("a b c d e f g h i j")
	add := func(a dro.Algorithm, seeds uint64, change func(*spec.Spec)) {
		for seed := range seeds {
			f.add(told{algorithm: a, seed: seed + 1, rho: .5, preset: "paper-gentle", classes: ten,
				trainLoss: 1 + wobble(seed), change: func(s *spec.Spec) { like(s); change(s) }})
		}
	}
	none := func(*spec.Spec) {}
	add(dro.ERM, 5, none)
	add(dro.PAN, 1, none)
	add(dro.SFK, 5, func(s *spec.Spec) { s.SetOwn("c", spec.Fixed(500)) })
	r := f.report()
	for a, want := range map[string]string{"sfk c=1000": "no run of sfk c=1000",
		"pan": "one seed"} {
		c := f.claim(r, "train-loss", half, a, "erm")
		if c.Few != want || c.Verdict != Undecided {
			t.Errorf("%s: %s, %q, want %q", a, c.Verdict, c.Few, want)
		}
	}
	i := slices.IndexFunc(r.Further,
		func(c *Claim) bool { return c.Key == "train-loss" && c.B == "erm" })
	if i < 0 || r.Further[i].A != "sfk c=500" || len(r.Further[i].Seeds) != 4 {
		t.Errorf("further arms: %+v", r.Further[max(0, i)])
	}
	page := r.Page().Markdown()
	for _, want := range []string{"undecided, no run of sfk c=1000", "undecided, one seed",
		"| sfk c=500 |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
