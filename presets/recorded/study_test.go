package recorded

import (
	"math"
	"testing"
	"time"

	"drolab/runner/report"
)

// TestStudies: every run that is recorded for a study counts, whoever looks when. Of the registered
// tests 11 support the claims, 7 contradict them, and 6 are undecided.
func TestStudies(t *testing.T) {
	for name, want := range map[string]struct {
		runs     int
		verdicts map[report.Verdict]int
	}{
		"paper": {32, map[report.Verdict]int{report.Supported: 15, report.NotSupported: 2,
			report.Undecided: 15}},
		"registered": {120, map[report.Verdict]int{report.Supported: 11, report.NotSupported: 7,
			report.Undecided: 6}},
	} {
		t.Run(name, func(t *testing.T) {
			runs, err := Find(Scheme + name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Study(Scheme + name)
			if err != nil {
				t.Fatal(err)
			}
			if of, err := StudyOf(runs); err != nil || of.Title != s.Title {
				t.Errorf("the runs are of another study: %v", err)
			}
			g := s.Gather(runs)
			if g.Done != want.runs || g.Wanted != want.runs || len(g.Missing) > 0 ||
				len(g.Early)+len(g.Failed)+len(g.Broken)+len(g.OtherSeeds) > 0 {
				t.Errorf("%d of %d runs count, want %d; missing: %q", g.Done, g.Wanted, want.runs,
					g.Lacks())
			}
			r, err := report.New(s, runs, report.Options{Now: time.Time{}})
			if err != nil {
				t.Fatal(err)
			}
			got := map[report.Verdict]int{}
			for _, c := range r.Families[0].Claims {
				got[c.Verdict]++
			}
			for v, n := range want.verdicts {
				if got[v] != n {
					t.Errorf("%d claims are %s, want %d", got[v], v, n)
				}
			}
			if name == "registered" && (len(g.Rest) > 0 || len(r.Notes) > 0) {
				t.Errorf("%d runs of no arm, notes %q", len(g.Rest), r.Notes)
			}
		})
	}
}

// TestParts: the dual objective is the robust risk of the training split plus the dual gap. ERM has
// no objective, and its robust risk is of the radius of its preset alone.
func TestParts(t *testing.T) {
	runs, err := Find("recorded:registered")
	if err != nil {
		t.Fatal(err)
	}
	s, err := StudyOf(runs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(s, runs, report.Options{})
	if err != nil || len(r.Parts) != 6 {
		t.Fatalf("%d rows, want 3 at each radius: %v", len(r.Parts), err)
	}
	for i := 0; i < len(r.Parts); i += 3 {
		objective, risk, gap := r.Parts[i].Arms, r.Parts[i+1].Arms, r.Parts[i+2].Arms
		for k, arm := range s.Arms {
			f, sum := objective[k].Mean.Float(), risk[k].Mean.Float()+gap[k].Mean.Float()
			dual := arm.Name != "erm" && arm.Name != "group"
			if dual && math.Abs(f-sum) > 1e-9 || !dual && (objective[k].Seeds > 0 ||
				risk[k].Seeds != 12*i/3) {
				t.Errorf("%s, %s: %v is not %v + %v", r.Parts[i].Problem, arm.Name, objective[k],
					risk[k], gap[k])
			}
		}
	}
}

// TestTwins: PAN keeps λ, so its arms at the two radii have the same weights, and the same figures.
func TestTwins(t *testing.T) {
	runs, err := Find("recorded:registered")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Study("recorded:registered")
	if err != nil {
		t.Fatal(err)
	}
	g, pan := s.Gather(runs), 3
	for _, a := range g.By[0][pan].Runs {
		b := g.By[1][pan].RunOf(a.Meta.Spec.Seed)
		for _, m := range []string{"train_loss", "test_loss", "test_accuracy"} {
			if b == nil || b == a || a.Meta.Spec.Algorithm() != "pan" ||
				a.Summary().Named(m) != b.Summary().Named(m) {
				t.Errorf("seed %d: %s differs between the radii", a.Meta.Spec.Seed, m)
			}
		}
	}
}
