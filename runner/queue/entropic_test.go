package queue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"drolab/dro"
	"drolab/runner"
	"drolab/runner/spec"
)

// onKL returns brief settings of a method of KL, in a run whose uncertainty set is KL.
func onKL(a dro.Algorithm) spec.Spec {
	s := brief(a)
	s.Uncertainty, s.Rho, s.CheckpointEvery = "kl", .1, 4
	return s
}

// A run of a method of KL on KL has a z, whose F is an upper bound of R_ρ, and a fork continues it
// to the bit. Only with λ fixed is there a penalised gap. Nothing warns of an η that has no bounds.
func TestMethodsOfKLOnKL(t *testing.T) {
	for _, m := range dro.Methods() {
		if !m.KL {
			continue
		}
		s := onKL(m.Name)
		s.EtaMax, s.LambdaMax = .01, dro.Fixed(10)
		store := newMemoryStore()
		parent := stored(t, store, s)
		gap := parent.summary.Named("dual_gap")
		if !gap.Applies() || !(gap.Float() >= -1e-12) {
			t.Errorf("%s: F − R_ρ is %v, want a number ≥ 0", m.Name, gap)
		}
		if got := parent.summary.Named("penalised_gap").Applies(); got != m.Penalised {
			t.Errorf("%s has a penalised gap: %v, want %v", m.Name, got, m.Penalised)
		}
		if got := warnings(parent); strings.Contains(got, "η") {
			t.Errorf("%s has no bounds of η, and warns of them: %s", m.Name, got)
		}
		if got := parent.meta.BeyondBox(parent.summary); strings.Contains(got, "η") {
			t.Errorf("%s has no bounds of η, and its page says that %s", m.Name, got)
		}
		fork, err := forkAt(t, store, parent, 8, func(*spec.Spec) {})
		if err != nil {
			t.Fatal(err)
		}
		after := func(e runner.Event) bool { return measured(e) && e.Header().Step > 8 }
		if !slices.Equal(fork.lines(t, measured), parent.lines(t, after)) {
			t.Errorf("%s: the fork differs from its parent behind step 8", m.Name)
		}
	}
}

// A fork of scdro starts at the λ of its checkpoint, on every set, or at the one that it is given.
func TestForkOfSCDROKeepsLambda(t *testing.T) {
	for _, set := range []string{"kl", "cressie-read"} {
		s := onKL("scdro")
		s.Uncertainty = set
		store := newMemoryStore()
		parent := stored(t, store, s)
		past, err := store.Load(parent.meta.ID, 8)
		if err != nil {
			t.Fatal(err)
		}
		is := past.From.Method.Numbers["lambda"]
		settings, err := past.Fork()
		if err != nil {
			t.Fatal(err)
		}
		if settings.Lambda != is || is == s.Lambda {
			t.Errorf("%s: the fork starts at λ = %v, want %v, which is not %v", set,
				settings.Lambda, is, s.Lambda)
		}
		given, err := forkAt(t, store, parent, 8, func(s *spec.Spec) { s.Lambda = 2 })
		if err != nil {
			t.Fatal(err)
		}
		if got := given.states[0].Method.Numbers["lambda"]; got != 2 {
			t.Errorf("%s: a fork at λ = 2 starts at %v", set, got)
		}
	}
}

// On a softmax regression with KL, whose least risk is found by a solver that shares no code with
// the methods, scdro ends at that risk, and its λ and η are the best for its network.
func TestSCDROEndsAtTheLeastRisk(t *testing.T) {
	s := convex("scdro")
	s.Uncertainty, s.Epochs, s.LRDropEpoch, s.LRDrop = "kl", 60, 40, .1
	tr := runAll(t, 1, s)[0]
	for name, most := range map[string]float64{"excess_risk": 5e-4, "dual_gap": 5e-4} {
		if got := tr.summary.Named(name).Float(); !(math.Abs(got) <= most) {
			t.Errorf("%s is %v, want at most %v", name, got, most)
		}
	}
	l, best := tr.summary.Named("lambda").Float(), tr.summary.Named("best_lambda").Float()
	if !(math.Abs(l-best) <= .02) {
		t.Errorf("λ is %v, want %v", l, best)
	}
}
