package recorded

import (
	"math"
	"testing"
	"time"

	"drolab/runner/record"
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
		if testing.Short() && name == "registered" {
			continue // four times as many runs
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runs, err := Find(Scheme + name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Study(Scheme + name)
			if err != nil {
				t.Fatal(err)
			}
			of, err := StudyOf(runs)
			if err != nil {
				t.Fatal(err)
			}
			if of.Title != s.Title {
				t.Errorf("the runs are of the study %q, want %q", of.Title, s.Title)
			}
			g := s.Gather(runs)
			if g.Done != want.runs || g.Wanted != want.runs {
				t.Errorf("%d of %d runs count, want %d of as many", g.Done, g.Wanted, want.runs)
			}
			if len(g.Missing) > 0 {
				t.Errorf("missing: %q, want none", g.Lacks())
			}
			for what, runs := range map[string][]*record.Run{"early": g.Early, "failed": g.Failed,
				"broken": g.Broken, "of other seeds": g.OtherSeeds} {
				if len(runs) > 0 {
					t.Errorf("%d runs are %s, want none", len(runs), what)
				}
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
			if name != "registered" {
				return
			}
			if len(g.Rest) > 0 {
				t.Errorf("%d runs are of no arm, want none", len(g.Rest))
			}
			if len(r.Notes) > 0 {
				t.Errorf("notes %q, want none", r.Notes)
			}
		})
	}
}

// TestParts: the dual objective is the robust risk of the training split plus the dual gap. ERM has
// no objective, and its robust risk is of the radius of its preset alone.
func TestParts(t *testing.T) {
	if testing.Short() {
		t.Skip("reads the logs that TestStudies reads, too: not with -short")
	}
	t.Parallel()
	runs, err := Find("recorded:registered")
	if err != nil {
		t.Fatal(err)
	}
	s, err := StudyOf(runs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(s, runs, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Parts) != 6 {
		t.Fatalf("%d rows, want 3 at each radius", len(r.Parts))
	}
	for i := 0; i < len(r.Parts); i += 3 {
		objective, risk, gap := r.Parts[i].Arms, r.Parts[i+1].Arms, r.Parts[i+2].Arms
		for k, arm := range s.Arms {
			f, sum := objective[k].Mean.Float(), risk[k].Mean.Float()+gap[k].Mean.Float()
			where := r.Parts[i].Problem + ", " + arm.Name
			if arm.Name != "erm" && arm.Name != "group" {
				if math.Abs(f-sum) > 1e-9 {
					t.Errorf("%s: the objective is %v, want %v + %v", where, f, risk[k].Mean,
						gap[k].Mean)
				}
				continue
			}
			if n := objective[k].Seeds; n > 0 {
				t.Errorf("%s: %d seeds have an objective, want none", where, n)
			}
			if n, want := risk[k].Seeds, 12*i/3; n != want {
				t.Errorf("%s: %d seeds have a robust risk, want %d", where, n, want)
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
		seed := a.Meta.Spec.Seed
		if method := a.Meta.Spec.Algorithm(); method != "pan" {
			t.Fatalf("seed %d: the arm is of %s, want pan", seed, method)
		}
		b := g.By[1][pan].RunOf(seed)
		if b == nil || b == a {
			t.Fatalf("seed %d has no run of its own at the other radius", seed)
		}
		for _, m := range []string{"train_loss", "test_loss", "test_accuracy"} {
			if x, y := a.Summary().Named(m), b.Summary().Named(m); x != y {
				t.Errorf("seed %d: %s is %v and %v at the radii, want the same", seed, m, x, y)
			}
		}
	}
}
